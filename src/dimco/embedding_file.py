"""Files of embeddings: `E.npy` with `E.labels.npy` and `E.json` beside it, or all in one `E.npz`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.atomic import atomic_path, write_text
from dimco.datasets.files import labels_beside
from dimco.errors import InputError
from dimco.npy_rows import npy_rows

KIND = "embeddings"
Append = Callable[[NDArray[Any], NDArray[np.int64]], None]


def check_output(output: str | Path) -> Path:
    """The path to write embeddings to, or an `InputError`."""
    path = Path(output)
    if path.suffix not in (".npy", ".npz"):
        raise InputError(f"expected .npy or .npz to write embeddings to; got {path.name}")
    if not path.parent.is_dir():
        raise InputError(f"expected a folder to write {path.name} to; there is no {path.parent}")
    return path


@contextlib.contextmanager
def embedding_file(output: str | Path, width: int, dtype: str, about: Mapping[str, Any]) -> Iterator[Append]:
    """A function that takes rows and their labels; the files are there, whole, once the block ends without error.

    Parameters
    ----------
    output : str or Path
        The rows of `.npy` go to disk as they come; `.npz` is held in memory.
    width : int
        Of a row.
    dtype : str
        Of the rows.
    about : mapping
        What `E.json` says besides the number of items and the type; of `classes`, the npz takes a copy.
    """
    path = check_output(output)
    with (_npz if path.suffix == ".npz" else _npy)(path, width, dtype, about) as append:
        yield append


@contextlib.contextmanager
def _npz(path: Path, width: int, dtype: str, about: Mapping[str, Any]) -> Iterator[Append]:
    x, y = [np.empty((0, width), dtype)], [np.empty(0, np.int64)]

    def append(rows: NDArray[Any], labels: NDArray[np.int64]) -> None:
        x.append(rows.astype(dtype))
        y.append(labels)

    yield append
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        classes = np.asarray(about.get("classes", []), dtype=str)
        np.savez(file, x=np.concatenate(x), y=np.concatenate(y), classes=classes)


@contextlib.contextmanager
def _npy(path: Path, width: int, dtype: str, about: Mapping[str, Any]) -> Iterator[Append]:
    y = [np.empty(0, np.int64)]
    with npy_rows(path, width, dtype) as writer:

        def append(rows: NDArray[Any], labels: NDArray[np.int64]) -> None:
            writer.append(rows)
            y.append(labels)

        yield append
        with atomic_path(labels_beside(path)) as temporary, temporary.open("wb") as file:
            np.save(file, np.concatenate(y))
        facts = {"kind": KIND, **about, "items": writer.rows, "features": width, "dtype": dtype}
        write_text(path.with_suffix(".json"), json.dumps(facts, indent=1) + "\n")
