"""A model and shards that do not fit together are found before a cluster is joined."""

from __future__ import annotations

import pytest

from dimco import CodeModel, CodeSpec, LinearHead
from dimco.backbones import Standardize
from dimco.cluster import pair
from dimco.cluster.pair import open_sharded_pair
from dimco.errors import DimcoError, InputError, MissingFileError


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model"
    CodeModel(Standardize(6), LinearHead(6, CodeSpec(k=8, d=5))).save(path)
    return path


def test_parts_that_do_not_fit_are_refused_without_a_cluster(model, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(pair, "connected", None)
    cases = [
        (model, folder, InputError, r"expected a model of 4x5 codes, as in .*shards; .*model makes 8x5 codes"),
        (model, tmp_path / "absent", MissingFileError, "no such folder of shards"),
        (tmp_path / "absent", folder, DimcoError, "no such file"),
    ]
    for name, shards, kind, line in cases:
        with pytest.raises(kind, match=line), open_sharded_pair(name, shards):
            pass
