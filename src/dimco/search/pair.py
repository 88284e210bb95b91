"""A model and an index of its codes, opened together."""

from __future__ import annotations

from pathlib import Path

from dimco.errors import InputError
from dimco.model import CodeModel
from dimco.search.index import CodeIndex


def open_pair(model: str | Path, index: str | Path) -> tuple[CodeModel, CodeIndex]:
    """Both, or an `InputError` if the model makes codes of another shape than those in the index."""
    loaded, opened = CodeModel.load(model), CodeIndex.open(index)
    if loaded.spec != opened.spec:
        raise InputError(f"expected a model of {opened.spec} codes, as in {index}; {model} makes {loaded.spec} codes")
    return loaded, opened
