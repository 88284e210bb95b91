"""The settings that each method trains with; those of the codes were compared on validation classes."""

from __future__ import annotations

from typing import Any

from dimco.experiments.fewshot.job import CODE_METHODS

CODE_SETTINGS: dict[str, dict[str, Any]] = {
    "dimco-infomax": {"sharpness": 4.0, "independence": 0.1},
    "dimco-decoder": {"temperature": 4.0, "classes": 50, "items": 2},
    "dimco-both": {"temperature": 4.0, "independence": 0.1},
    "dimco-distance": {"lr": 5e-4, "shots": 1, "classes": 50, "items": 2},
}
EMBEDDING_SETTINGS: dict[str, dict[str, Any]] = {
    "conv4": {"optimizer": "adam", "lr": 1e-3, "weight_decay": 0.0},
    "resnet12": {"lr": 0.05},
}


METHOD_SETTINGS: dict[str, dict[str, Any]] = {"cross-entropy": {"classes": 50, "items": 2}}


def settings_of(method: str, backbone: str) -> dict[str, Any]:
    """Settings of `FewShotJob` that are not its defaults."""
    if method in CODE_METHODS:
        return CODE_SETTINGS[method]
    return EMBEDDING_SETTINGS[backbone] | METHOD_SETTINGS.get(method, {})
