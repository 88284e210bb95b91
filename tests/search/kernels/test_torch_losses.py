from fractions import Fraction

import numpy as np
import pytest
import torch

from dimco.search.kernels.torch_losses import Losses
from dimco.search.layout import Layout
from dimco.spec import CodeSpec

EXTREMES = np.array([np.finfo(np.float32).min, np.finfo(np.float32).max, 1e-45, -1e-45, 0, -0.0, 1], dtype=np.float32)


def tables_of(rng, kind, shape):
    tables = rng.normal(size=shape).astype(np.float32)
    if kind == "ranges":
        tables *= (10.0 ** rng.integers(-44, 38, (1, shape[1], 1))).astype(np.float32)
    elif kind == "extreme":
        tables = rng.choice(EXTREMES, shape)
    elif kind == "minus infinity":
        tables[rng.random(shape) < 0.2] = -np.inf
        tables[:, 0] = -np.inf
    elif kind == "equal":
        tables[:] = 1e-45
    return tables


@pytest.mark.parametrize("kind", ["normal", "ranges", "extreme", "minus infinity", "equal"])
@pytest.mark.parametrize("code", ["2x13", "3x7", "4x8", "16x12", "50x6", "300x3"])
def test_the_limit_never_excludes_an_item_whose_score_reaches_the_nth(rng, kind, code):
    """Every item at least as good as the one at rank n has a computed loss within the limit."""
    spec = CodeSpec.parse(code)
    layout = Layout(spec)
    symbols = rng.integers(0, spec.k, (400, spec.d))
    tables = tables_of(rng, kind, (1, spec.d, spec.k))
    losses = Losses(layout, tables, torch.device("cpu"))
    computed = computed_losses(losses.by_column[0].numpy(), symbols, layout, rng)
    scores = np.zeros(400)
    for position in range(spec.d):
        scores += tables[0, position].astype(np.float64)[symbols[:, position]]
    for n in (1, 5, 50):
        limit = float(losses.limit(torch.tensor([np.sort(computed)[n - 1]]))[0])
        assert (computed[scores >= np.sort(scores)[::-1][n - 1]] <= limit).all()


def computed_losses(by_column, symbols, layout, rng):
    """Float32 sums of the columns, in some order."""
    total = np.zeros(len(symbols), dtype=np.float32)
    for column in rng.permutation(layout.columns):
        joint = np.zeros(len(symbols), dtype=int)
        for place in range(layout.group):
            position = column * layout.group + place
            if position < layout.spec.d:
                joint |= symbols[:, position] << place * layout.spec.bits_per_symbol
        total += by_column[column, joint]
    return total


@pytest.mark.parametrize("kind", ["normal", "ranges", "extreme"])
def test_losses_are_off_by_less_than_the_share_that_the_limit_allows(rng, kind):
    """Against rational arithmetic, up to a power of two by which all losses of a query are scaled."""
    spec = CodeSpec(4, 9)
    layout = Layout(spec)
    tables = tables_of(rng, kind, (1, 9, 4))
    losses = Losses(layout, tables, torch.device("cpu"))
    symbols = rng.integers(0, 4, (50, 9))
    computed = computed_losses(losses.by_column[0].numpy(), symbols, layout, rng)
    entries = [[Fraction(float(entry)) for entry in table] for table in tables[0]]
    exact = [sum(max(table) - table[symbol] for table, symbol in zip(entries, item, strict=True)) for item in symbols]
    largest = sum(max(table) - min(table) for table in entries)
    scale = next(Fraction(2) ** power for power in range(-400, 400) if largest * Fraction(2) ** power >= 2**99)
    share = Fraction((layout.columns + 4), 2**24)
    for one, other in zip(computed, exact, strict=True):
        assert abs(Fraction(float(one)) - other * scale) <= other * scale * share + Fraction(layout.columns + 1, 2**125)
