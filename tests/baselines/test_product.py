"""Product quantization against faiss itself and against distances to rebuilt vectors."""

import sys

import faiss
import numpy as np
import pytest

from dimco.baselines import ProductQuantizer
from dimco.errors import InputError, MissingExtraError
from dimco.spec import CodeSpec


def rebuilt(quantizer, symbols, sizes):
    """The vectors that codes stand for."""
    parts = [quantizer.centroids[i].numpy()[symbols[:, i], :size] for i, size in enumerate(sizes)]
    return np.concatenate(parts, axis=1)


@pytest.mark.parametrize(("d", "sizes"), [(1, [7]), (2, [4, 3]), (3, [3, 2, 2]), (7, [1] * 7)])
@pytest.mark.parametrize("k", [2, 8])
def test_score_is_the_negative_squared_distance_to_the_rebuilt_vector(rng, k, d, sizes):
    x, queries = rng.normal(size=(80, 7)), rng.normal(size=(5, 7))
    quantizer = ProductQuantizer(CodeSpec(k, d)).fit(x)
    codes = quantizer.encode(x)
    vectors = rebuilt(quantizer, codes.unpack(), sizes)
    distances = np.square(queries[:, None] - vectors).sum(-1)
    np.testing.assert_allclose(quantizer.scores(queries, codes), -distances, rtol=1e-4)


@pytest.mark.parametrize(("k", "d"), [(2, 4), (16, 2), (256, 1)])
def test_centroids_and_codes_are_those_of_faiss(rng, k, d):
    x = rng.normal(size=(400, 8)).astype(np.float32)
    spec = CodeSpec(k, d)
    theirs = faiss.ProductQuantizer(8, d, spec.bits_per_symbol)
    theirs.cp.seed, theirs.cp.min_points_per_centroid = 5, 1
    theirs.train(x)
    stream = np.unpackbits(theirs.compute_codes(x), axis=1, bitorder="little")
    bits = stream[:, : spec.bits].reshape(400, d, spec.bits_per_symbol)
    ours = ProductQuantizer(spec, seed=5).fit(x)
    np.testing.assert_array_equal(ours.encode(x).unpack(), bits @ (1 << np.arange(spec.bits_per_symbol)))
    np.testing.assert_array_equal(ours.centroids.numpy().ravel(), faiss.vector_to_array(theirs.centroids))


def test_rebuilding_gets_better_with_bits(rng):
    x = rng.normal(size=(300, 8))
    errors = []
    for spec in (CodeSpec(2, 2), CodeSpec(16, 2), CodeSpec(16, 4), CodeSpec(64, 8)):
        quantizer = ProductQuantizer(spec).fit(x)
        errors.append(-quantizer.tables(x).max(-1).values.sum(1).mean().item())
    assert errors == sorted(errors, reverse=True)


def test_the_seed_decides_the_centroids(rng):
    x = rng.normal(size=(200, 6))
    first, same, other = (ProductQuantizer(CodeSpec(8, 2), seed).fit(x) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.centroids, same.centroids)
    assert not np.array_equal(first.centroids, other.centroids)


def test_few_items_fit_without_a_word(rng, capfd):
    x = rng.normal(size=(8, 4))
    quantizer = ProductQuantizer(CodeSpec(8, 2)).fit(x)
    assert tuple(capfd.readouterr()) == ("", "")
    np.testing.assert_allclose(quantizer.tables(x).max(-1).values, 0, atol=1e-10)


def test_features_that_never_change_do_no_harm():
    x = np.ones((20, 4))
    quantizer = ProductQuantizer(CodeSpec(4, 2)).fit(x)
    np.testing.assert_allclose(quantizer.scores(x, quantizer.encode(x)), 0, atol=1e-4)


def test_k_must_be_a_power_of_two():
    with pytest.raises(InputError, match="expected k to be a power of two for product quantization; got 10"):
        ProductQuantizer(CodeSpec(10, 2))


def test_fewer_items_than_centroids_are_refused(rng):
    with pytest.raises(InputError, match="expected at least 16 items to place 16 centroids; got 15"):
        ProductQuantizer(CodeSpec(16, 2)).fit(rng.normal(size=(15, 4)))


def test_without_faiss_the_extra_is_named(rng, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtraError, match=r"dimco\[faiss\]"):
        ProductQuantizer(CodeSpec(4, 2)).fit(rng.normal(size=(15, 4)))


def test_a_fitted_quantizer_works_without_faiss(rng, monkeypatch):
    x = rng.normal(size=(30, 4))
    quantizer = ProductQuantizer(CodeSpec(4, 2)).fit(x)
    expected = quantizer.encode(x)
    monkeypatch.setitem(sys.modules, "faiss", None)
    assert quantizer.encode(x) == expected
