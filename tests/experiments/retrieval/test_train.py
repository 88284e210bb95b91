"""Whole trainings on tiny data."""

import numpy as np
import pytest
import torch

from dimco.experiments.retrieval.job import RetrievalJob
from dimco.experiments.retrieval.train import RetrievalRun

QUICK = {"epochs": 3, "batch_size": 32, "classes_a_batch": 8, "lr": 1e-3}


def silent(line):
    pass


def trained(data, **settings):
    run = RetrievalRun(RetrievalJob(**{**QUICK, **settings}), data, torch.device("cpu"), side=32)
    return run, run.train(silent)


@pytest.mark.parametrize("method", ["dimco-infomax", "dimco-decoder", "triplet"])
def test_features_are_trained_and_measured_on_the_test_classes(features_set, method):
    _, record = trained(features_set, method=method, codes="8x8,4x6", width=8)
    parts = {(found["part"], found["what"]) for found in record["results"]}
    codes = {("8x8", "floats"), ("8x8", "codes"), ("4x6", "floats"), ("4x6", "codes"), ("8x8", "opq"), ("4x6", "sign")}
    assert parts >= (codes if method != "triplet" else {("floats-8", "floats"), ("floats-8", "sign")})
    assert record["complete"]
    assert record["items"] == {"learned": 160, "measured": 160}
    assert all(one["recall@1"] > 60 for one in record["results"] if one["what"] in ("floats", "codes"))


def test_to_select_every_epoch_is_measured_and_the_best_is_told(features_set):
    _, record = trained(features_set, stage="select", codes="4x6")
    assert [point["epoch"] for point in record["curve"]] == [1, 2, 3]
    best = max(record["curve"], key=lambda point: point["recall@1"])
    assert record["best_epoch"] == best["epoch"]
    assert record["items"]["learned"] == 128


def test_training_stops_at_the_epoch_it_is_told_with_the_rate_of_the_whole_schedule(features_set):
    run, record = trained(features_set, codes="4x6", stop=1)
    assert len(record["curve"]) == 1
    steps = run.steps
    expected = 1e-3 * 0.5 * (1 + np.cos(np.pi * (steps - 1) / (3 * steps)))
    assert run.optimizer.param_groups[-1]["lr"] == pytest.approx(expected * run.optimizer.param_groups[-1]["factor"])


def test_a_deadline_that_has_passed_ends_the_training_and_still_measures(features_set):
    run = RetrievalRun(RetrievalJob(**QUICK, codes="4x6"), features_set, torch.device("cpu"), deadline=0.0)
    record = run.train(silent)
    assert record["complete"] is False
    assert record["results"]


def test_pictures_train_a_resnet_whose_normalisation_stays(picture_set):
    job = RetrievalJob(epochs=2, batch_size=16, classes_a_batch=4, codes="4x4", head="linear")
    run = RetrievalRun(job, picture_set, torch.device("cpu"), side=32)
    before = {name: values.clone() for name, values in run.backbone.state_dict().items()}
    record = run.train(silent)
    assert np.isfinite(record["curve"][-1]["loss"])
    for name, values in run.backbone.state_dict().items():
        moved = not torch.equal(values, before[name])
        assert moved == (values.ndim > 1), name


def test_weights_learn_at_the_rates_of_their_kind(features_set):
    run = RetrievalRun(RetrievalJob(**QUICK, codes="4x6"), features_set, torch.device("cpu"))
    run._rates(0)
    rates = {id(p): group["lr"] for group in run.optimizer.param_groups for p in group["params"]}
    part = run.parts[0]
    assert rates[id(part.head.projection.weight)] == pytest.approx(1e-3)
    assert rates[id(part.head.centroids)] == pytest.approx(1e-2)
    assert rates[id(part.proxies.proxies)] == pytest.approx(1e-1)
    assert len(rates) == len(list(run.parts.parameters()))


def test_the_same_seed_gives_the_same_codes(features_set):
    first, again = (trained(features_set, codes="4x6")[0].exported() for _ in range(2))
    assert first.keys() == again.keys()
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert set(first) == {"train_labels", "train_4x6", "test_labels", "test_4x6"}
    assert first["test_4x6"].dtype == np.uint8
    assert first["test_4x6"].shape == (160, 6)


def test_baselines_keep_their_embeddings(features_set):
    found = trained(features_set, method="n-pair", width=8)[0].exported()
    assert found["train_floats-8"].dtype == np.float16
    assert found["train_floats-8"].shape == (160, 8)
