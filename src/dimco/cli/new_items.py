"""What goes into an index from the command line: a file of codes, or data that a model encodes."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.cli.output import note
from dimco.codes import Codes
from dimco.codes_file import KIND as CODES
from dimco.codes_file import read_codes
from dimco.datasets import load_data
from dimco.errors import ForeignFileError, InputError
from dimco.model import KIND as MODEL
from dimco.model import CodeModel
from dimco.progress import items_bar
from dimco.spec import CodeSpec
from dimco.tensor_file import read_record
from dimco.training.loop import pick_device

_ENCODED_AT_ONCE = 32_768


@dataclass(frozen=True)
class NewItems:
    """Codes with their labels, if there are any."""

    spec: CodeSpec
    codes: Codes | NDArray[Any]
    labels: NDArray[Any] | None


def read_new_items(source: Path, data: Path | None, labels: str | None, device: str, quiet: bool) -> NewItems:
    """The items of a codes file, or of data encoded by a model; `InputError` for another combination."""
    kind, _ = read_record(source)
    if kind == CODES:
        if data is not None or labels is not None:
            raise InputError(f"expected {source} alone, as it holds codes and their labels; got data or labels with it")
        stored = read_codes(source)
        return NewItems(stored.codes.spec, stored.codes, _plain(stored.labels))
    if kind != MODEL:
        raise ForeignFileError(f"expected a file of codes, or a model; {source} is a dimco {kind} file")
    if data is None:
        raise InputError(f"expected data for {source} to encode: name its file after the model")
    model = CodeModel.load(source).to(pick_device(device))
    items = load_data(data, labels)
    note(f"{len(items.x):,} items -> {model.spec}", quiet)
    return NewItems(model.spec, _encoded(model, items.x, quiet), _plain(items.y))


def _encoded(model: CodeModel, x: NDArray[Any], quiet: bool) -> NDArray[Any]:
    symbols = np.empty((len(x), model.spec.d), model.spec.dtype)
    with contextlib.nullcontext(lambda _: None) if quiet else items_bar(len(x), "items") as on_items:
        for start in range(0, len(x), _ENCODED_AT_ONCE):
            part = symbols[start : start + _ENCODED_AT_ONCE]
            part[:] = model.encode(x[start : start + _ENCODED_AT_ONCE]).unpack()
            on_items(start + len(part))
    return symbols


def _plain(labels: NDArray[Any] | None) -> NDArray[Any] | None:
    """Whole numbers that came as floats, and truth values, as integers."""
    if labels is None or labels.dtype.kind not in "fb":
        return labels
    return labels.astype(np.int64)
