"""Training data: arrays, memory-mapped arrays and torch datasets behind one small interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from dimco.errors import InputError
from dimco.inputs import check_shape
from dimco.training.batches import Indices


class TrainingData(Protocol):
    """What the training loop asks of its data."""

    labels: NDArray[np.int64]

    def batches(self, indices: Iterable[Indices], device: torch.device) -> Iterator[tuple[Tensor, Tensor]]:
        """The items and labels of each batch of indices, on the device."""
        ...


@runtime_checkable
class DeviceData(Protocol):
    """Training data that stay on the device, as a captured step needs them."""

    labels: NDArray[np.int64]

    def gather(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """The items and labels of the rows at `places`, a tensor on the device, without waiting for it."""
        ...


class ArrayData:
    """Rows of an array with their class indices.

    A memory-mapped array stays on disk: each batch reads its own rows, in the order of the file. Any
    other array or tensor is moved to the device once.

    Parameters
    ----------
    x : array, memory-mapped array or Tensor of shape (N, ...)
    labels : ndarray of shape (N,), int64
    rows : ndarray of int64, optional
        Use these rows only, without a copy of a memory-mapped array.
    """

    def __init__(self, x: Any, labels: NDArray[np.int64], rows: Indices | None = None) -> None:
        check_shape(x, None)
        if labels.shape != (len(x),):
            raise InputError(f"expected {len(x)} labels, one an item; got shape {labels.shape}")
        self.x, self.rows = x, rows
        self.labels = labels if rows is None else labels[rows]
        self._moved: tuple[Tensor, Tensor] | None = None

    def batches(self, indices: Iterable[Indices], device: torch.device) -> Iterator[tuple[Tensor, Tensor]]:
        if _memory_mapped(self.x):
            yield from self._from_disk(indices, device)
            return
        for batch in indices:
            yield self.gather(torch.from_numpy(batch).to(device))

    def gather(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """See `DeviceData`."""
        if _memory_mapped(self.x):
            raise InputError("expected an array in memory for a captured step; got a memory-mapped one")
        x, labels = self._resident(places.device)
        return x[places].float(), labels[places]

    def _resident(self, device: torch.device) -> tuple[Tensor, Tensor]:
        if self._moved is None or self._moved[0].device != device:
            x = self.x if self.rows is None else self.x[self.rows]
            x = x if isinstance(x, Tensor) else torch.from_numpy(np.require(x, requirements=["C", "W"]))
            self._moved = x.to(device), torch.from_numpy(self.labels).to(device)
        return self._moved

    def _from_disk(self, indices: Iterable[Indices], device: torch.device) -> Iterator[tuple[Tensor, Tensor]]:
        for batch in indices:
            in_order = np.sort(batch)
            places = in_order if self.rows is None else self.rows[in_order]
            x = torch.from_numpy(np.asarray(self.x[places], dtype=np.float32))
            yield x.to(device, non_blocking=True), torch.from_numpy(self.labels[in_order]).to(device)


class DatasetData:
    """A map-style torch dataset that gives (input, anything) pairs, with the class indices known beforehand.

    Parameters
    ----------
    dataset : Dataset
    labels : ndarray of shape (N,), int64
        Read from here and not from the dataset, because balanced batches need them without loading items.
    workers : int, default=0
        Processes that load items.
    """

    def __init__(self, dataset: Dataset[Any], labels: NDArray[np.int64], workers: int = 0) -> None:
        if not isinstance(dataset, Sized):
            raise InputError("expected a dataset with a length; got one without")
        if labels.shape != (len(dataset),):
            raise InputError(f"expected {len(dataset)} labels, one an item; got shape {labels.shape}")
        self.dataset, self.labels, self.workers = dataset, labels, workers

    def batches(self, indices: Iterable[Indices], device: torch.device) -> Iterator[tuple[Tensor, Tensor]]:
        plan = [rows.tolist() for rows in indices]
        loader = DataLoader(
            self.dataset, batch_sampler=plan, num_workers=self.workers, pin_memory=device.type == "cuda"
        )
        for rows, batch in zip(plan, loader, strict=True):
            labels = torch.from_numpy(self.labels[rows])
            yield batch[0].to(device, torch.float32, non_blocking=True), labels.to(device)


def _memory_mapped(x: Any) -> bool:
    """Whether an array, or the array it is a view of, lives in a mapped file."""
    while x is not None and not isinstance(x, np.memmap):
        x = getattr(x, "base", None) if isinstance(x, np.ndarray) else None
    return x is not None
