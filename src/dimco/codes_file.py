"""The file of codes: the packed stream, the labels if there are any, and where they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike

from dimco.codes import Codes, Labels
from dimco.errors import DamagedFileError, DimcoError, InputError
from dimco.spec import CodeSpec
from dimco.tensor_file import check_record, read_tensors, write_tensors

KIND = "codes"


@dataclass(frozen=True)
class StoredCodes:
    """What a codes file holds."""

    codes: Codes
    labels: Labels | None = None
    source: dict[str, Any] = field(default_factory=dict)


def write_codes(
    path: str | Path, codes: Codes, labels: ArrayLike | None = None, source: Mapping[str, Any] | None = None
) -> None:
    """Write codes with their labels (integers or strings) and a JSON record of their source."""
    record: dict[str, Any] = {"k": codes.spec.k, "d": codes.spec.d, "length": len(codes), "source": dict(source or {})}
    tensors = {"packed": torch.from_numpy(np.array(codes.packed))}
    if labels is not None:
        array = np.asarray(labels)
        if array.shape != (len(codes),):
            raise InputError(f"expected {len(codes)} labels, one a code; got shape {array.shape}")
        classes, indices = np.unique(array, return_inverse=True)
        record["classes"] = classes.tolist()
        tensors["labels"] = torch.from_numpy(indices.astype(np.int32))
    write_tensors(path, KIND, tensors, record)


def read_codes(path: str | Path) -> StoredCodes:
    """Read a file written by `write_codes`."""
    tensors, record = read_tensors(path, KIND)
    check_record(path, record, ("k", "d", "length", "source"))
    try:
        spec = CodeSpec(record["k"], record["d"])
        codes = Codes.from_packed(tensors["packed"].numpy(), record["length"], spec)
        labels = None
        if "labels" in tensors:
            labels = np.asarray(record["classes"])[tensors["labels"].numpy()]
            if labels.shape != (len(codes),):
                raise InputError(f"{len(codes)} codes but labels of shape {labels.shape}")
    except (DimcoError, KeyError, IndexError, TypeError, ValueError) as error:
        raise DamagedFileError(f"{path} is damaged: {error}") from error
    return StoredCodes(codes, labels, record["source"])
