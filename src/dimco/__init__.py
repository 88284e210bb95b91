"""dimco: compact discrete codes learned from labels, searched exactly, with symbols you can read."""

from typing import TYPE_CHECKING, Any

from dimco._version import __version__
from dimco.codes import Codes
from dimco.heads import LinearHead, MLPHead
from dimco.model import CodeModel
from dimco.objectives import DecoderInfomax, Infomax
from dimco.spec import CodeSpec

if TYPE_CHECKING:
    from dimco.codebook import Codebook
    from dimco.estimators import DimcoClassifier, DimcoEncoder
    from dimco.fewshot import DimcoFewShot
    from dimco.search.index import CodeIndex
    from dimco.search.where import Where

_LAZY = {
    "CodeIndex": "dimco.search.index",
    "Codebook": "dimco.codebook",
    "DimcoClassifier": "dimco.estimators",
    "DimcoEncoder": "dimco.estimators",
    "DimcoFewShot": "dimco.fewshot",
    "Where": "dimco.search.where",
}


def __getattr__(name: str) -> Any:
    """Import what needs an extra, and the search, only when it is asked for."""
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'dimco' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])


__all__ = [
    "CodeIndex",
    "CodeModel",
    "CodeSpec",
    "Codebook",
    "Codes",
    "DecoderInfomax",
    "DimcoClassifier",
    "DimcoEncoder",
    "DimcoFewShot",
    "Infomax",
    "LinearHead",
    "MLPHead",
    "Where",
    "__version__",
]
