"""The cells of table 3 and its extension, and a short run that measures the speed of training."""

from __future__ import annotations

from typing import Any

from dimco.experiments.fewshot.job import CODE_METHODS, EPISODIC_METHODS, METRIC_METHODS, FewShotJob
from dimco.experiments.fewshot.settings import settings_of

CODES = {"conv4": ((64, 64), (64, 128)), "resnet12": ((128, 64), (128, 128))}
CODE_STEPS = {"conv4": 26_000, "resnet12": 20_000}
CLASSIFIER_STEPS = {"conv4": 12_000, "resnet12": 26_000}
DISTANCE_STEPS = 2_000
FLOAT_STEPS = {"conv4": 12_000, "resnet12": 8_000}
_SHOTS = {"protonet": (5, 1)}


def fewshot_jobs(dataset: str, backbone: str) -> list[FewShotJob]:
    """Every method on one data set and backbone, codes of both sizes; ProtoNet trained with five shots and with one."""
    common: dict[str, Any] = {"dataset": dataset, "backbone": backbone, "validations": 12}
    codes = [
        FewShotJob(**common, method=method, k=k, d=d, **_lengths(method, backbone), **settings_of(method, backbone))
        for method in CODE_METHODS
        for k, d in CODES[backbone]
    ]
    floats = [
        FewShotJob(
            **common, method=method, **{"shots": shots, **_lengths(method, backbone), **settings_of(method, backbone)}
        )
        for method in (*EPISODIC_METHODS, *METRIC_METHODS)
        for shots in _SHOTS.get(method, (5,))
    ]
    return codes + floats


def _lengths(method: str, backbone: str) -> dict[str, Any]:
    """The classifier that a distance head begins with is the one of the cross-entropy baseline."""
    if method == "dimco-distance":
        return {"steps": DISTANCE_STEPS, "classifier_steps": CLASSIFIER_STEPS[backbone]}
    if method == "cross-entropy":
        return {"steps": CLASSIFIER_STEPS[backbone]}
    return {"steps": (CODE_STEPS if method in CODE_METHODS else FLOAT_STEPS)[backbone]}


def throughput_jobs(dataset: str, backbone: str) -> list[FewShotJob]:
    """One training without a test, to be run alone: images a second, and how busy the GPU is."""
    k, d = CODES[backbone][-1]
    method = "dimco-decoder"
    settings = {**settings_of(method, backbone), "steps": 4_000, "validations": 1}
    return [FewShotJob("throughput", dataset, backbone, method, k, d, **settings)]
