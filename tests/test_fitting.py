"""fit_code: settings, defaults and what the model remembers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.datasets import make_blobs

from dimco.backbones import Standardize
from dimco.errors import InputError
from dimco.fitting import FitSettings, fit_code, with_codewords
from dimco.heads import CodewordHead, LinearHead, MLPHead
from dimco.model import CodeModel
from dimco.objectives import ClassInfomax, DecoderInfomax, Infomax
from dimco.spec import CodeSpec

CODEWORD = FitSettings(k=2, d=4, objective="decoder", head="codeword", hidden=32, epochs=100)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(200, 5, centers=3, random_state=0)


@pytest.fixture(scope="module")
def apart():
    """Eight classes that nothing confuses."""
    labels = np.repeat(np.arange(8), 20)
    noise = np.random.default_rng(0).normal(size=(160, 8))
    return (20 * np.eye(8)[labels] + noise).astype(np.float32), labels


@pytest.fixture(scope="module")
def codeword_model(apart):
    return fit_code(*apart, 8, CODEWORD).model


@pytest.mark.parametrize(
    ("head", "items", "epochs", "batch_size", "lr"),
    [
        ("linear", 50_000, 40, 1024, 1e-2),
        ("mlp", 50_000, 20, 1024, 5e-3),
        ("codeword", 50_000, 20, 1024, 5e-3),
        ("linear", 1_000, 75, 125, 1e-2),
        ("mlp", 100, 600, 64, 5e-3),
    ],
)
def test_defaults_follow_the_head_and_the_number_of_items(head, items, epochs, batch_size, lr):
    config = FitSettings(objective="decoder", head=head).training(items)
    assert (config.epochs, config.batch_size, config.lr) == (epochs, batch_size, lr)


def test_what_is_asked_for_is_used():
    config = FitSettings(epochs=3, batch_size=10, lr=0.5, seed=7).training(1_000)
    assert (config.epochs, config.batch_size, config.lr, config.seed) == (3, 10, 0.5, 7)


def test_objective_and_head_are_the_ones_named(blobs):
    fitted = fit_code(*blobs, 3, FitSettings(k=2, d=2, objective="decoder", head="mlp", hidden=8, epochs=1))
    assert isinstance(fitted.objective, DecoderInfomax)
    assert fitted.model.head.config["hidden"] == 8
    fitted = fit_code(*blobs, 3, FitSettings(k=2, d=2, independence=0.25, epochs=1))
    assert isinstance(fitted.objective, Infomax)
    assert fitted.objective.independence == 0.25


@pytest.mark.parametrize(
    ("k", "d", "together"),
    [
        (2, 2, 2), (2, 8, 8), (2, 9, 8), (2, 64, 8), (3, 5, 5), (3, 6, 5), (4, 4, 4), (4, 16, 4),
        (8, 2, 2), (8, 3, 1), (16, 1, 1), (16, 2, 2), (16, 4, 1), (17, 2, 1), (256, 1, 1), (300, 4, 1),
    ],
)  # fmt: skip
def test_few_codewords_are_taken_whole_and_small_symbols_in_groups(blobs, k, d, together):
    assert FitSettings(k=k, d=d).positions_together == together
    assert FitSettings(k=k, d=d, group=3).positions_together == 3


def test_the_objective_takes_the_group_of_the_settings(blobs):
    for group, expected in ((None, 2), (1, 1)):
        settings = FitSettings(k=2, d=2, group=group, epochs=1)
        assert fit_code(*blobs, 3, settings).objective.group == expected
    with pytest.raises(InputError, match="expected groups of at least 1 position; got 0"):
        FitSettings(group=0)


def test_the_decoder_starts_from_the_frequencies_of_the_training_labels(blobs):
    X, _ = blobs
    y = np.repeat([0, 1, 2], [100, 60, 40])
    fitted = fit_code(X, y, 3, FitSettings(k=2, d=2, objective="decoder", epochs=1))
    np.testing.assert_allclose(fitted.objective.log_prior.exp(), [0.5, 0.3, 0.2], rtol=1e-6)


def test_the_model_remembers_how_it_was_made(blobs):
    metadata = fit_code(*blobs, 3, FitSettings(k=2, d=2, epochs=2, held_out=0.25)).model.metadata
    assert metadata["settings"]["k"] == 2
    assert (metadata["items"], metadata["epochs"]) == (150, 2)


def test_held_out_items_are_not_trained_on(blobs):
    X, y = blobs
    settings = FitSettings(k=2, d=2, epochs=2, held_out=0.2)
    plain = fit_code(X, y, 3, settings)
    assert plain.history[-1].held_out is not None
    assert len(plain.history) == 2


def test_features_beyond_float32_are_refused(blobs):
    X, y = blobs
    X = X.copy()
    X[5, 0] = 1e300
    with pytest.raises(InputError, match="row 5 holds NaN or infinity"):
        fit_code(X, y, 3, FitSettings(k=2, d=2, epochs=2))


def test_the_codeword_head_wants_the_decoder_objective():
    with pytest.raises(InputError, match="expected the decoder objective with the codeword head; got 'infomax'"):
        FitSettings(head="codeword")


def test_items_of_separable_classes_get_the_codewords_of_their_classes(apart, codeword_model):
    x, labels = apart
    codewords = codeword_model.head.codewords.numpy()
    assert len(np.unique(codewords, axis=0)) == 8
    np.testing.assert_array_equal(codeword_model.encode(x).unpack(), codewords[labels])


def test_class_scores_are_trained_as_a_code_of_their_own(apart):
    settings = FitSettings(k=2, d=4, objective="decoder", head="codeword", epochs=1, label_smoothing=0.25)
    fitted = fit_code(*apart, 8, settings)
    assert isinstance(fitted.objective, ClassInfomax)
    assert fitted.objective.config == {"label_smoothing": 0.25}
    assert isinstance(fitted.model.head, CodewordHead)
    assert not fitted.model.training


def test_label_smoothing_reaches_the_decoder(blobs):
    settings = FitSettings(k=2, d=2, objective="decoder", epochs=1, label_smoothing=0.25)
    assert fit_code(*blobs, 3, settings).objective.config == {"label_smoothing": 0.25}


def test_held_out_information_of_class_scores_is_measured(apart):
    settings = FitSettings(k=2, d=4, objective="decoder", head="codeword", epochs=2, held_out=0.2)
    assert all(record.held_out is not None for record in fit_code(*apart, 8, settings).history)


def test_other_codewords_over_the_same_scores_are_those_of_a_fit_with_that_spec(apart, codeword_model):
    x, _ = apart
    again = with_codewords(codeword_model, CodeSpec(3, 2), CODEWORD.seed)
    whole = fit_code(*apart, 8, FitSettings(3, 2, "decoder", "codeword", 32, epochs=100)).model
    assert again.spec == CodeSpec(3, 2)
    assert torch.equal(again.head.codewords, whole.head.codewords)
    assert torch.equal(again.log_probs(x), whole.log_probs(x))
    assert codeword_model.spec == CodeSpec(2, 4), "the model given stays as it is"


def test_other_codewords_keep_the_sharpness():
    head = CodewordHead(5, CodeSpec(2, 3), classes=4, hidden=6, dropout=0.1, sharpness=3.0)
    again = with_codewords(CodeModel(Standardize(5), head), CodeSpec(4, 2)).head
    assert again.config == head.config
    assert again.sharpness == 3.0


@pytest.mark.parametrize("head", [LinearHead(5, CodeSpec(4, 1)), MLPHead(5, CodeSpec(4, 2))])
def test_codewords_need_class_scores(head):
    with pytest.raises(InputError, match="expected a head of class scores; got"):
        with_codewords(CodeModel(Standardize(5), head), CodeSpec(2, 2))


def test_a_code_that_cannot_be_is_refused_before_training(apart, monkeypatch):
    monkeypatch.setattr("dimco.fitting.train", lambda *_: pytest.fail("training has begun"))
    with pytest.raises(InputError, match="expected k from 2 to 65536; got 1"):
        fit_code(*apart, 8, FitSettings(k=1, objective="decoder", head="codeword"))


@pytest.mark.parametrize("head", ["linear", "mlp", "codeword"])
def test_global_random_state_is_left_alone(blobs, head):
    before, numpy_before = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    fit_code(*blobs, 3, FitSettings(k=2, d=2, objective="decoder", head=head, epochs=1))
    assert torch.equal(torch.get_rng_state(), before)
    np.testing.assert_array_equal(np.random.get_state()[1], numpy_before)  # noqa: NPY002
