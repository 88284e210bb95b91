"""How items become codes: a model, and a network before it where pictures are encoded; sent to workers as bytes."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from dimco.backbones.pretrained import load_pretrained
from dimco.errors import FileError, InputError, MissingFileError
from dimco.model import CodeModel


@dataclass(frozen=True)
class Recipe:
    """The files that turn items into codes, by their bytes, so that every worker has the same ones.

    Attributes
    ----------
    model : bytes
        Of a model file.
    backbone : str or None
        A key of `PRETRAINED`: the network that gives the features which the model takes.
    weights : bytes or None
        Its weights.
    weights_suffix : str
        Of their file.
    """

    model: bytes
    backbone: str | None = None
    weights: bytes | None = None
    weights_suffix: str = ""

    @classmethod
    def of_files(cls, model: Path, backbone: str | None, weights: Path | None) -> Recipe:
        """The recipe of these files."""
        if (backbone is None) != (weights is None):
            raise InputError("expected --backbone and --weights together; got one of them")
        if weights is None:
            return cls(_bytes(model))
        return cls(_bytes(model), backbone, _bytes(weights), weights.suffix)

    @property
    def record(self) -> dict[str, Any]:
        """What tells it from other recipes, as JSON."""
        digest = hashlib.sha256(self.model).hexdigest()
        if self.weights is None:
            return {"model": digest}
        return {"model": digest, "backbone": self.backbone, "weights": hashlib.sha256(self.weights).hexdigest()}

    def encoder(self, device: str, batch_size: int) -> Encoder:
        """The encoder that the files give."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "model")
            file.write_bytes(self.model)
            model = CodeModel.load(file)
            network = None
            if self.backbone is not None and self.weights is not None:
                weights = Path(folder, f"weights{self.weights_suffix}")
                weights.write_bytes(self.weights)
                network = load_pretrained(self.backbone, weights)
        return Encoder(model.to(device), None if network is None else network.to(device), batch_size)


class Encoder:
    """Codes of items, a batch at a time: batches are those of one process that encodes all of a file.

    Sums of floats may depend on which items are in a batch together, so batches are a part of the result.
    """

    def __init__(self, model: CodeModel, network: nn.Module | None, batch_size: int) -> None:
        self._model, self._network, self._batch_size = model, network, batch_size
        self.spec = model.spec

    def symbols(self, x: NDArray[Any]) -> NDArray[np.unsignedinteger]:
        """The symbols, (N, d)."""
        if len(x) == 0:
            return np.empty((0, self.spec.d), self.spec.dtype)
        if self._network is None:
            return self._model.encode(x, self._batch_size).unpack()
        starts = range(0, len(x), self._batch_size)
        return np.concatenate([self._through_network(x[start : start + self._batch_size]) for start in starts])

    def _through_network(self, pixels: NDArray[Any]) -> NDArray[np.unsignedinteger]:
        assert self._network is not None
        with torch.inference_mode():
            features = self._network(torch.from_numpy(np.array(pixels)).to(self._model.device).float())
        return self._model.encode(features).unpack()


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        raise MissingFileError(f"no such file: {file}") from error
    except OSError as error:
        raise FileError(f"cannot read {file}: {error.strerror}") from error
