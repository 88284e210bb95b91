"""Labelled features from the files people have: .npz, .npy with a labels file, .parquet and .csv."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.errors import DamagedFileError, ForeignFileError, InputError, MissingFileError
from dimco.extras import require
from dimco.inputs import check_features, check_labels

LABEL_COLUMNS = ("label", "labels", "y", "class", "target")


@dataclass(frozen=True)
class LabelledData:
    """Features and, if the file has them, labels.

    Attributes
    ----------
    x : ndarray of shape (N, features)
        Memory-mapped when it comes from a .npy file.
    y : ndarray of shape (N,) or None
    source : str
        The name of the file.
    """

    x: NDArray[Any]
    y: NDArray[Any] | None
    source: str

    def labels(self) -> NDArray[Any]:
        """The labels, or an `InputError` that says how to give them."""
        if self.y is None:
            raise InputError(f"expected labels with {self.source}; got none (for .npy, name a labels file)")
        return self.y


def load_data(path: str | Path, labels: str | Path | None = None) -> LabelledData:
    """Read features and labels.

    Parameters
    ----------
    path : str or Path
        `.npz` with `x` and `y`; `.npy`, opened memory-mapped; `.parquet` or `.csv`, whose numeric columns
        are the features (a parquet column of lists is one wide feature), with a label column.
    labels : str or Path, optional
        For `.npy`, the labels file (.npy, or text with a label a line); by default `X.labels.npy` beside `X.npy`
        if it is there. For tables, the name of the label column; by default the first of label, labels, y, class,
        target that is there.
    """
    file = Path(path)
    if not file.exists():
        raise MissingFileError(f"no such file: {file}")
    if file.is_dir():
        raise ForeignFileError(f"expected a file of features; {file} is a folder: of images, make one with dimco embed")
    readers = {".npz": _read_npz, ".npy": _read_npy, ".parquet": _read_table, ".csv": _read_table}
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise ForeignFileError(f"expected a file of features (.npz, .npy, .parquet, .csv); got {file.name}")
    x, y = reader(file, labels)
    check_features(x)
    return LabelledData(x, None if y is None else check_labels(y, len(x)), str(file))


def _read_npz(file: Path, labels: str | Path | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    archive = _numpy_load(file)
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise ForeignFileError(f"expected a .npz archive; {file} is not one")
    with archive:
        if "x" not in archive.files:
            raise ForeignFileError(f"expected an array x in {file}; it holds {', '.join(archive.files) or 'nothing'}")
        try:
            y = _label_file(Path(labels)) if labels is not None else archive["y"] if "y" in archive.files else None
            return archive["x"], y
        except (ValueError, zipfile.BadZipFile, EOFError, OSError) as error:
            raise DamagedFileError(f"{file} is damaged: {error}") from error


def _read_npy(file: Path, labels: str | Path | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    x = _numpy_load(file, memory_mapped=True)
    if not isinstance(x, np.ndarray):
        raise ForeignFileError(f"expected a .npy array; {file} is an archive")
    beside = labels_beside(file)
    if labels is None and beside.exists():
        labels = beside
    return x, None if labels is None else _label_file(Path(labels))


def labels_beside(file: Path) -> Path:
    """Where the labels of a .npy file are looked for when none are named."""
    return file.with_suffix(".labels.npy")


def _label_file(file: Path) -> NDArray[Any]:
    if not file.exists():
        raise MissingFileError(f"no such labels file: {file}")
    if file.suffix.lower() == ".npy":
        return np.asarray(_numpy_load(file))
    try:
        lines = np.array(file.read_text(encoding="utf-8").splitlines(), dtype=str)
    except (UnicodeDecodeError, OSError) as error:
        raise ForeignFileError(f"expected labels as .npy or one a line of text; {file} is neither") from error
    whole_numbers = all(line.lstrip("-").isdecimal() for line in lines)
    return lines.astype(np.int64) if whole_numbers else lines


def _numpy_load(file: Path, memory_mapped: bool = False) -> Any:
    try:
        return np.load(file, mmap_mode="r" if memory_mapped else None, allow_pickle=False)
    except (ValueError, EOFError, OSError, zipfile.BadZipFile) as error:
        reason = "it holds Python objects" if "pickle" in str(error).lower() else str(error)
        raise DamagedFileError(f"{file} cannot be read as numpy data: {reason}") from error


def _read_table(file: Path, labels: str | Path | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    pandas = require("pandas")
    try:
        if file.suffix.lower() == ".parquet":
            require("pyarrow")
            table = pandas.read_parquet(file)
        else:
            table = pandas.read_csv(file)
    except (ValueError, OSError) as error:
        raise DamagedFileError(f"{file} cannot be read as a table: {str(error).splitlines()[0]}") from error
    if labels is not None and str(labels) not in table.columns:
        raise InputError(
            f"expected a column {str(labels)!r} in {file}; it has {', '.join(map(str, table.columns[:8]))}"
        )
    name = str(labels) if labels is not None else next((c for c in LABEL_COLUMNS if c in table.columns), None)
    features = table.drop(columns=[name]) if name is not None else table
    y = None if name is None else column_labels(table[name], name)
    return _feature_matrix(features, file), y


def _feature_matrix(table: Any, file: Path) -> NDArray[Any]:
    parts = []
    for name in table.columns:
        column = table[name].to_numpy()
        if column.dtype == object and len(column) and isinstance(column[0], (list, np.ndarray)):
            widths = {len(cell) for cell in column}
            if len(widths) != 1:
                raise InputError(f"expected lists of one length in column {name!r}; got lengths {sorted(widths)[:4]}")
            parts.append(np.stack([np.asarray(cell) for cell in column]))
        elif np.issubdtype(column.dtype, np.number):
            parts.append(column[:, None])
        else:
            raise InputError(f"expected numbers in column {name!r} of {file}; got {table[name].dtype}")
    if not parts:
        raise InputError(f"expected at least one column of features in {file}; got none")
    return np.concatenate(parts, axis=1)


def column_labels(column: Any, name: str) -> NDArray[Any]:
    """The labels in a column of a pandas table: integers and truth values as they are, all else as text."""
    if column.isna().any():
        raise InputError(f"expected a label in every row of column {name!r}; {int(column.isna().sum())} are missing")
    return np.asarray(column.to_numpy() if column.dtype.kind in "iub" else column.astype(str).to_numpy(dtype=str))
