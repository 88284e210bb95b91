"""CodeModel: a backbone and a code head, from inputs to log probabilities and codes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dimco.backbones import backbone_name, build_backbone
from dimco.codes import Codes
from dimco.errors import DamagedFileError, DimcoError, InputError
from dimco.explanation import Comparison, Explanation, compare_codes, explain_codes
from dimco.heads import CodeHead, build_head, head_name
from dimco.inference import batch_outputs
from dimco.spec import CodeSpec
from dimco.tensor_file import check_record, read_tensors, write_tensors

KIND = "model"
_BATCH = 8_192


class CodeModel(nn.Module):
    """A probabilistic encoder: backbone, then head, then a softmax over the symbols of each position.

    Parameters
    ----------
    backbone : nn.Module
        From inputs to features; `dimco.backbones.Standardize` for precomputed embeddings.
    head : CodeHead
        From features to logits (N, d, k).
    metadata : dict, optional
        What the model was trained on, as JSON; saved with it.

    Attributes
    ----------
    spec : CodeSpec
    features : int or None
        Width of the input if the backbone states it.

    Examples
    --------
    >>> from dimco.backbones import Standardize
    >>> from dimco.heads import LinearHead
    >>> model = CodeModel(Standardize(3), LinearHead(3, CodeSpec(k=4, d=2)))
    >>> model.encode(np.zeros((5, 3)))
    Codes(5 items of 4x2, 3 bytes)
    """

    def __init__(self, backbone: nn.Module, head: CodeHead, metadata: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.backbone, self.head = backbone, head
        self.metadata: dict[str, Any] = dict(metadata or {})

    @property
    def spec(self) -> CodeSpec:
        return self.head.spec

    @property
    def features(self) -> int | None:
        config = getattr(self.backbone, "config", {})
        return config.get("features") if isinstance(config, dict) else None

    @property
    def identity(self) -> dict[str, Any]:
        """What a checkpoint must agree with, as JSON."""
        return {"code": str(self.spec), "head": [type(self.head).__name__, self.head.config]}

    @property
    def device(self) -> torch.device:
        return next(self.head.parameters()).device

    def forward(self, x: Tensor) -> Tensor:
        """Logits of shape (N, d, k) (eq. 1)."""
        logits: Tensor = self.head(self.backbone(x))
        return logits

    def log_probs(self, x: Any, batch_size: int = _BATCH) -> Tensor:
        """log p of each symbol at each position, (N, d, k) (eq. 2), in evaluation mode, on the CPU."""
        parts = [logits.log_softmax(-1).cpu() for logits in self._logits(x, batch_size)]
        return torch.cat(parts)

    def encode(self, x: Any, batch_size: int = _BATCH) -> Codes:
        """The codes to store: the most likely symbol of each position (eq. 3).

        `x` is an array, a memory-mapped array or a tensor; it is read in batches.
        """
        parts = [logits.argmax(-1).cpu().numpy() for logits in self._logits(x, batch_size)]
        return Codes(np.concatenate(parts), self.spec)

    def explain(self, x: Any, batch_size: int = _BATCH) -> Explanation:
        """The code of each item, the probability of each symbol, and the runner-up of each position."""
        return explain_codes(self.log_probs(x, batch_size))

    def compare(self, a: Any, b: Any) -> Comparison:
        """Why the query `a` is near the stored item `b`: positions that agree, and each one's share of the score.

        Both are one item, as it stands in a row of `encode`'s input.
        """
        rows = (item[None] if isinstance(item, Tensor) else np.asarray(item)[None] for item in (a, b))
        query, stored = (self.log_probs(row)[0] for row in rows)
        return compare_codes(query, stored)

    def save(self, path: str | Path) -> None:
        """Write the model to one safetensors file, atomically."""
        name = backbone_name(self.backbone)
        backbone_config = getattr(self.backbone, "config", {}) if name else {}
        record = {
            "k": self.spec.k,
            "d": self.spec.d,
            "backbone": {"name": name, "class": type(self.backbone).__qualname__, "config": backbone_config},
            "head": {"name": head_name(self.head), "config": self.head.config},
            "metadata": self.metadata,
        }
        write_tensors(path, KIND, self.state_dict(), record)

    @classmethod
    def load(cls, path: str | Path, backbone: nn.Module | None = None) -> CodeModel:
        """Read a model written by `save`.

        Parameters
        ----------
        path : str or Path
        backbone : nn.Module, optional
            A module of the saved backbone's architecture, for backbones that dimco does not know by name.
        """
        tensors, record = read_tensors(path, KIND)
        check_record(path, record, ("k", "d", "backbone", "head", "metadata"))
        saved = record["backbone"]
        if backbone is None and saved["name"] is None:
            raise InputError(f"{path} has a backbone of its own, {saved['class']}: pass load(path, backbone=...)")
        expected = {name.removeprefix("backbone.") for name in tensors if name.startswith("backbone.")}
        if backbone is not None and set(backbone.state_dict()) != expected:
            raise InputError(f"expected a backbone like the saved one, {saved['class']}; got other parameters")
        try:
            if backbone is None:
                backbone = build_backbone(saved["name"], **saved["config"])
            spec = CodeSpec(record["k"], record["d"])
            model = cls(backbone, build_head(record["head"]["name"], spec, **record["head"]["config"]))
            model.load_state_dict(tensors)
        except (DimcoError, RuntimeError, ValueError, TypeError, KeyError) as error:
            reason = " ".join(str(error).split())[:200]
            raise DamagedFileError(f"{path} is damaged: {reason}") from error
        model.metadata = dict(record["metadata"])
        return model.eval()

    def _logits(self, x: Any, batch_size: int) -> Iterator[Tensor]:
        return batch_outputs(self, x, batch_size, self.device, self.features)
