"""Figures that our results stand beside: the paper's own, and those of other papers, each with its source.

Percent on 5-way tasks, one shot and five shots. Only figures that stand in the papers named are here.
"""

from __future__ import annotations

from typing import NamedTuple


class Quoted(NamedTuple):
    """A row of somebody else's results."""

    dataset: str
    backbone: str
    method: str
    one_shot: float
    five_shot: float
    source: str


PAPER: dict[tuple[str, str, str], tuple[float, float]] = {
    ("miniimagenet", "conv4", "64x128"): (53.29, 64.79),
    ("miniimagenet", "resnet12", "128x128"): (57.24, 69.31),
}
"""DIMCO in table 3 of arXiv 1905.11656v2, by data set, backbone and code."""

_SNELL = "Snell et al. 2017"
_METAOPT = "Lee et al. 2019"

QUOTED = (
    Quoted("miniimagenet", "conv4", "metalstm", 43.44, 60.60, "Ravi, Larochelle 2017"),
    Quoted("miniimagenet", "conv4", "matchingnet", 43.56, 55.31, "Ravi, Larochelle 2017"),
    Quoted("miniimagenet", "conv4", "protonet", 49.42, 68.20, _SNELL),
    Quoted("miniimagenet", "conv4", "relationnet", 50.44, 65.32, "Sung et al. 2018"),
    Quoted("miniimagenet", "conv4", "r2d2", 51.2, 68.8, "Bertinetto et al. 2019; a wider Conv4, 96-192-384-512"),
    Quoted("miniimagenet", "conv4", "tpn", 53.75, 69.43, "Liu et al. 2019; transductive"),
    Quoted("miniimagenet", "resnet12", "snail", 55.71, 68.88, "Mishra et al. 2018"),
    Quoted("miniimagenet", "resnet12", "adaresnet", 56.88, 71.94, "Munkhdalai et al. 2018"),
    Quoted("miniimagenet", "resnet12", "tadam", 58.50, 76.70, "Oreshkin et al. 2018"),
    Quoted("miniimagenet", "resnet12", "metaoptnet-svm", 62.64, 78.63, _METAOPT),
    Quoted("miniimagenet", "resnet12", "feat", 66.78, 82.05, "Ye et al. 2020"),
    Quoted("cifar-fs", "conv4", "protonet", 55.5, 72.0, _METAOPT),
    Quoted("cifar-fs", "conv4", "relationnet", 55.0, 69.3, _METAOPT),
    Quoted("cifar-fs", "conv4", "r2d2", 65.3, 79.4, f"{_METAOPT}; a wider Conv4, 96-192-384-512"),
    Quoted("cifar-fs", "resnet12", "protonet", 72.2, 83.5, _METAOPT),
    Quoted("cifar-fs", "resnet12", "metaoptnet-svm", 72.0, 84.2, _METAOPT),
)


class Goal(NamedTuple):
    """Numbers to reach by one method, or by the best of several, and whose they are."""

    dataset: str
    backbone: str
    name: str
    methods: tuple[str, ...]
    code: str
    rules: tuple[str, ...]
    one_shot: float | None
    five_shot: float | None
    whose: str


_CODES = ("dimco-infomax", "dimco-decoder", "dimco-both", "dimco-distance")
_ANY_CODE = ""
_NEAREST, _AGGREGATED, _EITHER = ("nearest",), ("aggregated",), ("nearest", "aggregated")

GOALS = (
    Goal("miniimagenet", "conv4", "codes", _CODES, "64x128", _NEAREST, 53.29, 64.79, "the paper"),
    Goal("miniimagenet", "conv4", "codes, aggregated", _CODES, "64x128", _AGGREGATED, 53.29, 68.8, "the paper; R2D2"),
    Goal("miniimagenet", "conv4", "protonet", ("protonet",), _ANY_CODE, (), 49.42, 68.20, _SNELL),
    Goal("miniimagenet", "resnet12", "codes", _CODES, "128x128", _EITHER, 57.24, 69.31, "the paper"),
    Goal("miniimagenet", "resnet12", "codes, aim", _CODES, "128x128", _EITHER, 62.64, 78.63, "MetaOptNet-SVM"),
    Goal("cifar-fs", "conv4", "codes", _CODES, "64x128", _EITHER, 55.5, 72.0, "ProtoNet, Lee et al. 2019"),
    Goal("cifar-fs", "resnet12", "codes", _CODES, "128x128", _EITHER, 72.2, 83.5, "ProtoNet, Lee et al. 2019"),
)
