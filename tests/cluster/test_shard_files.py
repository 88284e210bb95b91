"""Files that make one collection, and those that do not."""

from __future__ import annotations

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec
from dimco.cluster.shard_files import check_shards, manifest_of
from dimco.cluster.splitting import split_index
from dimco.errors import DamagedFileError, InputError

SPEC = CodeSpec(k=4, d=5)


def saved(path, ids, spec=SPEC, labels=None):
    index = CodeIndex(spec)
    index.add(np.zeros((len(ids), spec.d), int), ids, labels)
    index.save(path)
    return path


def test_files_that_were_built_one_by_one_are_put_in_the_order_of_their_ids(tmp_path):
    files = [saved(tmp_path / "b", [9, 20]), saved(tmp_path / "a", [3, 7, 8]), saved(tmp_path / "c", [21])]
    opened = CodeIndex.open(files[1])
    opened.remove([3])
    opened.save(files[1])
    manifest = manifest_of(files)
    assert [(shard.items, shard.first, shard.last) for shard in manifest.shards] == [(2, 7, 8), (2, 9, 20), (1, 21, 21)]
    assert [shard.path for shard in manifest.shards] == [str(files[place]) for place in (1, 0, 2)]


def test_files_that_do_not_belong_together_are_refused(tmp_path):
    one = saved(tmp_path / "one", [0, 5])
    CodeIndex(SPEC).save(tmp_path / "empty")
    cases = [
        ([], "at least one index file"),
        ([one, one], "ids are apart; .* has ids up to 5, .* from 0"),
        ([one, saved(tmp_path / "between", [3])], "ids are apart"),
        ([one, saved(tmp_path / "other", [7], CodeSpec(k=8, d=5))], "expected shards of 4x5, as .*; .*other is of 8x5"),
        ([one, saved(tmp_path / "labelled", [7], labels=["a"])], "no labels, as .*; .* has labels of type str"),
        ([one, tmp_path / "empty"], "expected shards with items; .*empty has none"),
    ]
    for paths, line in cases:
        with pytest.raises(InputError, match=line):
            manifest_of(paths)


def test_checking_reads_every_byte_and_finds_a_file_of_another_split(whole_file, tmp_path):
    for name in ("one", "two"):
        split_index(whole_file, 2, tmp_path / name)
    check_shards(tmp_path / "one")
    shard = tmp_path / "one" / "shard-1.index"
    data = shard.read_bytes()
    shard.write_bytes(data[:8200] + bytes([data[8200] ^ 1]) + data[8201:])
    with pytest.raises(DamagedFileError, match=r"shard-1\.index is damaged"):
        check_shards(tmp_path / "one")
    shard.write_bytes((tmp_path / "two" / "shard-1.index").read_bytes())
    with pytest.raises(DamagedFileError, match="not the file that the manifest names"):
        check_shards(tmp_path / "one")
