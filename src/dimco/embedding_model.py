"""EmbeddingModel: a backbone and, if asked for, a linear layer, from inputs to continuous embeddings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from dimco.backbones import backbone_name, build_backbone
from dimco.errors import DamagedFileError, DimcoError, InputError
from dimco.inference import batch_outputs
from dimco.tensor_file import check_record, read_tensors, write_tensors

KIND = "embedding model"
_BATCH = 1_024


class EmbeddingModel(nn.Module):
    """What metric losses and episodic learners train: inputs to embeddings (N, width).

    Parameters
    ----------
    backbone : nn.Module
        From inputs to features, with its width as `out_features`.
    width : int, optional
        Width of the embeddings, by a linear layer with bias; by default the features are the embeddings.
    metadata : dict, optional
        What the model was trained on, as JSON; saved with it.

    Attributes
    ----------
    width : int

    Examples
    --------
    >>> from dimco.backbones import Conv4
    >>> EmbeddingModel(Conv4(32), width=8).embed(torch.zeros(5, 3, 32, 32)).shape
    torch.Size([5, 8])
    """

    def __init__(self, backbone: nn.Module, width: int | None = None, metadata: dict[str, Any] | None = None) -> None:
        super().__init__()
        features = getattr(backbone, "out_features", None)
        if features is None:
            raise InputError(f"expected a backbone with out_features, its width; {type(backbone).__name__} has none")
        if width is not None and width < 1:
            raise InputError(f"expected embeddings of a width of at least 1; got {width}")
        self.backbone = backbone
        self.head: nn.Module = nn.Identity() if width is None else nn.Linear(features, width)
        self.config = {"width": width}
        self.width: int = features if width is None else width
        self.metadata: dict[str, Any] = dict(metadata or {})

    @property
    def identity(self) -> dict[str, Any]:
        """What a checkpoint must agree with, as JSON."""
        config = getattr(self.backbone, "config", {})
        return {"backbone": [type(self.backbone).__name__, config], "width": self.width}

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def forward(self, x: Tensor) -> Tensor:
        """Embeddings of shape (N, width)."""
        embeddings: Tensor = self.head(self.backbone(x))
        return embeddings

    def embed(self, x: Any, batch_size: int = _BATCH) -> Tensor:
        """The embeddings, (N, width), in evaluation mode, on the CPU.

        `x` is an array, a memory-mapped array or a tensor; it is read in batches.
        """
        return torch.cat([part.cpu() for part in batch_outputs(self, x, batch_size, self.device)])

    def save(self, path: str | Path) -> None:
        """Write the model to one safetensors file, atomically."""
        name = backbone_name(self.backbone)
        record = {
            "backbone": {
                "name": name,
                "class": type(self.backbone).__qualname__,
                "config": getattr(self.backbone, "config", {}) if name else {},
            },
            "config": self.config,
            "metadata": self.metadata,
        }
        write_tensors(path, KIND, self.state_dict(), record)

    @classmethod
    def load(cls, path: str | Path, backbone: nn.Module | None = None) -> EmbeddingModel:
        """Read a model written by `save`; give it a `backbone` that dimco does not know by name."""
        tensors, record = read_tensors(path, KIND)
        check_record(path, record, ("backbone", "config", "metadata"))
        saved = record["backbone"]
        if backbone is None and saved["name"] is None:
            raise InputError(f"{path} has a backbone of its own, {saved['class']}: pass load(path, backbone=...)")
        try:
            built = build_backbone(saved["name"], **saved["config"]) if backbone is None else backbone
            model = cls(built, **record["config"])
            model.load_state_dict(tensors)
        except (DimcoError, RuntimeError, ValueError, TypeError, KeyError) as error:
            if backbone is not None:
                raise InputError(f"expected a backbone like the saved one, {saved['class']}; got another") from error
            raise DamagedFileError(f"{path} is damaged: {' '.join(str(error).split())[:200]}") from error
        model.metadata = dict(record["metadata"])
        return model.eval()
