"""What goes into an index from the command line: a file of codes, or data that a model encodes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.cli.output import note
from dimco.cluster.encoding.stored import read_parquet_codes
from dimco.codes import Codes
from dimco.codes_file import KIND as CODES
from dimco.codes_file import read_codes
from dimco.datasets import load_data
from dimco.datasets.pictures import as_image, pictures_in
from dimco.errors import ForeignFileError, InputError
from dimco.model import KIND as MODEL
from dimco.model import CodeModel
from dimco.picture_routes import batches, own_route
from dimco.progress import items_bar
from dimco.spec import CodeSpec
from dimco.tensor_file import read_record
from dimco.training.loop import pick_device

_ENCODED_AT_ONCE = 32_768


@dataclass(frozen=True)
class NewItems:
    """Codes with their labels, and ids, if there are any."""

    spec: CodeSpec
    codes: Codes | NDArray[Any]
    labels: NDArray[Any] | None
    ids: NDArray[np.int64] | None = None


def read_new_items(source: Path, data: Path | None, labels: str | None, device: str, quiet: bool) -> NewItems:
    """The items of codes, or of data that a model encodes: features, or pictures where it takes pictures.

    Codes are in a file of `dimco encode`, or in parquet: of `dimco encode --engine`, a folder, or of `dimco export`.
    """
    tables = source.is_dir() or source.suffix.lower() == ".parquet"
    kind = CODES if tables else read_record(source)[0]
    if kind == CODES:
        if data is not None or labels is not None:
            raise InputError(f"expected {source} alone, as it holds codes and their labels; got data or labels with it")
        if tables:
            found = read_parquet_codes(source)
            return NewItems(found.spec, found.symbols, found.labels, found.ids)
        stored = read_codes(source)
        return NewItems(stored.codes.spec, stored.codes, _plain(stored.labels))
    if kind != MODEL:
        raise ForeignFileError(f"expected a file of codes, or a model; {source} is a dimco {kind} file")
    if data is None:
        raise InputError(f"expected data for {source} to encode: name its file after the model")
    model = CodeModel.load(source).to(pick_device(device))
    count, inputs, known = _inputs(model, data, labels)
    note(f"{count:,} items -> {model.spec}", quiet)
    return NewItems(model.spec, _encoded(model, count, inputs, quiet), _plain(known))


def _inputs(model: CodeModel, data: Path, labels: str | None) -> tuple[int, Iterator[Any], NDArray[Any] | None]:
    """How many items there are, what the model takes of them, some at a time, and their labels if they have any.

    Of a folder of pictures the labels are the names of its classes.
    """
    route = own_route(model.backbone)
    images = None if route is None else pictures_in(data)
    if route is not None and images is not None:
        pictures = (as_image(images[item]).convert("RGB") for item in range(len(images)))
        known = images.labels() if data.is_dir() else load_data(data, labels).y
        return len(images), batches(route, pictures), known
    items = load_data(data, labels)
    x = items.x
    return len(x), (x[start : start + _ENCODED_AT_ONCE] for start in range(0, len(x), _ENCODED_AT_ONCE)), items.y


def _encoded(model: CodeModel, count: int, inputs: Iterator[NDArray[Any]], quiet: bool) -> NDArray[Any]:
    symbols, done = np.empty((count, model.spec.d), model.spec.dtype), 0
    with contextlib.nullcontext(lambda _: None) if quiet else items_bar(count, "items") as on_items:
        for x in inputs:
            symbols[done : done + len(x)] = model.encode(x).unpack()
            done += len(x)
            on_items(done)
    return symbols


def _plain(labels: NDArray[Any] | None) -> NDArray[Any] | None:
    """Whole numbers that came as floats, and truth values, as integers."""
    if labels is None or labels.dtype.kind not in "fb":
        return labels
    return labels.astype(np.int64)
