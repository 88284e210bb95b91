"""The methods by name: trained as named, and what they share only once."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dimco.baselines import QUANTIZERS, Quantizer
from dimco.errors import InputError
from dimco.experiments.compression import methods as module
from dimco.experiments.compression.methods import DEFAULT_METHODS, METHODS, OURS, Methods
from dimco.fitting import FitSettings, fit_code
from dimco.spec import CodeSpec


@pytest.fixture
def fits(monkeypatch):
    """The settings of every training made."""
    made = []

    def spy(x, y, classes, settings):
        made.append((settings, len(x)))
        return fit_code(x, y, classes, settings)

    monkeypatch.setattr(module, "fit_code", spy)
    return made


def test_names_are_those_of_ours_and_of_all_quantizers():
    assert set(METHODS) == {"dimco-infomax", "dimco-positions", "dimco-mlp", "dimco-decoder", *QUANTIZERS}
    assert set(DEFAULT_METHODS) <= set(METHODS)
    assert [(s.objective, s.head, s.group) for s in OURS.values()] == [
        ("infomax", "linear", None), ("infomax", "linear", 1), ("decoder", "mlp", None), ("decoder", "codeword", None),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["dimco-infomax", "dimco-positions", "dimco-mlp", "dimco-decoder", "pq", "sq"])
def test_every_method_has_the_face_of_a_quantizer(toy, quick, name):
    quantizer = Methods(toy).make(name, CodeSpec(4, 2), 0)
    assert isinstance(quantizer, Quantizer)
    assert (quantizer.name, quantizer.bits) == (name, 4)
    codes = quantizer.fit(toy.x, toy.y).encode(toy.x)
    assert (len(codes), codes.spec) == (150, CodeSpec(4, 2))
    assert quantizer.scores(toy.query, codes).shape == (32, 150)


def test_scores_of_a_learned_code_are_sums_of_log_probabilities(toy, quick):
    quantizer = Methods(toy).make("dimco-mlp", CodeSpec(4, 3), 0).fit(toy.x, toy.y)
    codes = quantizer.encode(toy.x)
    tables = quantizer.model.log_probs(toy.query).tolist()
    slow = [[sum(table[i][s] for i, s in enumerate(word)) for word in codes.unpack().tolist()] for table in tables]
    np.testing.assert_allclose(quantizer.scores(toy.query, codes), slow, atol=1e-5)


def test_class_scores_are_trained_once_a_seed_and_give_what_a_fit_gives(toy, quick, fits):
    made = Methods(toy)
    specs = (CodeSpec(2, 4), CodeSpec(16, 2), CodeSpec(4, 2))
    for seed in (0, 1):
        for spec in specs:
            quantizer = made.make("dimco-decoder", spec, seed).fit(toy.x, toy.y)
            settings = replace(OURS["dimco-decoder"], k=spec.k, d=spec.d, seed=seed)
            alone = fit_code(toy.x, toy.y, toy.classes, settings).model
            assert quantizer.encode(toy.query) == alone.encode(toy.query)
            np.testing.assert_array_equal(quantizer.model.log_probs(toy.query), alone.log_probs(toy.query))
            assert quantizer.facts == {}
    assert [settings.seed for settings, _ in fits] == [0, 1]


def test_nothing_is_trained_before_fit(toy, quick, fits):
    for name in OURS:
        Methods(toy).make(name, CodeSpec(4, 2), 0)
    assert fits == []


@pytest.mark.parametrize("best", [0.3, 1.0, 3.0])
def test_lambda_is_the_one_that_does_best_on_a_held_out_part(toy, quick, fits, monkeypatch, best):
    parts = []

    def evaluate(model, support, query):
        parts.append((len(support[0]), len(query[0])))
        return SimpleNamespace(top1=90.0 if model.metadata["settings"]["independence"] == best else 50.0)

    monkeypatch.setattr(module, "evaluate", evaluate)
    quantizer = Methods(toy).make("dimco-positions", CodeSpec(4, 2), 5).fit(toy.x, toy.y)
    assert quantizer.facts == {"independence": best, "group": 1}
    assert parts == [(135, 15)] * 3, "a tenth of each class is held out"
    assert [(s.independence, n) for s, n in fits] == [(0.3, 135), (1.0, 135), (3.0, 135), (best, 150)]
    assert fits[-1][0].seed == 5
    assert [settings.epochs for settings, _ in fits] == [1, 1, 1, 2], "trials take half the epochs"


@pytest.mark.parametrize("best", [(8, 1.0), (8, 3.0), (1, 1.0), (1, 3.0)])
def test_group_and_lambda_are_those_that_do_best_on_a_held_out_part(toy, quick, fits, monkeypatch, best):
    def evaluate(model, support, query):
        tried = FitSettings(**model.metadata["settings"])
        return SimpleNamespace(top1=90.0 if (tried.positions_together, tried.independence) == best else 50.0)

    monkeypatch.setattr(module, "evaluate", evaluate)
    quantizer = Methods(toy).make("dimco-infomax", CodeSpec(2, 9), 5).fit(toy.x, toy.y)
    assert quantizer.facts == {"independence": best[1], "group": best[0]}
    tried = [(s.positions_together, s.independence) for s, _ in fits]
    assert tried == [(8, 1.0), (8, 3.0), (1, 1.0), (1, 3.0), best]


def test_lambda_is_not_varied_where_all_positions_are_taken_together(toy, quick, fits):
    Methods(toy).make("dimco-infomax", CodeSpec(4, 2), 0).fit(toy.x, toy.y)
    tried = [(s.positions_together, s.independence) for s, _ in fits[:-1]]
    assert tried == [(2, 1.0), (1, 1.0), (1, 3.0)]


def test_lambda_is_chosen_once_a_code(toy, quick, fits):
    made = Methods(toy)
    for seed, trainings in ((0, 4), (1, 5), (2, 6)):
        made.make("dimco-positions", CodeSpec(4, 2), seed).fit(toy.x, toy.y)
        assert len(fits) == trainings
    made.make("dimco-positions", CodeSpec(2, 2), 2).fit(toy.x, toy.y)
    assert len(fits) == 10


def test_lambda_is_chosen_by_the_same_trials_whichever_seed_comes_first(toy, quick, fits, monkeypatch):
    asked = []

    def evaluate(model, support, query):
        asked.append((model.metadata["settings"], query[0].tolist()))
        return SimpleNamespace(top1=50.0)

    monkeypatch.setattr(module, "evaluate", evaluate)
    for seed in (0, 5):
        Methods(toy).make("dimco-positions", CodeSpec(4, 2), seed).fit(toy.x, toy.y)
    assert asked[:3] == asked[3:]
    assert fits[3][0] == replace(fits[7][0], seed=0)


@pytest.mark.parametrize(("dataset", "lr"), [("cifar10", 3e-3), ("cifar100", None), ("toy", None)])
def test_the_linear_head_learns_at_the_papers_rates(toy, quick, fits, dataset, lr):
    Methods(replace(toy, name=dataset)).make("dimco-infomax", CodeSpec(2, 2), 0).fit(toy.x, toy.y)
    assert {settings.lr for settings, _ in fits} == {lr}


def test_unknown_methods_and_codes_that_cannot_be_are_refused(toy):
    with pytest.raises(InputError, match=r"expected a method of dimco-infomax, .*; got 'magic'"):
        Methods(toy).make("magic", CodeSpec(4, 2), 0)
    with pytest.raises(InputError, match="expected k = 2 for a binary code; got 16"):
        Methods(toy).make("itq", CodeSpec(16, 4), 0)
