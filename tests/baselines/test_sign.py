"""Sign codes against plain projections."""

import numpy as np
import pytest
import torch

from dimco.baselines import Quantizer, SignQuantizer
from dimco.baselines.sign import random_rotation
from dimco.codes import Codes
from dimco.errors import InputError
from dimco.spec import CodeSpec


@pytest.mark.parametrize("d", [1, 4, 6, 15])
def test_bits_are_the_sides_of_hyperplanes_through_the_mean(rng, d):
    x = rng.normal(size=(50, 6)) + 7
    quantizer = SignQuantizer(CodeSpec(2, d)).fit(x)
    assert isinstance(quantizer, Quantizer)
    projected = (x - x.mean(0)) @ quantizer.axes.double().numpy()
    np.testing.assert_array_equal(quantizer.encode(x).unpack(), projected > 0)


def test_score_is_the_inner_product_with_signs(rng):
    x, queries = rng.normal(size=(50, 6)), rng.normal(size=(4, 6))
    quantizer = SignQuantizer(CodeSpec(2, 9)).fit(x)
    codes = quantizer.encode(x)
    projected = (queries - x.mean(0)) @ quantizer.axes.double().numpy()
    signs = 2.0 * codes.unpack() - 1
    np.testing.assert_allclose(quantizer.scores(queries, codes), projected @ signs.T, rtol=1e-4, atol=1e-5)


def test_hyperplanes_are_orthogonal_in_batches_of_as_many_as_features(rng):
    axes = SignQuantizer(CodeSpec(2, 15)).fit(rng.normal(size=(20, 6))).axes
    for start in (0, 6, 12):
        batch = axes[:, start : start + 6]
        np.testing.assert_allclose(batch.t() @ batch, np.eye(batch.shape[1]), atol=1e-6)
    assert not torch.allclose(axes[:, :6], axes[:, 6:12])


def test_bits_differ_in_proportion_to_the_angle(rng):
    x = rng.normal(size=(400, 8))
    x = np.concatenate([x, -x])
    bits = SignQuantizer(CodeSpec(2, 4096)).fit(x).encode(x[:30]).unpack().astype(int)
    unit = x[:30] / np.linalg.norm(x[:30], axis=1, keepdims=True)
    angles = np.arccos(np.clip(unit @ unit.T, -1, 1)) / np.pi
    np.testing.assert_allclose((bits[:, None] != bits).mean(-1), angles, atol=0.04)


def test_the_seed_decides_the_hyperplanes(rng):
    x = rng.normal(size=(20, 6))
    first, same, other = (SignQuantizer(CodeSpec(2, 8), seed).fit(x).axes for seed in (1, 1, 2))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)


def test_random_rotations_are_orthogonal_and_lean_nowhere():
    generator = torch.Generator().manual_seed(0)
    rotations = torch.stack([random_rotation(3, generator) for _ in range(2000)])
    np.testing.assert_allclose(rotations.mT @ rotations, np.tile(np.eye(3), (2000, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(rotations.mean(0), 0, atol=0.06)


def test_items_at_the_mean_are_given_a_code():
    quantizer = SignQuantizer(CodeSpec(2, 4)).fit(np.full((5, 3), 2.0))
    assert quantizer.encode(np.full((1, 3), 2.0)) == Codes([[0, 0, 0, 0]], CodeSpec(2, 4))


def test_k_must_be_two():
    with pytest.raises(InputError, match="expected k = 2 for a binary code; got 4"):
        SignQuantizer(CodeSpec(4, 8))
