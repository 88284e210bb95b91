"""A copy of an index on a device, searched there."""

from __future__ import annotations

from typing import Any

import torch

from dimco.errors import InputError
from dimco.search.kernels.device_codes import DeviceCodes
from dimco.search.neighbours import Neighbours, neighbours_of
from dimco.search.queries import read_count, read_queries
from dimco.search.snapshot import Snapshot
from dimco.search.where import Where


class DeviceIndex:
    """The items an index had when it was copied to a device; made by `CodeIndex.on`.

    What is later added to the index or removed from it does not change the copy.

    Parameters
    ----------
    snapshot : Snapshot
    device : str or torch.device
        One that torch has here.
    """

    def __init__(self, snapshot: Snapshot, device: str | torch.device) -> None:
        self._snapshot = snapshot
        self._codes = DeviceCodes(snapshot.layout, snapshot.scan, _usable(device))

    def __len__(self) -> int:
        return self._snapshot.live

    def search(self, log_probs: Any, n: int = 10, where: Where | None = None) -> Neighbours:
        """The n best items of each query, as `CodeIndex.search` finds them."""
        tables, single = read_queries(log_probs, self._snapshot.layout.spec)
        keeps = None if where is None else where.keeps(self._snapshot)
        ids, scores = self._codes.scan(tables, read_count(n), keeps)
        return neighbours_of(self._snapshot, ids, scores, single)


def _usable(device: str | torch.device) -> torch.device:
    try:
        place = torch.device(device)
        torch.empty(1, device=place)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(f"expected a device that torch can use here; got {str(device)!r}") from error
    return place
