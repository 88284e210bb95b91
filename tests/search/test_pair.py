"""A model and an index belong together, or are refused together."""

from __future__ import annotations

import pytest

from dimco import CodeIndex, CodeModel, CodeSpec, LinearHead
from dimco.backbones import Standardize
from dimco.errors import InputError
from dimco.search.pair import open_pair


@pytest.fixture
def model(tmp_path):
    CodeModel(Standardize(3), LinearHead(3, CodeSpec(4, 2))).save(tmp_path / "model")
    return tmp_path / "model"


def test_both_are_opened(model, tmp_path):
    index = CodeIndex(CodeSpec(4, 2))
    index.add([[0, 1]])
    index.save(tmp_path / "index")
    loaded, opened = open_pair(model, tmp_path / "index")
    assert (loaded.spec, len(opened)) == (CodeSpec(4, 2), 1)


def test_another_shape_is_refused(model, tmp_path):
    CodeIndex(CodeSpec(4, 3)).save(tmp_path / "index")
    with pytest.raises(InputError, match=r"expected a model of 4x3 codes, as in .*index; .*model makes 4x2 codes"):
        open_pair(model, tmp_path / "index")
