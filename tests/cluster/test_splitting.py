"""Splitting an index: every item in one shard, as it was, or nothing written."""

from __future__ import annotations

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec
from dimco.cluster import splitting
from dimco.cluster.manifest import read_manifest
from dimco.cluster.splitting import split_index
from dimco.errors import FileError, ForeignFileError, InputError, MissingFileError


@pytest.mark.parametrize("shards", [1, 3, 11])
def test_the_shards_hold_every_item_once_with_its_id_and_label(whole, whole_file, tmp_path, shards):
    before = whole_file.read_bytes()
    manifest = split_index(whole_file, shards, tmp_path / "shards")
    opened = [CodeIndex.open(shard.path) for shard in manifest.shards]
    sizes = [len(one) for one in opened]
    assert sizes == [shard.items for shard in manifest.shards]
    assert (len(sizes), sum(sizes), max(sizes) - min(sizes) <= 1) == (shards, len(whole), True)
    ids = np.concatenate([one.ids for one in opened])
    assert ids.tolist() == whole.ids.tolist()
    assert [label for one in opened for label in one.labels] == whole.labels.tolist()
    assert [row for one in opened for row in one.reconstruct(one.ids).tolist()] == whole.reconstruct(ids).tolist()
    for one, shard in zip(opened, manifest.shards, strict=True):
        assert (shard.first, shard.last) == (one.ids[0], one.ids[-1])
    assert whole_file.read_bytes() == before


def test_an_index_without_labels_and_with_consecutive_ids_stays_so(tmp_path):
    index = CodeIndex(CodeSpec(k=2, d=3))
    index.add(np.zeros((130, 3), int))
    index.save(tmp_path / "codes.index")
    manifest = split_index(tmp_path / "codes.index", 2, tmp_path / "shards")
    assert manifest.label_kind is None
    assert [(shard.first, shard.last) for shard in manifest.shards] == [(0, 64), (65, 129)]
    assert CodeIndex.open(manifest.shards[1].path).add([[1, 1, 1]]).tolist() == [130]


def test_what_cannot_be_split_is_one_line_and_nothing_is_written(whole_file, tmp_path):
    CodeIndex(CodeSpec(k=4, d=5)).save(tmp_path / "empty.index")
    full = tmp_path / "full"
    full.mkdir()
    (full / "file").write_text("not codes")
    cases = [
        ((whole_file, 0, tmp_path / "a"), InputError, "expected at least 1 shard; got 0"),
        ((whole_file, 10_000, tmp_path / "a"), InputError, "for 10000 shards; .* has 564"),
        ((tmp_path / "empty.index", 1, tmp_path / "a"), InputError, "at least 1 items for 1 shards; .* has 0"),
        ((whole_file, 2, full), InputError, "not there yet, or empty"),
        ((whole_file, 2, full / "file"), InputError, "not there yet, or empty"),
        ((tmp_path / "absent", 2, tmp_path / "a"), MissingFileError, "no such file"),
        ((full / "file", 2, tmp_path / "a"), ForeignFileError, "not a dimco index file"),
        ((whole_file, 2, tmp_path / "no" / "a"), FileError, "cannot write"),
    ]
    before = sorted(tmp_path.rglob("*"))
    for arguments, kind, line in cases:
        with pytest.raises(kind, match=line):
            split_index(*arguments)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_interrupted_split_leaves_no_folder(whole_file, tmp_path, monkeypatch):
    def fails(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(splitting, "write_manifest", fails)
    with pytest.raises(KeyboardInterrupt):
        split_index(whole_file, 2, tmp_path / "shards")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_taken(whole_file, tmp_path):
    (tmp_path / "shards").mkdir()
    split_index(whole_file, 2, tmp_path / "shards")
    names = sorted(path.name for path in (tmp_path / "shards").iterdir())
    assert names == ["manifest.json", "shard-0.index", "shard-1.index"]
    assert read_manifest(tmp_path / "shards").items == 564
