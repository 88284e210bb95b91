"""Index files as the shards of one collection: whether they belong together, and whether they are whole."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from dimco.cluster.manifest import Manifest, ShardFile, read_manifest
from dimco.errors import DamagedFileError, InputError
from dimco.search.index_file.check import check
from dimco.search.index_file.reader import open_index, open_stored
from dimco.search.labels import LabelKind
from dimco.spec import CodeSpec


def manifest_of(paths: Sequence[str | Path]) -> Manifest:
    """The manifest of index files that make one collection: of one spec, one type of labels, with ids apart."""
    if not paths:
        raise InputError("expected at least one index file as a shard; got none")
    described = [_described(path) for path in paths]
    (spec, kind, _), shards = described[0], sorted((shard for _, _, shard in described), key=lambda shard: shard.first)
    for other_spec, other_kind, shard in described:
        if other_spec != spec:
            raise InputError(f"expected shards of {spec}, as {paths[0]}; {shard.path} is of {other_spec}")
        if other_kind != kind:
            held = [f"labels of type {one}" if one else "no labels" for one in (kind, other_kind)]
            raise InputError(f"expected shards with {held[0]}, as {paths[0]}; {shard.path} has {held[1]}")
    for shard, after in pairwise(shards):
        if shard.last >= after.first:
            raise InputError(
                f"expected shards whose ids are apart; {shard.path} has ids up to {shard.last}, "
                f"{after.path} from {after.first}"
            )
    return Manifest(spec, kind, tuple(shards))


def check_shards(folder: str | Path) -> None:
    """Read all of every shard, and raise `DamagedFileError` naming the first thing that is damaged."""
    for shard in read_manifest(folder).shards:
        check(shard.path)
        if _described(shard.path)[2] != shard:
            raise DamagedFileError(f"{shard.path} is damaged: it is not the file that the manifest names")


def _described(path: str | Path) -> tuple[CodeSpec, LabelKind | None, ShardFile]:
    snapshot, _ = open_index(path)
    header = open_stored(path).header
    if snapshot.live == 0:
        raise InputError(f"expected shards with items; {path} has none")
    rows = [segment.live_rows() for segment in snapshot.segments]
    first = min(int(segment.ids_at(some[:1])[0]) for segment, some in zip(snapshot.segments, rows, strict=True))
    last = max(int(segment.ids_at(some[-1:])[0]) for segment, some in zip(snapshot.segments, rows, strict=True))
    size = Path(path).stat().st_size
    shard = ShardFile(str(path), snapshot.live, size, first, last, header.commit, header.directory_checksum)
    return header.spec, snapshot.label_kind, shard
