"""The best code for a number of bits: settings compared on a held-out part of the training set."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.errors import InputError
from dimco.evaluation import evaluate
from dimco.fitting import FitSettings, fit_code
from dimco.randomness import generator
from dimco.spec import MAX_D, CodeSpec
from dimco.training.split import held_out_split

_HELD_OUT = 0.2
_MOST_ITEMS = 20_000
_WIDTHS = (4, 8, 2, 1)


@dataclass(frozen=True)
class Trial:
    """Settings that were tried, and what they scored.

    Attributes
    ----------
    settings : FitSettings
    top1 : float
        Percent of the held-out items that the vote of the stored codes names rightly.
    seconds : float
    """

    settings: FitSettings
    top1: float
    seconds: float


def code_shapes(bits: int) -> list[CodeSpec]:
    """The codes of exactly that many bits worth trying, those of 16 symbols first, which are fastest to search."""
    if isinstance(bits, bool) or not isinstance(bits, (int, np.integer)) or bits < 1:
        raise InputError(f"expected a whole number of bits an item, at least 1; got {bits!r}")
    shapes = [CodeSpec(2**width, bits // width) for width in _WIDTHS if bits % width == 0 and bits // width <= MAX_D]
    if not shapes:
        raise InputError(f"expected a number of bits that {MAX_D} positions of 1 to 8 bits can make; got {bits}")
    return shapes


def choose_settings(
    x: Any,
    labels: NDArray[np.int64],
    classes: int,
    bits: int,
    base: FitSettings | None = None,
    time_budget: float = 60.0,
    on_trial: Callable[[Trial], None] | None = None,
) -> tuple[FitSettings, list[Trial]]:
    """Find the settings that classify held-out items best with `bits` bits an item.

    A fifth of each class is held out. At most 20,000 items take part, so that a trial is short whatever
    the size of the data. The most promising settings are tried first, and no trial starts that would
    end after the budget, judged by the longest one so far; the first is always made.

    Parameters
    ----------
    x : array, memory-mapped array or Tensor of shape (N, features)
    labels : ndarray of shape (N,), int64
    classes : int
    bits : int
    base : FitSettings, optional
        Where seed, device and what else is not chosen come from; its held-out part and patience are for the
        last fit alone.
    time_budget : float, default=60.0
        Seconds for all trials together; the fit with the settings chosen comes after it.
    on_trial : callable, optional
        Called with each `Trial`.

    Returns
    -------
    FitSettings, list of Trial
        Of settings that score alike, those tried first.
    """
    if not time_budget >= 0:
        raise InputError(f"expected a time budget of at least 0 seconds; got {time_budget}")
    start = time.perf_counter()
    base = base or FitSettings()
    support, query = _parts(x, labels, base.seed)
    neighbours = max(1, min(200, int(np.sqrt(len(support[1])))))
    trials: list[Trial] = []
    for settings in _candidates(bits, replace(base, held_out=0.0, patience=None)):
        longest = max((trial.seconds for trial in trials), default=0.0)
        if trials and time.perf_counter() - start + longest > time_budget:
            break
        began = time.perf_counter()
        model = fit_code(*support, classes, settings).model
        top1 = evaluate(model, support, query, neighbours).top1
        trials.append(Trial(settings, top1, time.perf_counter() - began))
        if on_trial is not None:
            on_trial(trials[-1])
    best = max(trials, key=lambda trial: trial.top1).settings
    return replace(best, held_out=base.held_out, patience=base.patience), trials


def _candidates(bits: int, base: FitSettings) -> Iterator[FitSettings]:
    """Settings from the most promising on: other objectives and heads first, then other shapes, then lambdas."""
    shapes = code_shapes(bits)
    for shape in shapes:
        code = replace(base, k=shape.k, d=shape.d)
        yield replace(code, objective="decoder", head="codeword")
        yield replace(code, objective="decoder", head="mlp")
        yield replace(code, objective="infomax", head="linear")
    for shape in shapes:
        code = replace(base, k=shape.k, d=shape.d)
        for independence in (0.3, 3.0):
            yield replace(code, objective="infomax", head="mlp", independence=independence)


def _parts(x: Any, labels: NDArray[np.int64], seed: int) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Support and queries from the training set, both small enough to hold in memory."""
    rng = generator(seed, "selection")
    kept, asked = held_out_split(labels, _HELD_OUT, rng)
    share = min(1.0, _MOST_ITEMS / len(labels))
    if share < 1:
        fewer = [max(1, int(len(rows) * share)) for rows in (kept, asked)]
        kept, asked = (
            np.sort(rng.choice(rows, n, replace=False)) for rows, n in zip((kept, asked), fewer, strict=True)
        )
    return (x[kept], labels[kept]), (x[asked], labels[asked])
