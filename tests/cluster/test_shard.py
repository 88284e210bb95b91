"""One shard by itself, in this process."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dimco import CodeIndex, Where
from dimco._version import __version__
from dimco.cluster.manifest import read_manifest
from dimco.cluster.shard import Shard
from dimco.errors import ClusterError, MissingFileError


@pytest.fixture
def file(folder):
    return read_manifest(folder).shards[1]


def test_it_answers_as_the_index_in_its_file_and_says_of_what(file, tables):
    shard, index = Shard(file), CodeIndex.open(file.path)
    answers = {
        "search": shard.search(tables, 5, Where(labels="ash"), None, 1),
        "symbols": shard.symbols(index.ids[3:5]),
        "ids": shard.ids(),
        "labels": shard.labels(),
        "about": shard.about(),
    }
    for answer in answers.values():
        assert answer[1:] == (__version__, file.commit, file.items)
    expected = index.search(tables, 5, Where(labels="ash"))
    for found, part in zip(answers["search"].value, expected, strict=True):
        assert found.tobytes() == part.tobytes()
    assert answers["symbols"].value.tolist() == index.reconstruct(index.ids[3:5]).tolist()
    assert answers["ids"].value.tolist() == index.ids.tolist()
    assert answers["labels"].value.tolist() == index.labels.tolist()
    assert answers["about"].value == index.nbytes


def test_another_file_in_its_place_is_refused(file, tmp_path):
    with pytest.raises(ClusterError, match="was written anew"):
        Shard(replace(file, commit="another")).about()
    with pytest.raises(MissingFileError):
        Shard(replace(file, path=str(tmp_path / "absent"))).about()
