"""A job from beginning to end, on images of a moment."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
import torch

from dimco.embedding_model import EmbeddingModel
from dimco.experiments.fewshot import train as training
from dimco.experiments.fewshot.job import CODE_METHODS, METHODS, FewShotJob
from dimco.experiments.fewshot.measure import Protocol
from dimco.experiments.fewshot.run_job import run_job

PROTOCOL = Protocol(validation=4, test=6)
CPU = torch.device("cpu")


def tiny(method, **changes):
    code = {"k": 4, "d": 3} if method in CODE_METHODS else {}
    if method == "dimco-distance":
        code["classifier_steps"] = 10
    settings = {"steps": 10, "classes": 8, "items": 4, "shots": 2, "lr": 0.02, "validations": 2}
    return FewShotJob(dataset="cifar-fs", method=method, **{**code, **settings, **changes})


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_trained_and_measured(method, few_shot_root):
    record = run_job(tiny(method), few_shot_root, CPU, PROTOCOL)
    assert record["job"] == tiny(method).as_record()
    assert (record["steps"], record["complete"]) == (10, True)
    assert [look["step"] for look in record["looks"]] == ([0, 5, 10, 10] if method == "dimco-distance" else [5, 10])
    assert record["best_step"] == max(record["looks"], key=lambda look: look["value"])["step"]
    assert record["bits"] == (6 if method in CODE_METHODS else 32 * 64)
    assert {(found["shots"], found["episodes"]) for found in record["accuracies"]} == {(1, 6), (5, 6)}
    assert all(0 < found["value"] <= 100 for found in record["accuracies"])
    assert len(record["accuracies"]) == (12 if method in CODE_METHODS else 2)


def test_the_same_job_gives_the_same_accuracies(few_shot_root):
    job = tiny("dimco-decoder")
    first, again = (run_job(job, few_shot_root, CPU, PROTOCOL) for _ in range(2))
    assert first["accuracies"] == again["accuracies"]
    other = run_job(replace(job, seed=1), few_shot_root, CPU, PROTOCOL)
    assert other["accuracies"] != first["accuracies"]


def test_a_pilot_never_sees_the_test_classes(few_shot_root, monkeypatch):
    from dimco.experiments.fewshot import run_job as module

    seen = []
    real = module.all_outputs
    monkeypatch.setattr(
        module, "all_outputs", lambda n, pixels, *rest: seen.append(len(pixels)) or real(n, pixels, *rest)
    )
    record = run_job(tiny("dimco-infomax", experiment="pilot"), few_shot_root, CPU, PROTOCOL)
    assert set(seen) == {100}, "5 validation classes of 20 images"
    assert record["validation"] == pytest.approx(
        sum(max(f["value"] for f in record["accuracies"] if f["shots"] == shots) for shots in (1, 5)) / 2, abs=1e-3
    )
    assert all(found["episodes"] == 4 for found in record["accuracies"])


def test_a_training_out_of_time_is_measured_as_far_as_it_came(few_shot_root):
    record = run_job(tiny("protonet", steps=100), few_shot_root, CPU, PROTOCOL, deadline=time.monotonic())
    assert (record["steps"], record["complete"], record["best_step"]) == (5, False, 5)
    assert len(record["accuracies"]) == 2


def test_the_best_state_is_what_is_measured(few_shot_root, monkeypatch):
    from dimco.experiments.fewshot import run_job as module

    values = iter([80.0, 20.0])
    states = []

    def look(outputs, score, tasks):
        states.append(outputs.clone())
        return next(values)

    monkeypatch.setattr(module, "quick_accuracy", look)
    measured = []
    real = module.embedding_accuracy
    monkeypatch.setattr(
        module, "embedding_accuracy", lambda outputs, *rest: measured.append(outputs.clone()) or real(outputs, *rest)
    )
    record = run_job(tiny("triplet"), few_shot_root, CPU, PROTOCOL)
    assert record["best_step"] == 5
    torch.testing.assert_close(measured[0], states[0])
    assert not torch.equal(states[0], states[1])


def test_one_image_a_class_trains_a_code(few_shot_root):
    job = tiny("dimco-infomax", images_a_class=1, items=1, steps=3, experiment="small-train")
    record = run_job(job, few_shot_root, CPU, PROTOCOL)
    assert record["steps"] >= 3
    assert [(found["rule"], found["shots"]) for found in record["accuracies"]] == [("nearest", 1), ("nearest", 5)]


def test_a_throughput_run_has_a_speed_and_no_accuracy(few_shot_root):
    record = run_job(tiny("dimco-decoder", experiment="throughput", validations=1), few_shot_root, CPU, PROTOCOL)
    assert record["accuracies"] == []
    assert record["images_per_second"] > 0
    assert record["gpu_busy_percent"] is None


def test_steps_that_cannot_be_captured_are_taken_plainly(few_shot_root, monkeypatch):
    asked = []
    real = training.train

    def train(network, objective, data, config, **rest):
        asked.append(config.captured)
        if config.captured:
            raise training.CaptureError("the step cannot be captured: no")
        return real(network, objective, data, config, **rest)

    monkeypatch.setattr(training, "train", train)
    plain = training._config
    monkeypatch.setattr(training, "_config", lambda *words: replace_captured(plain(*words)))
    record = run_job(tiny("r2d2"), few_shot_root, CPU, PROTOCOL)
    assert asked == [True, False]
    assert record["not_captured"] == "the step cannot be captured: no"


def replace_captured(config):
    return replace(config, captured=True)


@pytest.mark.parametrize("captured", [True, False])
def test_a_loss_that_became_nan_is_an_error_and_no_reason_to_train_on(few_shot_root, monkeypatch, captured):
    asked = []

    def train(*words, **rest):
        asked.append(captured)
        raise training.TrainingError("the loss became nan in epoch 1; try a smaller learning rate")

    monkeypatch.setattr(training, "train", train)
    plain = training._config
    monkeypatch.setattr(training, "_config", lambda *words: replace(plain(*words), captured=captured))
    with pytest.raises(training.TrainingError, match="became nan"):
        run_job(tiny("dimco-decoder"), few_shot_root, CPU, PROTOCOL)
    assert len(asked) == 1


def test_an_accuracy_that_is_no_number_is_an_error(few_shot_root, monkeypatch):
    from dimco.experiments.fewshot import run_job as module

    monkeypatch.setattr(module, "quick_code_accuracy", lambda *words: float("nan"))
    with pytest.raises(training.TrainingError, match="accuracy on validation classes became nan after 5 steps"):
        run_job(tiny("dimco-infomax"), few_shot_root, CPU, PROTOCOL)


def test_a_second_generation_learns_from_the_first_which_is_kept(few_shot_root, tmp_path):
    first = tiny("cross-entropy", shots=5)
    second = replace(first, generations=2)
    record = run_job(second, few_shot_root, CPU, PROTOCOL, models=tmp_path)
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == ["cifar-fs-conv4-10-1-0.safetensors", "cifar-fs-conv4-10-2-0.safetensors"]
    assert record["job"]["generations"] == 2
    assert record["bits"] == 32 * 64
    one, two = (EmbeddingModel.load(tmp_path / name).head.weight for name in kept)
    assert one.shape == two.shape == (8, 64)
    assert not torch.equal(one, two)


def test_codes_begin_with_the_classifier_in_the_file(few_shot_root, tmp_path, monkeypatch):
    job = tiny("dimco-distance")
    record = run_job(job, few_shot_root, CPU, PROTOCOL, models=tmp_path)
    trained = []
    real = training.train
    monkeypatch.setattr(
        training, "train", lambda network, *words, **rest: trained.append(network) or real(network, *words, **rest)
    )
    again = run_job(job, few_shot_root, CPU, PROTOCOL, models=tmp_path)
    assert len(trained) == 1
    assert again["accuracies"] == record["accuracies"]
    starts = record["classifier"]["starts"]
    assert [(start["power"], start["whitening"]) for start in starts] == [
        (1.0, 0.0),
        (1.0, 0.5),
        (0.5, 0.0),
        (0.5, 0.5),
    ]
    assert record["looks"][0]["value"] == max(start["value"] for start in starts)


def test_a_classifier_cut_short_is_not_kept(few_shot_root, tmp_path):
    job = tiny("cross-entropy", steps=100)
    record = run_job(job, few_shot_root, CPU, PROTOCOL, deadline=time.monotonic(), models=tmp_path)
    assert record["complete"] is False
    assert list(tmp_path.iterdir()) == []
