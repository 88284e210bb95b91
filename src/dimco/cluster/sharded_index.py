"""ShardedIndex: codes in shards on a Ray cluster, searched as one index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dimco.cluster.asking import Question, Shards
from dimco.cluster.connecting import connect
from dimco.cluster.manifest import Manifest, read_manifest
from dimco.cluster.merge import merged
from dimco.cluster.replicas import CLOSED, ReplicaSet
from dimco.cluster.room import reserve
from dimco.cluster.shard_files import manifest_of
from dimco.errors import ClusterError, InputError
from dimco.extras import require
from dimco.search.items import read_ids
from dimco.search.labels import LabelKind, Labels
from dimco.search.neighbours import Neighbours
from dimco.search.queries import read_count, read_queries
from dimco.search.where import Where
from dimco.spec import CodeSpec

_BYTES_TO_SHARE = 1 << 16


class ShardedIndex:
    """Codes in shards, each in a process of a Ray cluster, searched exactly by sum_i log p_i[c_i] (eq. 8).

    Made by `ShardedIndex.open`; it answers as the `CodeIndex` of the same items does, ids and score bits alike, and
    any number of threads may ask. It does not change: change the index and split it again.

    Parameters
    ----------
    manifest : Manifest
        With paths that every node of the cluster sees.
    replicas : int, default=1
        Processes for each shard, on nodes apart where there are so many.
    timeout : float, default=60
        Seconds that one process may take for one answer.

    Attributes
    ----------
    spec : CodeSpec
    ids : ndarray of int64, shape (len(index),)
        The ids of all items, increasing.
    labels : ndarray of shape (len(index),), or None
        The labels of all items, in the order of `ids`; None if they have none.
    label_kind : "int", "str" or None
    nbytes : int
        Bytes the items take, mapped, not counting replicas.

    Notes
    -----
    A process that is lost is started again from its file and asked again, up to three times in all; then the query
    is refused with `ClusterError`. Every answer says of how many items of which commit of its file it is; unless these
    are all items of the manifest, the query is refused.
    """

    def __init__(self, manifest: Manifest, replicas: int = 1, timeout: float = 60.0) -> None:
        if isinstance(replicas, bool) or not isinstance(replicas, (int, np.integer)) or replicas < 1:
            raise InputError(f"expected replicas to be an integer of at least 1; got {replicas!r}")
        if not 0 < timeout < float("inf"):
            raise InputError(f"expected a timeout in seconds above 0; got {timeout!r}")
        self._manifest, self._replicas = manifest, int(replicas)
        groups = reserve(manifest.shards, self._replicas)
        self._sets = [
            ReplicaSet(file, group, self._replicas) for file, group in zip(manifest.shards, groups, strict=True)
        ]
        self._shards: Shards | None = Shards(manifest, self._sets, timeout)
        try:
            self._shards.ask_every_replica("about")
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(
        cls,
        shards: str | Path | Sequence[str | Path],
        *,
        replicas: int = 1,
        address: str | None = None,
        timeout: float = 60.0,
    ) -> ShardedIndex:
        """The collection in a folder that `dimco index split` wrote, or in index files whose ids are apart.

        Parameters
        ----------
        shards : str, Path or list of them
            Every node of the cluster must see the files under the same absolute path.
        replicas : int, default=1
        address : str, optional
            Of a Ray cluster, as `dimco.cluster.connecting.connect` takes it.
        timeout : float, default=60
            Seconds that one process may take for one answer.

        Raises
        ------
        ClusterError
            There is no cluster at the address, it has not enough memory, or a shard cannot be started.
        """
        if isinstance(shards, (str, Path)):
            manifest = read_manifest(Path(shards).resolve())
        else:
            manifest = manifest_of([Path(path).resolve() for path in shards])
        connect(address)
        return cls(manifest, replicas, timeout)

    def close(self) -> None:
        """End the processes and give back their memory; nothing can be asked afterwards."""
        self._shards = None
        if not require("ray").is_initialized():
            return
        for one in self._sets:
            one.stop()

    def search(
        self,
        log_probs: Any,
        n: int = 10,
        where: Where | None = None,
        *,
        kernel: str | None = None,
        threads: int | None = None,
    ) -> Neighbours:
        """The n best items of each query: ids, scores and labels.

        Parameters
        ----------
        log_probs : array or Tensor of shape (d, k), or (Q, d, k) for many queries
            log p of each symbol at each position, as `CodeModel.log_probs` gives; finite or -infinity. They are
            used as float32.
        n : int
        where : Where, optional
            Which items may be returned; all by default.
        kernel, threads : optional
            As of `CodeIndex.search`, in the process of each shard.

        Returns
        -------
        Neighbours
            Highest score first, equal scores by the smaller id; fewer than n where there are fewer items.
        """
        tables, single = read_queries(log_probs, self.spec)
        count = read_count(n)
        sent = require("ray").put(tables) if tables.nbytes > _BYTES_TO_SHARE else tables
        found = merged(self._asked.ask_all("search", sent, count, where, kernel, threads), count)
        if not single:
            return found
        return Neighbours(found.ids[0], found.scores[0], None if found.labels is None else found.labels[0])

    def reconstruct(self, ids: int | ArrayLike) -> NDArray[np.unsignedinteger]:
        """The symbols, of shape (d,), of the item with an id; of shape (N, d) for a list of ids."""
        wanted = read_ids(ids)
        firsts = np.array([shard.first for shard in self._manifest.shards])
        owners = np.searchsorted(firsts[1:], wanted, side="right")
        owning = np.unique(owners).tolist()
        answers = self._asked.ask([Question(shard, "symbols", (wanted[owners == shard],)) for shard in owning])
        symbols = np.empty((len(wanted), self.spec.d), dtype=self.spec.dtype)
        for shard, answer in zip(owning, answers, strict=True):
            symbols[owners == shard] = answer.value
        return symbols[0] if np.ndim(ids) == 0 else symbols

    @property
    def spec(self) -> CodeSpec:
        """The shape of the codes."""
        return self._manifest.spec

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of all items, increasing."""
        return np.concatenate(self._asked.ask_all("ids"))

    @property
    def labels(self) -> Labels | None:
        """The labels of all items, in the order of `ids`; None if they have none."""
        parts = self._asked.ask_all("labels")
        return None if self.label_kind is None else np.concatenate(parts)

    @property
    def label_kind(self) -> LabelKind | None:
        """The type of the labels, "int" or "str"; None if items have none."""
        return self._manifest.label_kind

    @property
    def nbytes(self) -> int:
        """Bytes the items take, mapped, not counting replicas."""
        return sum(self._asked.ask_all("about"))

    def add(self, *_: Any, **__: Any) -> NoReturn:
        """Refused: change the index and split it again."""
        raise _unchanging()

    remove = update = merge = compact = save = add

    @property
    def _asked(self) -> Shards:
        if self._shards is None:
            raise ClusterError(CLOSED)
        return self._shards

    def __len__(self) -> int:
        return self._manifest.items

    def __enter__(self) -> ShardedIndex:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        shards, each = len(self._manifest.shards), "" if self._replicas == 1 else f", {self._replicas} of each"
        return f"ShardedIndex({len(self)} items of {self.spec} in {shards} shards{each})"


def _unchanging() -> InputError:
    return InputError(
        "expected to search a sharded index only: change the index it was split from, and run `dimco index split` again"
    )
