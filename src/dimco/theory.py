"""The generalization bound on the information in codes (section 3.2 of arXiv 1905.11656v2).

The statement, with every constant, is proved in docs/generalization-bound.md.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from dimco.errors import InputError

Count = Literal["codewords", "bits", "positions"]
COUNTS = ("codewords", "bits", "positions")
LEAST_SAMPLES = 3


class GeneralizationBound(NamedTuple):
    """The gap between expected and estimated information, in nats, term by term.

    Attributes
    ----------
    tasks : float
        From seeing n tasks and not all: grows with the VC dimension over n.
    samples : float
        From seeing m samples of a task and not all, as they happen to fall: grows with |X| log m over the root of m.
    bias : float
        From estimating entropies by frequencies: grows with |X||Y| over m.
    trivial : float
        The most information there can be, min(log |X|, log |Y|): a bound beyond it says nothing.
    """

    tasks: float
    samples: float
    bias: float
    trivial: float

    @property
    def total(self) -> float:
        """The sum of the three terms."""
        return self.tasks + self.samples + self.bias

    @property
    def uniform(self) -> float:
        """`tasks` + `bias`: enough when the VC dimension is that of the estimates, see the proof's second part."""
        return self.tasks + self.bias

    @property
    def vacuous(self) -> bool:
        """Whether information could not differ by so much anyway."""
        return self.total >= self.trivial


def generalization_bound(
    n: int,
    m: int,
    k: int,
    d: int,
    classes: int,
    vc_dimension: int,
    delta: float = 0.05,
    count: Count = "codewords",
) -> GeneralizationBound:
    """With probability 1 - delta, information estimated on n tasks differs from the expected by at most this.

    With L = min(log |X|, log |Y|), v the VC dimension and e the base of the natural logarithm:

    - tasks: L sqrt(8 (v log(2 e n / v) + log(8 / delta)) / n)
    - samples: (3 |X| + 2) log m sqrt(log(4 / delta) / (2 m))
    - bias: ((|X| + 1) (|Y| + 1) - 4) / m

    Parameters
    ----------
    n : int
        Tasks seen, drawn independently.
    m : int
        Labelled samples of each, at least 3.
    k, d : int
        The code.
    classes : int
        |Y|, labels of a task.
    vc_dimension : int
        v, of the encoder: the largest number of tasks that thresholds on their information split in every way.
    delta : float, default=0.05
    count : {"codewords", "bits", "positions"}, default="codewords"
        What |X| is. "codewords" is k**d, the lemma. "bits" is d log2 k, what the paper's text puts in its place: no
        theorem, but how it reads. "positions" bounds the sum over positions that is trained (eq. 7): the lemma for
        k symbols at each position, all d added, with delta / d for each.

    Returns
    -------
    GeneralizationBound
        In nats; infinite where k**d is beyond floating point.

    Examples
    --------
    >>> bound = generalization_bound(n=10_000, m=1_000_000, k=2, d=4, classes=10, vc_dimension=10)
    >>> bound.vacuous, round(bound.total, 2)
    (False, 1.64)
    """
    _check(n, m, k, d, classes, vc_dimension, delta)
    if count == "positions":
        one = _bound(n, m, math.log(k), k, classes, vc_dimension, delta / d)
        return GeneralizationBound(*(d * term for term in one))
    log_size = d * math.log(k)
    if count == "bits":
        return _bound(n, m, log_size, d * math.log2(k), classes, vc_dimension, delta)
    if count == "codewords":
        size = math.exp(log_size) if log_size < math.log(1e300) else math.inf
        return _bound(n, m, log_size, round(size) if size < 1e15 else size, classes, vc_dimension, delta)
    raise InputError(f"expected count to be one of {', '.join(COUNTS)}; got {count!r}")


def _bound(
    n: int, m: int, log_size: float, size: float, classes: int, vc_dimension: int, delta: float
) -> GeneralizationBound:
    """The three terms for |X| = size, and L from the logarithm of the number of codewords."""
    limit = min(log_size, math.log(classes))
    tasks = limit * math.sqrt(8 * (_log_growth(2 * n, vc_dimension) + math.log(8 / delta)) / n)
    samples = (3 * size + 2) * math.log(m) * math.sqrt(math.log(4 / delta) / (2 * m))
    bias = ((size + 1) * (classes + 1) - 4) / m
    return GeneralizationBound(tasks, samples, bias, limit)


def _log_growth(points: int, vc_dimension: int) -> float:
    """Logarithm of how many ways a class can split that many points: Sauer's lemma, or all of them below it."""
    if points < vc_dimension:
        return points * math.log(2)
    return vc_dimension * math.log(math.e * points / vc_dimension)


def _check(n: int, m: int, k: int, d: int, classes: int, vc_dimension: int, delta: float) -> None:
    least = {"n": (n, 1), "m": (m, LEAST_SAMPLES), "k": (k, 2), "d": (d, 1), "classes": (classes, 2)}
    for name, (value, smallest) in {**least, "vc_dimension": (vc_dimension, 1)}.items():
        if value < smallest:
            raise InputError(f"expected {name} of at least {smallest}; got {value}")
    if not 0 < delta < 1:
        raise InputError(f"expected delta between 0 and 1; got {delta}")
