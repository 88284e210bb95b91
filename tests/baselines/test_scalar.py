"""Scalar quantization against scikit-learn's k-means and PCA."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from dimco.baselines import ScalarQuantizer
from dimco.baselines.scalar import lloyd_levels
from dimco.spec import CodeSpec


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("draw", ["normal", "exponential", "uniform"])
def test_levels_are_those_of_k_means_from_even_ranks(rng, draw, k):
    values = getattr(rng, draw)(size=500)
    start = np.sort(values)[[(2 * i + 1) * 500 // (2 * k) for i in range(k)]]
    means = KMeans(k, init=start[:, None], n_init=1, tol=0, max_iter=1000).fit(values[:, None])
    np.testing.assert_allclose(lloyd_levels(values, k), np.sort(means.cluster_centers_[:, 0]), rtol=1e-9)


def test_levels_are_the_means_of_their_own_items(rng):
    values = np.round(rng.gamma(1.0, size=400), 1)
    levels = lloyd_levels(values, 6)
    nearest = np.abs(values[:, None] - levels).argmin(1)
    np.testing.assert_allclose(levels, [values[nearest == i].mean() for i in range(6)])


def test_no_level_is_left_without_items(rng):
    for draw in range(200):
        values = np.round(rng.standard_cauchy(size=30), 1)
        k = int(rng.integers(2, 10))
        levels = lloyd_levels(values, k)
        assert (np.diff(levels) > 0).all()
        assert len(np.unique(np.abs(values[:, None] - levels).argmin(1))) == k, draw


def test_few_values_are_levels_themselves():
    np.testing.assert_array_equal(lloyd_levels(np.array([2.0, 1.0, 2.0, 7.0]), 5), [1, 2, 7, 7, 7])


def test_repeated_levels_are_given_one_symbol():
    quantizer = ScalarQuantizer(CodeSpec(5, 1)).fit([[2.0], [1.0], [7.0]])
    np.testing.assert_array_equal(quantizer.encode([[9.0], [1.1], [2.0]]).unpack()[:, 0], [2, 0, 1])


def test_with_a_position_a_feature_features_are_quantized_as_they_are(rng):
    x, queries = rng.normal(size=(60, 3)), rng.normal(size=(4, 3))
    quantizer = ScalarQuantizer(CodeSpec(5, 3)).fit(x)
    levels = np.stack([lloyd_levels(column, 5) for column in x.astype(np.float32).T])
    np.testing.assert_allclose(quantizer.levels, levels, rtol=1e-5)
    np.testing.assert_allclose(
        quantizer.tables(queries), -np.square(queries[:, :, None] - levels), rtol=1e-4, atol=1e-6
    )


def test_with_fewer_positions_principal_components_are_quantized(rng):
    x = rng.normal(size=(200, 6)) * [5, 1, 4, 1, 3, 1] + 10
    queries = rng.normal(size=(4, 6)) + 10
    quantizer = ScalarQuantizer(CodeSpec(7, 3)).fit(x)
    pca = PCA(3).fit(x)
    components, asked = pca.transform(x), pca.transform(queries)
    levels = np.stack([lloyd_levels(column, 7) for column in components.T])
    theirs = -np.square(asked[:, :, None] - levels)
    ours = quantizer.tables(queries).numpy()
    mirrored = -np.square(-asked[:, :, None] - levels)
    for position in range(3):
        either = [np.sort(t[:, position], axis=1) for t in (theirs, mirrored)]
        found = np.sort(ours[:, position], axis=1)
        assert any(np.allclose(found, expected, rtol=0.05, atol=0.05) for expected in either)
    error = -quantizer.tables(x).max(-1).values.mean(0).numpy()
    assert (error < components.var(0) / 10).all()


@pytest.mark.parametrize("k", [2, 3, 300])
def test_any_k_is_taken(rng, k):
    x = rng.normal(size=(40, 4))
    codes = ScalarQuantizer(CodeSpec(k, 2)).fit(x).encode(x)
    assert codes.spec == CodeSpec(k, 2)
    assert codes.unpack().max() < k


def test_features_that_never_change_and_a_single_item_do_no_harm():
    quantizer = ScalarQuantizer(CodeSpec(4, 2)).fit(np.full((1, 3), 2.5))
    np.testing.assert_allclose(quantizer.tables(np.full((1, 3), 2.5)), 0)
