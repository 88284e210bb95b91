"""Iterative quantization against a plain transcription of its paper."""

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from sklearn.decomposition import PCA

from dimco.baselines import IterativeQuantizer, Quantizer
from dimco.errors import InputError
from dimco.spec import CodeSpec


@pytest.fixture
def x(rng):
    return rng.normal(size=(300, 6)) * [5, 4, 3, 1, 0.5, 0.2] @ np.linalg.qr(rng.normal(size=(6, 6)))[0] + 10


@pytest.mark.parametrize("d", [1, 3, 6])
def test_the_loss_falls_and_the_rotation_stays_orthogonal(x, d):
    quantizer = IterativeQuantizer(CodeSpec(2, d)).fit(x)
    assert isinstance(quantizer, Quantizer)
    assert len(quantizer.losses) == 50
    assert (np.diff(quantizer.losses) <= 1e-8).all()
    np.testing.assert_allclose(quantizer.rotation @ quantizer.rotation.t(), np.eye(d), atol=1e-10)
    np.testing.assert_allclose(quantizer.axes.t() @ quantizer.axes, np.eye(d), atol=1e-5)


def test_axes_span_the_principal_components(x):
    axes = IterativeQuantizer(CodeSpec(2, 3)).fit(x).axes.numpy()
    components = PCA(3).fit(x).components_
    np.testing.assert_allclose(axes @ axes.T, components.T @ components, atol=1e-5)


def test_one_more_step_of_the_paper_improves_nothing_much(x):
    quantizer = IterativeQuantizer(CodeSpec(2, 4)).fit(x)
    rotated = (x - x.mean(0)) @ quantizer.axes.double().numpy()
    signs = np.where(rotated > 0, 1.0, -1.0)
    step, _ = orthogonal_procrustes(rotated, signs)
    before, after = np.square(signs - rotated).sum(), np.square(signs - rotated @ step).sum()
    assert before * 0.995 < after <= before + 1e-6
    assert before == pytest.approx(quantizer.losses[-1], rel=0.005)


def test_bits_and_scores_are_those_of_the_rotated_components(x):
    quantizer = IterativeQuantizer(CodeSpec(2, 4)).fit(x)
    codes = quantizer.encode(x)
    rotated = (x - x.mean(0)) @ quantizer.axes.double().numpy()
    np.testing.assert_array_equal(codes.unpack(), rotated > 0)
    signs = np.where(rotated > 0, 1, -1)
    np.testing.assert_allclose(quantizer.scores(x[:5], codes), rotated[:5] @ signs.T, rtol=1e-4, atol=1e-4)


def test_the_seed_decides_the_rotation(x):
    first, same, other = (IterativeQuantizer(CodeSpec(2, 4), seed).fit(x).axes.numpy() for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def test_specs_that_make_no_such_code_are_refused(x):
    with pytest.raises(InputError, match="expected k = 2 for a binary code; got 4"):
        IterativeQuantizer(CodeSpec(4, 2))
    with pytest.raises(InputError, match="expected at most 6 positions for 6 features; got 7"):
        IterativeQuantizer(CodeSpec(2, 7)).fit(x)
