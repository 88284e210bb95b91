"""What quantizers share: checks of inputs, pieces, scores."""

import numpy as np
import pytest
import torch

from dimco.baselines import (
    OptimizedProductQuantizer,
    ProductQuantizer,
    Quantizer,
    ScalarQuantizer,
    TableQuantizer,
    base,
)
from dimco.codes import Codes
from dimco.errors import InputError
from dimco.spec import CodeSpec

SPEC = CodeSpec(k=4, d=3)


class NearestCorner(TableQuantizer):
    """A quantizer of a few lines: the sign of each of the first d features."""

    name = "corner"

    def _fit(self, x):
        self.scale = x.abs().mean()

    def _tables(self, queries):
        signed = queries[:, : self.spec.d] / self.scale
        return torch.stack([-signed, signed], -1)


@pytest.fixture(params=[ProductQuantizer, ScalarQuantizer, OptimizedProductQuantizer])
def quantizer(request):
    return request.param(SPEC)


def test_every_quantizer_has_the_face(quantizer):
    assert isinstance(quantizer, Quantizer)
    assert quantizer.bits == SPEC.bits == 6


def test_a_new_quantizer_needs_its_tables_alone(rng):
    x = rng.normal(size=(30, 5)).astype(np.float32)
    corner = NearestCorner(CodeSpec(2, 3)).fit(x)
    np.testing.assert_array_equal(corner.encode(x).unpack(), x[:, :3] > 0)


def test_scores_are_the_sums_of_table_lookups(quantizer, blobs, rng):
    queries = rng.normal(size=(7, 6))
    codes = quantizer.fit(blobs.x).encode(blobs.x)
    tables, symbols = quantizer.tables(queries).numpy(), codes.unpack()
    slow = [[sum(table[i, code[i]] for i in range(3)) for code in symbols] for table in tables]
    assert tables.shape == (7, 3, 4)
    np.testing.assert_allclose(quantizer.scores(queries, codes), slow, rtol=1e-5)


def test_items_are_given_the_code_nearest_to_them(quantizer, blobs):
    codes = quantizer.fit(blobs.x).encode(blobs.x)
    every = Codes(np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij"), -1).reshape(-1, 3), SPEC)
    best = quantizer.scores(blobs.x, every).argmax(1).numpy()
    assert every[best] == codes


def test_codes_do_not_depend_on_the_size_of_pieces(quantizer, blobs, monkeypatch):
    whole = quantizer.fit(blobs.x).encode(blobs.x)
    monkeypatch.setattr(base, "_CELLS_AT_ONCE", 7 * 6 * 4)
    assert quantizer.encode(blobs.x) == whole


def test_labels_are_not_used(quantizer, blobs):
    with_labels = quantizer.fit(blobs.x, blobs.labels).encode(blobs.x)
    assert type(quantizer)(SPEC).fit(blobs.x).encode(blobs.x) == with_labels


def test_lists_tensors_and_integers_are_read_alike(quantizer, rng):
    x = rng.integers(0, 9, size=(40, 6))
    expected = quantizer.fit(x).encode(x)
    for other in (x.tolist(), torch.from_numpy(x), torch.tensor(x, dtype=torch.float64, requires_grad=True)):
        assert type(quantizer)(SPEC).fit(other).encode(other) == expected


def test_use_before_fit_is_refused(quantizer, blobs):
    with pytest.raises(InputError, match="call fit first"):
        quantizer.encode(blobs.x)


def test_another_width_is_refused(quantizer, blobs):
    with pytest.raises(InputError, match="expected 6 features, as in training; got 5"):
        quantizer.fit(blobs.x).tables(blobs.x[:, :5])


def test_codes_of_another_shape_are_refused(quantizer, blobs):
    with pytest.raises(InputError, match="expected codes of 4x3; got 4x2"):
        quantizer.fit(blobs.x).scores(blobs.x, Codes([[0, 1]], CodeSpec(4, 2)))


@pytest.mark.parametrize(
    "x",
    [np.zeros(4), np.zeros((0, 6)), np.zeros((9, 2, 3)), np.full((9, 6), np.nan), np.full((9, 6), "a")],
    ids=["flat", "empty", "images", "nan", "text"],
)
def test_unfit_features_are_refused(quantizer, x):
    with pytest.raises(InputError):
        quantizer.fit(x)


def test_more_positions_than_features_are_refused(blobs):
    for kind in (ProductQuantizer, ScalarQuantizer, OptimizedProductQuantizer):
        with pytest.raises(InputError, match="at most 6 positions for 6 features; got 7"):
            kind(CodeSpec(4, 7)).fit(blobs.x)


def test_nan_in_a_later_piece_is_named_by_its_row(quantizer, blobs, monkeypatch):
    quantizer.fit(blobs.x)
    monkeypatch.setattr(base, "_CELLS_AT_ONCE", 10 * 6 * 4)
    damaged = blobs.x.copy()
    damaged[23, 1] = np.inf
    with pytest.raises(InputError, match="row 23"):
        quantizer.encode(damaged)
