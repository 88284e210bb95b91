"""What searches codes: an index in this process, or one in shards elsewhere."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dimco.search.labels import LabelKind, Labels
from dimco.search.neighbours import Neighbours
from dimco.search.where import Where
from dimco.spec import CodeSpec


class Searchable(Protocol):
    """What `CodeIndex` and `ShardedIndex` have in common."""

    @property
    def spec(self) -> CodeSpec: ...
    @property
    def ids(self) -> NDArray[np.int64]: ...
    @property
    def labels(self) -> Labels | None: ...
    @property
    def label_kind(self) -> LabelKind | None: ...

    def __len__(self) -> int: ...

    def search(
        self,
        log_probs: Any,
        n: int = 10,
        where: Where | None = None,
        *,
        kernel: str | None = None,
        threads: int | None = None,
    ) -> Neighbours:
        """The n best items of each query."""
        ...

    def reconstruct(self, ids: int | ArrayLike) -> NDArray[np.unsignedinteger]:
        """The symbols of items."""
        ...
