"""fit_code: settings, defaults and what the model remembers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from dimco.errors import InputError
from dimco.fitting import FitSettings, fit_code
from dimco.objectives import DecoderInfomax, Infomax


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(200, 5, centers=3, random_state=0)


@pytest.mark.parametrize(
    ("head", "items", "epochs", "batch_size", "lr"),
    [
        ("linear", 50_000, 40, 1024, 1e-2),
        ("mlp", 50_000, 20, 1024, 5e-3),
        ("linear", 1_000, 75, 125, 1e-2),
        ("mlp", 100, 600, 64, 5e-3),
    ],
)
def test_defaults_follow_the_head_and_the_number_of_items(head, items, epochs, batch_size, lr):
    config = FitSettings(head=head).training(items)
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
