"""Residual quantization against k-means of residuals."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from dimco.baselines import ProductQuantizer, ResidualQuantizer
from dimco.spec import CodeSpec


def loss(quantizer, x):
    return np.square(x - quantizer.decode(quantizer.encode(x)).numpy()).sum(1).mean()


@pytest.fixture
def x(rng):
    return (rng.normal(size=(600, 6)) @ rng.normal(size=(6, 6))).astype(np.float32)


@pytest.mark.parametrize("k", [2, 4, 8, 16])
def test_one_stage_is_k_means(x, k):
    quantizer = ResidualQuantizer(CodeSpec(k, 1)).fit(x)
    distances = np.square(x[:, None] - quantizer.codebooks[0].numpy()).sum(-1)
    np.testing.assert_array_equal(quantizer.encode(x).unpack()[:, 0], distances.argmin(1))
    assert loss(quantizer, x) == pytest.approx(KMeans(k, n_init=10, random_state=0).fit(x).inertia_ / 600, rel=0.1)


@pytest.mark.parametrize("spec", [CodeSpec(2, 3), CodeSpec(4, 3), CodeSpec(16, 4)], ids=str)
def test_is_no_worse_than_greedy_k_means_of_residuals(x, spec):
    left = x.copy()
    for _ in range(spec.d):
        means = KMeans(spec.k, n_init=5, random_state=0).fit(left)
        left -= means.cluster_centers_[means.labels_]
    assert loss(ResidualQuantizer(spec).fit(x), x) < 1.1 * np.square(left).sum(1).mean()


def test_correlated_features_lose_less_than_by_product_quantization(x):
    spec = CodeSpec(8, 3)
    product = -ProductQuantizer(spec).fit(x).tables(x).max(-1).values.sum(1).mean().item()
    assert loss(ResidualQuantizer(spec).fit(x), x) < product


def test_codes_do_not_depend_on_the_rows_beside(x):
    quantizer = ResidualQuantizer(CodeSpec(8, 4)).fit(x)
    whole = quantizer.encode(x)
    assert quantizer.encode(x[100:200]) == whole[100:200]
