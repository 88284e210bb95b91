"""The runs of the study of small training sets: a random sweep of each method at each number of images a class."""

from __future__ import annotations

import math
from typing import Any

from dimco.experiments.fewshot.job import FewShotJob
from dimco.randomness import generator

METHODS = ("dimco-infomax", "triplet", "npair", "protonet")
IMAGES_A_CLASS = (1, 4, 16, 64)
GRIDS = {"paper": 64, "quick": 16}
TOP = 5
_LR = (1e-7, 1e-3)
_CODES = ((64, 64), (64, 128))
_WIDTHS = (64, 128)
_STEPS = 2_000
_CLASSES, _MOST_ITEMS = 10, 10
_CLASSES_OF_ONE = 64

CANNOT = {
    "triplet": "needs a second image of a class, for its positive",
    "npair": "needs a second image of a class, for its pair",
    "protonet": "needs a second image of a class, for its query",
}


def small_train_jobs(dataset: str, backbone: str, runs: int = GRIDS["quick"]) -> list[FewShotJob]:
    """`runs` draws of learning rate and size for each method and number of images, without those that cannot train."""
    return [
        _drawn(dataset, backbone, method, images, run)
        for run in range(runs)
        for images in IMAGES_A_CLASS
        for method in METHODS
        if not cannot(method, images)
    ]


def cannot(method: str, images: int) -> str | None:
    """Why a method cannot learn from so few images of each class; None if it can."""
    return CANNOT.get(method) if images == 1 else None


def _drawn(dataset: str, backbone: str, method: str, images: int, run: int) -> FewShotJob:
    """A run of the sweep: its draws depend on its number alone, so that every method gets the same learning rates."""
    rng = generator(run, "small train")
    low, high = (math.log(bound) for bound in _LR)
    lr, size = math.exp(rng.uniform(low, high)), int(rng.integers(len(_CODES)))
    batch: dict[str, Any] = {"classes": _CLASSES, "items": min(images, _MOST_ITEMS), "shots": 1 if images < 10 else 5}
    if images == 1:
        batch["classes"] = _CLASSES_OF_ONE
    if method == "dimco-infomax":
        k, d = _CODES[size]
        shape: dict[str, Any] = {"k": k, "d": d, "sharpness": 4.0, "independence": 0.1}
    else:
        shape = {"width": _WIDTHS[size]}
    common: dict[str, Any] = {"seed": run, "steps": _STEPS, "validations": 4, "images_a_class": images}
    fixed: dict[str, Any] = {"optimizer": "adam", "weight_decay": 0.0}
    return FewShotJob(
        "small-train", dataset, backbone, method, lr=float(f"{lr:.4g}"), **shape, **batch, **common, **fixed
    )
