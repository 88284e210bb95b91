"""The start of a distance head against faiss's product quantizers."""

import numpy as np
import pytest
import torch

from dimco.code_heads.product import product_code, projection_of
from dimco.errors import InputError
from dimco.spec import CodeSpec

SPEC = CodeSpec(k=16, d=4)


@pytest.fixture(scope="module")
def features():
    """Correlated features of very different scales."""
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(16, 16)) * np.geomspace(3, 0.05, 16)[:, None]
    return torch.from_numpy((rng.normal(size=(1500, 16)) @ mixing + 2).astype(np.float32))


def embedded(x, width=16, rotated=True):
    weight, bias = projection_of(x, SPEC.d, width, rotated)
    return x @ weight.t() + bias


def learned(z, rotated=True):
    return product_code(z, SPEC, torch.Generator().manual_seed(0), rotated)


def relative_error(code, z):
    """Squared error over variance, by a slow search of every part."""
    parts = (z @ code.rotation).view(len(z), SPEC.d, -1)
    rebuilt = torch.zeros_like(parts)
    for i in range(SPEC.d):
        distances = (parts[:, i, None, :] - code.centroids[i][None]).square().sum(-1)
        rebuilt[:, i] = code.centroids[i][distances.argmin(1)]
    return float((parts - rebuilt).square().sum() / z.square().sum())


def error_of_faiss(quantizer, x):
    rows = x.numpy() - x.numpy().mean(0)
    quantizer.train(rows)
    rebuilt = quantizer.sa_decode(quantizer.sa_encode(rows))
    return float(np.square(rows - rebuilt).sum() / np.square(rows).sum())


def test_the_rotation_leaves_no_more_error_than_the_opq_of_faiss(features):
    faiss = pytest.importorskip("faiss")
    rotation = faiss.OPQMatrix(16, SPEC.d)
    index = faiss.IndexPreTransform(rotation, faiss.IndexPQ(16, SPEC.d, 4))
    z = embedded(features)
    assert relative_error(learned(z), z) < 1.05 * error_of_faiss(index, features)


def test_without_rotation_the_error_is_that_of_the_pq_of_faiss(features):
    faiss = pytest.importorskip("faiss")
    expected = error_of_faiss(faiss.IndexPQ(16, SPEC.d, 4), features)
    z = embedded(features, rotated=False)
    assert relative_error(learned(z, rotated=False), z) == pytest.approx(expected, rel=0.05)


def test_the_rotation_keeps_all_distances(features):
    rotation = learned(embedded(features)).rotation
    torch.testing.assert_close(rotation @ rotation.t(), torch.eye(16), atol=1e-4, rtol=0)


def test_the_projection_keeps_all_distances_up_to_a_factor(features):
    weight = projection_of(features, SPEC.d, 16).weight
    scale = float((weight @ weight.t()).diagonal().mean())
    torch.testing.assert_close(weight @ weight.t() / scale, torch.eye(16), atol=1e-4, rtol=0)


@pytest.mark.parametrize("rotated", [True, False])
def test_z_has_mean_zero_and_variance_one_whatever_the_scale_of_the_features(features, rotated):
    for x in (features, 1000 * features):
        z = embedded(x, rotated=rotated)
        assert float(z.mean(0).abs().max()) < 1e-2
        assert float(z.square().mean()) == pytest.approx(1, abs=1e-3)


def test_axes_are_dealt_so_that_products_of_variances_differ_little():
    """Sixteen independent features, the n-th of variance 2^-n: four each can be dealt to equal products."""
    x = torch.from_numpy(np.random.default_rng(1).normal(size=(20_000, 16)) * 2.0 ** (-np.arange(16) / 2)).float()
    for scaled in (x, 100 * x):
        exponents = embedded(scaled).var(0).log2().view(SPEC.d, 4).sum(1)
        assert float(exponents.max() - exponents.min()) < 3


def test_the_error_told_is_the_mean_squared_distance_of_a_coordinate(features):
    z = embedded(features)
    code = learned(z)
    assert code.error == pytest.approx(relative_error(code, z), rel=1e-2)


def test_a_narrower_z_keeps_the_axes_of_most_variance(features):
    basis = torch.linalg.qr(projection_of(features, SPEC.d, 4).weight.t()).Q
    centred = features - features.mean(0)
    kept = (centred @ basis).square().sum() / centred.square().sum()
    variances = torch.linalg.eigvalsh(centred.t() @ centred / len(features))
    assert float(kept) == pytest.approx(float(variances[-4:].sum() / variances.sum()), rel=1e-3)


def test_a_wider_z_is_padded_with_zeros(features):
    z = embedded(features, width=20)
    assert int((z.abs().amax(0) == 0).sum()) == 4


def test_more_positions_than_features_are_refused(features):
    with pytest.raises(InputError, match="at most 2 positions for 2 features; got 4"):
        projection_of(features[:, :2], SPEC.d, 4)


@pytest.mark.parametrize("whitening", [0.5, 1.0])
def test_whitening_raises_the_variances_of_principal_axes_to_a_power(features, whitening):
    weight, bias = projection_of(features, SPEC.d, 16, whitening=whitening)
    z = (features @ weight.t() + bias).double().numpy()
    expected = np.linalg.eigvalsh(np.cov(features.double().numpy().T)) ** (1 - whitening)
    found = np.sort(np.linalg.eigvalsh(np.cov(z.T)))
    np.testing.assert_allclose(found / found.sum(), np.sort(expected) / expected.sum(), rtol=0.02)
    np.testing.assert_allclose(np.cov(z.T), np.diag(z.var(0)), atol=0.02)


def test_whitening_is_of_principal_axes(features):
    with pytest.raises(InputError, match=r"expected a whitening of principal axes from 0 to 1; got 0\.5"):
        projection_of(features, SPEC.d, 16, rotated=False, whitening=0.5)
