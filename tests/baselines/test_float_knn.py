"""Float vectors against scipy's distances."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from dimco.baselines import FloatKNN
from dimco.errors import InputError


def test_score_is_the_negative_squared_distance(rng):
    x, queries = rng.normal(size=(30, 5)).astype(np.float32), rng.normal(size=(4, 5)).astype(np.float32)
    knn = FloatKNN().fit(x)
    np.testing.assert_allclose(knn.scores(queries, knn.encode(x)), -cdist(queries, x, "sqeuclidean"), rtol=1e-5)


def test_score_is_exact_far_from_the_origin(rng):
    x = (rng.normal(size=(30, 5)) + 1000).astype(np.float32)
    knn = FloatKNN().fit(x)
    np.testing.assert_allclose(knn.scores(x[:4], knn.encode(x)), -cdist(x[:4], x, "sqeuclidean"), rtol=1e-5, atol=1e-7)


def test_equal_items_tie(rng):
    x = np.repeat(rng.normal(size=(10, 5)), 7, axis=0)
    knn = FloatKNN().fit(x)
    scores = knn.scores(rng.normal(size=(9, 5)), knn.encode(x)).reshape(9, 10, 7)
    assert (scores == scores[:, :, :1]).all()


def test_an_item_takes_four_bytes_a_feature(rng):
    knn = FloatKNN().fit(rng.normal(size=(3, 64)))
    assert knn.bits == 2048
    assert knn.encode(rng.normal(size=(3, 64))).element_size() == 4


def test_unfit_input_is_refused(rng):
    with pytest.raises(InputError, match="call fit first"):
        FloatKNN().encode(np.zeros((2, 3)))
    with pytest.raises(InputError, match="call fit first"):
        _ = FloatKNN().bits
    with pytest.raises(InputError, match="row 1 holds NaN"):
        FloatKNN().fit([[0.0], [np.nan]])
    knn = FloatKNN().fit(np.zeros((2, 3)))
    with pytest.raises(InputError, match="expected 3 features, as in training; got 4"):
        knn.scores(np.zeros((2, 3)), FloatKNN().fit(np.zeros((2, 4))).encode(np.zeros((2, 4))))
