"""Which items a command is about: ids on the command line or in a file, and labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from dimco.errors import ForeignFileError, InputError, MissingFileError
from dimco.search.index import CodeIndex
from dimco.search.searchable import Searchable

Ids = Annotated[str | None, typer.Option("--ids", help="Ids, with commas between.")]
IdsFile = Annotated[Path | None, typer.Option("--ids-file", help="A file of ids: .npy, or text with an id a line.")]
LabelNames = Annotated[list[str] | None, typer.Option("--label", help="A label; may be given again.")]


def read_ids(ids: str | None, file: Path | None, option: str = "--ids") -> NDArray[np.int64] | None:
    """The ids of an option and of a file together, None if neither is given."""
    if ids is None and file is None:
        return None
    listed = [] if ids is None else ids.split(",")
    stored = np.empty(0, np.int64) if file is None else ids_of_file(file)
    return np.unique(np.concatenate([_integers(listed, option), stored]))


def ids_of_file(file: Path) -> NDArray[np.int64]:
    """The ids in a file, in its order."""
    if not file.exists():
        raise MissingFileError(f"no such file of ids: {file}")
    try:
        stored: Any = np.load(file, allow_pickle=False) if file.suffix == ".npy" else file.read_text(encoding="utf-8")
    except (ValueError, EOFError, OSError) as error:
        raise ForeignFileError(f"expected ids as .npy or one a line of text; {file} is neither") from error
    if isinstance(stored, str):
        return _integers(stored.split(), str(file))
    if stored.ndim != 1 or stored.dtype.kind not in "iu":
        raise InputError(f"expected a list of integers in {file}; got {stored.dtype} of shape {stored.shape}")
    return np.asarray(stored, dtype=np.int64)


def ids_with_labels(index: CodeIndex, labels: Any) -> NDArray[np.int64]:
    """The ids of all items of an index with labels that have one of these."""
    held: Any = index.labels
    return index.ids[np.isin(held, labels)]


def read_labels(index: Searchable, names: list[str] | None) -> NDArray[Any] | None:
    """The labels named, of the type that the index holds; None if none are named."""
    if not names:
        return None
    if index.label_kind is None:
        raise InputError(f"expected an index with labels to choose {names[0]!r} from; it has none")
    if index.label_kind == "str":
        return np.array(names)
    return _integers(names, "--label, as the index holds")


def _integers(texts: list[str], where: str) -> NDArray[np.int64]:
    try:
        return np.array([int(text) for text in texts], dtype=np.int64)
    except (ValueError, OverflowError):
        wrong = next((text for text in texts if not text.strip().lstrip("-").isdecimal()), texts[0])
        raise InputError(f"expected integers in {where}; got {wrong.strip()!r}") from None
