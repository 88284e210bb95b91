"""The quantizers by their names in results."""

from __future__ import annotations

from collections.abc import Callable

from dimco.baselines.additive import AdditiveQuantizer
from dimco.baselines.base import TableQuantizer
from dimco.baselines.discriminant import DiscriminantQuantizer
from dimco.baselines.int8 import Int8Quantizer
from dimco.baselines.itq import IterativeQuantizer
from dimco.baselines.local_search import LocalSearchQuantizer
from dimco.baselines.optimized import OptimizedProductQuantizer
from dimco.baselines.product import ProductQuantizer
from dimco.baselines.residual import ResidualQuantizer
from dimco.baselines.scalar import ScalarQuantizer
from dimco.baselines.sign import SignQuantizer
from dimco.errors import InputError
from dimco.spec import CodeSpec

QUANTIZERS: dict[str, Callable[[CodeSpec, int], TableQuantizer | AdditiveQuantizer]] = {
    "sq": lambda spec, seed: ScalarQuantizer(spec),
    "pq": ProductQuantizer,
    "opq": OptimizedProductQuantizer,
    "rq": ResidualQuantizer,
    "lsq": LocalSearchQuantizer,
    "itq": IterativeQuantizer,
    "sign": SignQuantizer,
    "int8": lambda spec, seed: Int8Quantizer(spec),
    "lda-pq": DiscriminantQuantizer,
}
"""From a `CodeSpec` and a seed to a quantizer."""


def make_quantizer(name: str, spec: CodeSpec, seed: int = 0) -> TableQuantizer | AdditiveQuantizer:
    """The quantizer of that name; `InputError` if there is none, or if it makes no code of that shape."""
    if name not in QUANTIZERS:
        raise InputError(f"expected a quantizer among {', '.join(QUANTIZERS)}; got {name!r}")
    return QUANTIZERS[name](spec, seed)


def why_not(name: str, spec: CodeSpec, features: int, classes: int | None = None) -> str | None:
    """Why the quantizer of that name makes no code of that shape; None if it does.

    Parameters
    ----------
    name : str
        A key of `QUANTIZERS`.
    spec : CodeSpec
    features : int
        Width of the items.
    classes : int, optional
        Number of classes of the labels; it limits "lda-pq" alone.

    Examples
    --------
    >>> why_not("itq", CodeSpec(16, 4), 64)
    'expected k = 2 for a binary code; got 16'
    >>> why_not("pq", CodeSpec(16, 4), 64) is None
    True
    """
    if name == DiscriminantQuantizer.name and classes is not None:
        features = min(features, classes - 1)
    try:
        make_quantizer(name, spec).check_width(features)
    except InputError as error:
        return str(error)
    return None
