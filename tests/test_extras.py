import importlib
import re
import sys
import tomllib
from pathlib import Path

import pytest

from dimco.errors import DimcoError, MissingExtraError
from dimco.extras import require

EXTRAS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["optional-dependencies"]
DISTRIBUTIONS = {
    "sklearn": "scikit-learn",
    "faiss": "faiss-cpu",
    "PIL": "pillow",
    "qdrant_edge": "qdrant-edge-py",
    "qdrant_client": "qdrant-client",
}


def test_an_installed_module_is_given():
    import sklearn.neighbors

    assert require("sklearn.neighbors") is sklearn.neighbors


@pytest.mark.parametrize(
    "module",
    [
        "sklearn",
        "typer",
        "rich",
        "matplotlib",
        "pandas",
        "pyarrow",
        "faiss",
        "PIL",
        "fastapi",
        "uvicorn",
        "usearch",
        "qdrant_edge",
        "qdrant_client",
        "pymilvus",
        "psycopg",
        "ray",
    ],
)
def test_the_message_names_an_extra_that_brings_the_package(monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=f"{module} is not installed") as caught:
        require(module)
    extra = re.search(r"pip install 'dimco\[(\w+)\]'", str(caught.value))[1]
    brought = [re.split(r"[\[>=<]", requirement)[0] for requirement in EXTRAS[extra]]
    assert DISTRIBUTIONS.get(module, module) in brought


def test_a_missing_submodule_of_a_missing_package_names_the_package(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "faiss"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtraError, match=r"faiss is not installed; get it with: pip install 'dimco\[faiss\]'"):
        require("faiss.contrib")


def test_the_error_can_be_caught_as_ours_and_as_an_import_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    for kind in (DimcoError, ImportError):
        with pytest.raises(kind):
            require("faiss")


def test_a_package_that_is_there_but_broken_shows_its_own_error(monkeypatch):
    def broken(_):
        raise ModuleNotFoundError("No module named 'inner'", name="inner")

    monkeypatch.setattr(importlib, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="inner") as caught:
        require("sklearn")
    assert not isinstance(caught.value, MissingExtraError)
