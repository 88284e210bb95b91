"""Finding the data folder."""

from __future__ import annotations

import pytest

from dimco.datasets import data_folder
from dimco.errors import MissingFileError


def test_the_environment_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DIMCO_DATA", str(tmp_path))
    assert data_folder() == tmp_path


def test_without_it_the_folder_beside_the_project_is_used(tmp_path, monkeypatch):
    monkeypatch.delenv("DIMCO_DATA", raising=False)
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    assert data_folder().resolve() == tmp_path / "shared" / "data"


def test_an_absent_folder_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("DIMCO_DATA", str(tmp_path / "absent"))
    with pytest.raises(MissingFileError, match=r"expected the data folder at .*absent; set DIMCO_DATA"):
        data_folder()
