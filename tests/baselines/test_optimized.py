"""Optimized product quantization against product quantization, faiss and plain distances."""

import faiss
import numpy as np
import pytest

from dimco.baselines import OptimizedProductQuantizer, ProductQuantizer
from dimco.errors import InputError
from dimco.spec import CodeSpec


def loss(quantizer, x):
    return -quantizer.tables(x).max(-1).values.sum(1).mean().item()


@pytest.fixture
def correlated(rng):
    """400 items of 8 features that are mixtures of a few strong directions."""
    return (rng.normal(size=(400, 8)) * [8, 6, 3, 1, 0.5, 0.3, 0.2, 0.1] @ rng.normal(size=(8, 8))).astype(np.float32)


@pytest.mark.parametrize(("k", "d"), [(2, 4), (4, 2), (8, 4), (16, 2)])
def test_correlated_features_lose_less_than_without_the_rotation(correlated, k, d):
    spec = CodeSpec(k, d)
    rotated, plain = OptimizedProductQuantizer(spec).fit(correlated), ProductQuantizer(spec).fit(correlated)
    assert loss(rotated, correlated) < loss(plain, correlated)


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
def test_the_rotation_keeps_distances_where_d_divides_the_features_or_not(correlated, d):
    rotation = OptimizedProductQuantizer(CodeSpec(4, d)).fit(correlated).rotation.numpy()
    assert rotation.shape == (8, -(-8 // d) * d)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(8), atol=1e-5)


def test_score_is_the_negative_squared_distance_to_the_rebuilt_vector(correlated, rng):
    queries = rng.normal(size=(5, 8)).astype(np.float32)
    quantizer = OptimizedProductQuantizer(CodeSpec(8, 3)).fit(correlated)
    codes = quantizer.encode(correlated)
    parts = quantizer._product.centroids.numpy()
    slow = [np.concatenate([parts[i, symbol] for i, symbol in enumerate(code)]) for code in codes.unpack()]
    distances = np.square((queries @ quantizer.rotation.numpy())[:, None] - np.stack(slow)).sum(-1)
    np.testing.assert_allclose(quantizer.scores(queries, codes), -distances, rtol=1e-4)


@pytest.mark.parametrize(("k", "d"), [(4, 4), (16, 2), (16, 8)])
def test_rotation_and_codes_are_those_of_faiss_with_a_transform_before_the_quantizer(correlated, k, d):
    rotation, inner, theirs = (
        faiss.OPQMatrix(8, d, 8),
        *(faiss.ProductQuantizer(8, d, k.bit_length() - 1) for _ in "ab"),
    )
    for quantizer in (inner, theirs):
        quantizer.cp.seed, quantizer.cp.min_points_per_centroid = 5, 1
    rotation.pq = inner
    rotation.train(correlated)
    rotated = rotation.apply(correlated)
    theirs.train(rotated)
    expected = np.square(rotated - theirs.decode(theirs.compute_codes(rotated))).sum(1).mean()
    ours = OptimizedProductQuantizer(CodeSpec(k, d), seed=5).fit(correlated)
    np.testing.assert_allclose(correlated @ ours.rotation.numpy(), rotated, rtol=1e-4, atol=1e-4)
    assert loss(ours, correlated) == pytest.approx(expected, rel=0.01)


def test_the_same_seed_gives_the_same_codes(correlated):
    first, again = (OptimizedProductQuantizer(CodeSpec(8, 2), 3).fit(correlated).encode(correlated) for _ in "ab")
    assert first == again


def test_few_items_fit_without_a_word(rng, capfd):
    OptimizedProductQuantizer(CodeSpec(8, 2)).fit(rng.normal(size=(8, 4)))
    assert tuple(capfd.readouterr()) == ("", "")


def test_k_must_be_a_power_of_two():
    with pytest.raises(InputError, match="a power of two for optimized product quantization; got 10"):
        OptimizedProductQuantizer(CodeSpec(10, 2))


def test_fewer_items_than_centroids_are_refused(rng):
    with pytest.raises(InputError, match="expected at least 16 items to place 16 centroids; got 15"):
        OptimizedProductQuantizer(CodeSpec(16, 2)).fit(rng.normal(size=(15, 4)))
