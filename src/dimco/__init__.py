"""dimco: compact discrete codes learned from labels, searched exactly, with symbols you can read."""

from typing import TYPE_CHECKING, Any

from dimco._version import __version__
from dimco.codes import Codes
from dimco.heads import LinearHead, MLPHead
from dimco.model import CodeModel
from dimco.objectives import DecoderInfomax, Infomax
from dimco.spec import CodeSpec

if TYPE_CHECKING:
    from dimco.estimators import DimcoClassifier, DimcoEncoder

_LAZY = {"DimcoClassifier": "dimco.estimators", "DimcoEncoder": "dimco.estimators"}


def __getattr__(name: str) -> Any:
    """Import what needs an extra only when it is asked for."""
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'dimco' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])


__all__ = [
    "CodeModel",
    "CodeSpec",
    "Codes",
    "DecoderInfomax",
    "DimcoClassifier",
    "DimcoEncoder",
    "Infomax",
    "LinearHead",
    "MLPHead",
    "__version__",
]
