"""Splitting an index into shards: ranges of ids, an index file each, and a manifest."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from dimco.atomic import atomic_folder
from dimco.cluster.manifest import Manifest, read_manifest, write_manifest
from dimco.cluster.shard_files import manifest_of
from dimco.errors import InputError
from dimco.search.compaction import compacted
from dimco.search.index_file.reader import open_index
from dimco.search.index_file.save import save_index


def split_index(index: str | Path, shards: int, folder: str | Path) -> Manifest:
    """Write an index as shards in a new folder; ids and labels stay as they are, and what was removed is left out.

    Parameters
    ----------
    index : str or Path
        An index file; it stays as it is.
    shards : int
        Of as equal a number of items as can be, each a range of the ids.
    folder : str or Path
        Not there yet, or empty. It is there with all its files, or not at all.

    Returns
    -------
    Manifest
    """
    folder = Path(folder)
    if shards < 1:
        raise InputError(f"expected at least 1 shard; got {shards}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"expected a folder for the shards that is not there yet, or empty; got {folder}")
    snapshot, _ = open_index(index)
    ids = snapshot.live_ids()[0]
    if len(ids) < shards:
        raise InputError(f"expected an index of at least {shards} items for {shards} shards; {index} has {len(ids)}")
    bounds = [len(ids) * number // shards for number in range(shards + 1)]
    with atomic_folder(folder) as making:
        paths = [making / f"shard-{number:0{len(str(shards - 1))}}.index" for number in range(shards)]
        for path, (start, end) in zip(paths, pairwise(bounds), strict=True):
            others = np.concatenate([ids[:start], ids[end:]])
            save_index(path, compacted(snapshot.without(others)), None)
        write_manifest(making, manifest_of(paths))
    return read_manifest(folder)
