"""Weights from files: state dicts as .safetensors, or as torch saves them, into a network."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from dimco.errors import DamagedFileError, ForeignFileError, MissingFileError

_COUNTER = "num_batches_tracked"
_VARIANCE = "running_var"
_CLASSIFIER = "fc."


def read_weights(path: str | Path) -> dict[str, Tensor]:
    """The tensors of a `.safetensors`, `.pt` or `.pth` file by name, floats as float32.

    A variance that was too much for float16, and is infinite in the file, becomes float16's largest number.
    Of the files torch writes, tensors alone are read: code that such a file may hold is refused, never run.
    """
    file = Path(path)
    if not file.exists():
        raise MissingFileError(f"no such weights file: {file}")
    readers = {".safetensors": _read_safetensors, ".pt": _read_torch, ".pth": _read_torch}
    if file.is_dir() or file.suffix.lower() not in readers:
        raise ForeignFileError(f"expected weights as .safetensors, .pt or .pth; got {file}")
    state = readers[file.suffix.lower()](file)
    if not isinstance(state, dict) or not all(isinstance(tensor, Tensor) for tensor in state.values()):
        raise ForeignFileError(f"expected a state dict, tensors by name, in {file}; it holds something else")
    return {str(name): _as_float32(str(name), tensor) for name, tensor in state.items()}


def load_weights(
    module: nn.Module, path: str | Path, name_in_file: Callable[[str], str] = str, classes: int | None = None
) -> None:
    """Put the weights of a file into a module; every weight must be there in its shape, and no other.

    The classifier `fc` that a file may hold, and the batch counters that it may lack, are passed over.

    Parameters
    ----------
    module : nn.Module
    path : str or Path
    name_in_file : callable, optional
        From a name in the module's state dict to the file's name for it.
    classes : int, optional
        How many classes the classifier must tell apart, if the file holds one.
    """
    state = read_weights(path)
    kind = type(module).__name__
    taken: dict[str, Tensor] = {}
    for name, own in module.state_dict().items():
        found = state.pop(name_in_file(name), own if name.endswith(_COUNTER) else None)
        if found is None:
            raise ForeignFileError(f"expected weights of {kind} in {path}; it has no {name_in_file(name)}")
        if found.shape != own.shape:
            shapes = f"{tuple(own.shape)}; got {tuple(found.shape)} in {path}"
            raise ForeignFileError(f"expected {name_in_file(name)} of {kind} in shape {shapes}")
        if not torch.isfinite(found).all():
            raise DamagedFileError(f"{path} is damaged: {name_in_file(name)} holds NaN or infinity")
        taken[name] = found
    classifier = state.get(_CLASSIFIER + "weight")
    if classes is not None and classifier is not None and len(classifier) != classes:
        raise ForeignFileError(f"expected weights trained on {classes} classes; {path} has {len(classifier)}")
    foreign = [name for name in state if not name.startswith(_CLASSIFIER)]
    if foreign:
        raise ForeignFileError(f"expected weights of {kind} in {path}; it has others too, such as {foreign[0]}")
    module.load_state_dict(taken)


def _as_float32(name: str, tensor: Tensor) -> Tensor:
    if tensor.dtype == torch.float16 and name.endswith(_VARIANCE):
        tensor = tensor.clamp(max=torch.finfo(torch.float16).max)
    return tensor.float() if tensor.is_floating_point() else tensor


def _read_safetensors(file: Path) -> Any:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(file)
    except (SafetensorError, OSError) as error:
        raise DamagedFileError(f"{file} cannot be read as safetensors: {error}") from error


def _read_torch(file: Path) -> Any:
    """Tensors alone, by torch's restricted reader; what else a pickle holds is refused and never run."""
    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise ForeignFileError(
            f"expected tensors alone in {file}; it holds other Python objects, or is damaged"
        ) from error
    except (RuntimeError, ValueError, TypeError, LookupError, EOFError, OSError) as error:
        reason = " ".join(str(error).split())[:120]
        raise DamagedFileError(f"{file} cannot be read as torch's: {reason}") from error
