"""What residual and local-search quantization share, against faiss and slow loops."""

import itertools
import sys

import numpy as np
import pytest
import torch

from dimco.baselines import AdditiveQuantizer, LocalSearchQuantizer, Quantizer, ResidualQuantizer
from dimco.codes import Codes
from dimco.errors import InputError, MissingExtraError
from dimco.spec import CodeSpec

SPECS = [CodeSpec(k, d) for k, d in [(2, 1), (2, 2), (2, 9), (4, 1), (4, 3), (8, 3), (16, 1), (16, 4)]]


@pytest.fixture(params=[ResidualQuantizer, LocalSearchQuantizer])
def kind(request):
    return request.param


@pytest.fixture
def x(rng):
    return (rng.normal(size=(300, 5)) @ rng.normal(size=(5, 5)) + 3).astype(np.float32)


def slow_decode(quantizer, codes):
    books = quantizer.codebooks.double().numpy()
    return np.stack([sum(books[i, symbol] for i, symbol in enumerate(code)) for code in codes.unpack()])


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_codes_decode_to_what_faiss_decodes_its_own_to(kind, x, spec):
    quantizer = kind(spec).fit(x)
    assert quantizer.codebooks.shape == (spec.d, spec.k, 5)
    theirs = quantizer._trained.decode(quantizer._trained.compute_codes(x))
    codes = quantizer.encode(x)
    assert isinstance(quantizer, Quantizer)
    assert codes.spec == spec
    assert quantizer.bits == spec.bits
    np.testing.assert_allclose(quantizer.decode(codes), theirs, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(quantizer.decode(codes), slow_decode(quantizer, codes), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_score_is_the_negative_squared_distance_to_the_decoded_vector(kind, x, rng, spec):
    queries = rng.normal(size=(4, 5)).astype(np.float32)
    quantizer = kind(spec).fit(x)
    codes = quantizer.encode(x)
    distances = np.square(queries[:, None].astype(np.float64) - slow_decode(quantizer, codes)).sum(-1)
    np.testing.assert_allclose(quantizer.scores(queries, codes), -distances, rtol=1e-5, atol=1e-6)


def test_score_is_exact_far_from_the_origin(kind, x):
    quantizer = kind(CodeSpec(8, 3)).fit(x + 1000)
    codes = quantizer.encode(x + 1000)
    distances = np.square((x + 1000)[:4, None].astype(np.float64) - slow_decode(quantizer, codes)).sum(-1)
    np.testing.assert_allclose(quantizer.scores(x[:4] + 1000, codes), -distances, rtol=1e-5, atol=1e-6)


def test_equal_codes_score_exactly_equal(kind, x):
    quantizer = kind(CodeSpec(4, 3)).fit(x)
    codes = quantizer.encode(x[[0, 1, 2] * 11])
    scores = quantizer.scores(x[:7], Codes(np.tile(codes.unpack()[:3], (11, 1)), codes.spec))
    assert (scores.reshape(7, 11, 3) == scores[:, None, :3]).all()


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.capacity <= 4096], ids=str)
def test_codes_are_nearly_as_good_as_the_best_of_all(kind, x, spec):
    quantizer = kind(spec).fit(x)
    every = Codes(np.array(list(itertools.product(range(spec.k), repeat=spec.d))), spec)
    best = -quantizer.scores(x, every).max(1).values.mean().item()
    found = (torch.from_numpy(x) - quantizer.decode(quantizer.encode(x))).square().sum(1).mean().item()
    slack = 1.05 if kind is ResidualQuantizer else 1.3
    assert best * 0.999 <= found <= slack * best


def test_rebuilding_gets_better_with_positions(kind, x):
    errors = []
    for d in (1, 2, 4, 8):
        quantizer = kind(CodeSpec(4, d)).fit(x)
        errors.append(np.square(x - quantizer.decode(quantizer.encode(x)).numpy()).sum(1).mean())
    assert errors == sorted(errors, reverse=True)
    assert errors[0] < np.square(x - x.mean(0)).sum(1).mean()


def test_the_seed_decides_the_codes(kind, x):
    first, same, other = (kind(CodeSpec(8, 3), seed).fit(x).encode(x) for seed in (1, 1, 2))
    assert first == same
    assert first != other


def test_labels_are_not_used_and_lists_are_read(kind, x):
    expected = kind(CodeSpec(4, 2)).fit(x).encode(x)
    assert kind(CodeSpec(4, 2)).fit(x.tolist(), np.arange(len(x))).encode(torch.from_numpy(x)) == expected


def test_few_items_fit_without_a_word(kind, rng, capfd):
    kind(CodeSpec(8, 2)).fit(rng.normal(size=(8, 4)))
    assert tuple(capfd.readouterr()) == ("", "")


def test_scores_need_no_faiss_once_fitted(kind, x, monkeypatch):
    quantizer = kind(CodeSpec(4, 2)).fit(x)
    codes = quantizer.encode(x)
    monkeypatch.setitem(sys.modules, "faiss", None)
    assert quantizer.scores(x[:3], codes).shape == (3, 300)
    with pytest.raises(MissingExtraError, match=r"dimco\[faiss\]"):
        kind(CodeSpec(4, 2)).fit(x)


def test_k_must_be_a_power_of_two(kind):
    with pytest.raises(InputError, match="expected k to be a power of two for additive quantization; got 6"):
        kind(CodeSpec(6, 2))


def test_unfit_input_is_refused(kind, x):
    quantizer = kind(CodeSpec(16, 2))
    codes = Codes([[0, 1]], CodeSpec(16, 2))
    for call in (lambda: quantizer.encode(x), lambda: quantizer.decode(codes), lambda: quantizer.scores(x, codes)):
        with pytest.raises(InputError, match="call fit first"):
            call()
    with pytest.raises(InputError, match="expected at least 16 items to place 16 centroids; got 15"):
        quantizer.fit(x[:15])
    with pytest.raises(InputError, match="NaN"):
        quantizer.fit(np.full((20, 5), np.nan))
    with pytest.raises(InputError, match="shape"):
        quantizer.fit(np.zeros((20, 5, 2)))
    quantizer.fit(x)
    with pytest.raises(InputError, match="expected 5 features, as in training; got 4"):
        quantizer.encode(x[:, :4])
    with pytest.raises(InputError, match="expected codes of 16x2; got 4x2"):
        quantizer.scores(x, Codes([[0, 1]], CodeSpec(4, 2)))


def test_the_shared_half_is_abstract():
    with pytest.raises(TypeError):
        AdditiveQuantizer(CodeSpec(4, 2))
