"""Pilots: short runs that compare settings on validation classes, one change at a time from a base."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.settings import settings_of

_STEPS = {"conv4": 6_000, "resnet12": 5_000}
_CODE = {"conv4": (64, 128), "resnet12": (128, 128)}

INFOMAX_CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"independence": 3.0},
    {"sharpness": 4.0},
    {"sharpness": 4.0, "independence": 3.0},
    {"sharpness": 4.0, "independence": 10.0},
    {"sharpness": 4.0, "independence": 0.3},
    {"sharpness": 2.0, "independence": 3.0},
    {"sharpness": 10.0, "independence": 3.0},
    {"sharpness": 4.0, "lr": 0.03},
    {"sharpness": 4.0, "lr": 0.3},
    {"optimizer": "adam", "lr": 1e-3, "weight_decay": 0.0},
    {"sharpness": 4.0, "optimizer": "adam", "lr": 1e-3, "weight_decay": 0.0},
    {"sharpness": 4.0, "classes": 20, "items": 5},
    {"sharpness": 4.0, "classes": 64, "items": 4},
)
DECODER_CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"temperature": 8.0},
    {"temperature": 16.0},
    {"label_smoothing": 0.1},
    {"sharpness": 2.0},
    {"classes": 64, "items": 4},
    {"lr": 0.05},
)
BOTH_CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"sharpness": 4.0},
    {"sharpness": 4.0, "decoder": 0.3},
)
DISTANCE_CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"lr": 2e-3},
    {"classes": 10, "items": 10},
    {"information": 1.0},
)
_DISTANCE = {"steps": 1_500, "classifier_steps": 6_000}


def pilot_jobs(dataset: str, backbone: str) -> list[FewShotJob]:
    """Every change of each of our objectives, with the longest code of the backbone."""
    k, d = _CODE[backbone]
    base = FewShotJob("pilot", dataset, backbone, k=k, d=d, steps=_STEPS[backbone], validations=4)
    changes = {"dimco-infomax": INFOMAX_CHANGES, "dimco-decoder": DECODER_CHANGES, "dimco-both": BOTH_CHANGES}
    trained = [replace(base, method=method, **change) for method, of_method in changes.items() for change in of_method]
    begun = {**_DISTANCE, **settings_of("dimco-distance", backbone), "method": "dimco-distance"}
    return trained + [replace(base, **{**begun, **change}) for change in DISTANCE_CHANGES]
