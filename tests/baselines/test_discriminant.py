"""LDA and product quantization against scikit-learn's own transform."""

import sys

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from dimco.baselines import DiscriminantQuantizer, ProductQuantizer, Quantizer, knn_top1
from dimco.errors import InputError, MissingExtraError
from dimco.spec import CodeSpec


@pytest.fixture
def noisy(rng):
    """400 items of 5 classes in 8 features, most of whose variance says nothing of the class."""
    y = rng.integers(0, 5, size=400)
    x = rng.normal(size=(400, 8)) * [20, 20, 20, 20, 1, 1, 1, 1]
    x[:, 4:] += 3 * np.eye(5, 4)[y]
    return (x @ np.linalg.qr(rng.normal(size=(8, 8)))[0]).astype(np.float32), y


def test_is_product_quantization_of_the_discriminants(noisy):
    x, y = noisy
    spec = CodeSpec(8, 2)
    quantizer = DiscriminantQuantizer(spec, seed=3).fit(x, y)
    assert isinstance(quantizer, Quantizer)
    discriminants = LinearDiscriminantAnalysis().fit(x.astype(np.float64), y).transform(x)
    plain = ProductQuantizer(spec, seed=3).fit(discriminants)
    assert quantizer.axes.shape == (8, 4)
    np.testing.assert_allclose(quantizer.tables(x), plain.tables(discriminants), rtol=1e-2, atol=1e-2)
    assert np.mean(quantizer.encode(x).unpack() == plain.encode(discriminants).unpack()) > 0.99


def test_labels_decide_what_is_kept(noisy):
    x, y = noisy
    spec = CodeSpec(8, 2)
    with_labels, without = DiscriminantQuantizer(spec).fit(x, y), ProductQuantizer(spec).fit(x)
    assert knn_top1(with_labels, x, y, x, y, 10) > 20 + knn_top1(without, x, y, x, y, 10)


def test_labels_may_be_any_values(noisy):
    x, y = noisy
    names = np.array(list("vwxyz"))[y]
    expected = DiscriminantQuantizer(CodeSpec(4, 2)).fit(x, y).encode(x)
    assert DiscriminantQuantizer(CodeSpec(4, 2)).fit(x, names).encode(x) == expected


def test_labels_are_needed(noisy):
    x, y = noisy
    with pytest.raises(InputError, match="expected labels, from which discriminants are found; got none"):
        DiscriminantQuantizer(CodeSpec(4, 2)).fit(x)
    with pytest.raises(InputError, match="expected 400 labels, one an item"):
        DiscriminantQuantizer(CodeSpec(4, 2)).fit(x, y[:-1])
    with pytest.raises(InputError, match="at least 2 classes"):
        DiscriminantQuantizer(CodeSpec(4, 2)).fit(x, np.zeros(400))
    with pytest.raises(InputError, match="more items than classes"):
        DiscriminantQuantizer(CodeSpec(4, 2)).fit(x, np.arange(400))


def test_more_positions_than_discriminants_are_refused(noisy):
    x, y = noisy
    with pytest.raises(InputError, match="expected at most 4 positions for 4 discriminants; got 5"):
        DiscriminantQuantizer(CodeSpec(4, 5)).fit(x, y)
    with pytest.raises(InputError, match="expected at most 1 positions for 1 discriminants; got 2"):
        DiscriminantQuantizer(CodeSpec(4, 2)).fit(x, y % 2)


def test_discriminants_fewer_than_the_classes_allow_are_counted(noisy):
    x, y = noisy
    flat = np.repeat(x[:, :1], 8, axis=1)
    with pytest.raises(InputError, match="expected at most 1 positions for 1 discriminants; got 2"):
        DiscriminantQuantizer(CodeSpec(4, 2)).fit(flat, y)


@pytest.mark.parametrize("x", [np.ones((20, 3)), np.repeat(np.arange(20) % 2, 3).reshape(20, 3)])
def test_features_constant_within_classes_are_refused(x):
    with pytest.raises(InputError, match="expected features that vary within classes; got constant ones"):
        DiscriminantQuantizer(CodeSpec(4, 1)).fit(x, np.arange(20) % 2)


def test_without_scikit_learn_the_extra_is_named(noisy, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.discriminant_analysis", None)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=r"dimco\[sklearn\]"):
        DiscriminantQuantizer(CodeSpec(4, 2)).fit(*noisy)


def test_a_fitted_quantizer_works_without_scikit_learn(noisy, monkeypatch):
    x, y = noisy
    quantizer = DiscriminantQuantizer(CodeSpec(4, 2)).fit(x, y)
    expected = quantizer.encode(x)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert quantizer.encode(x) == expected
