"""RetrievalJob: every setting of one training for retrieval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from dimco.baselines.metric.retrieval_losses import RETRIEVAL_LOSSES
from dimco.errors import InputError
from dimco.spec import CodeSpec

Stage = Literal["select", "final"]
Crop = Literal["plain", "resized"]

OURS = ("dimco-infomax", "dimco-decoder")
METHODS = (*OURS, *RETRIEVAL_LOSSES)
HEADS = ("distance", "linear")
CODES = "32x32,64x64,128x128,256x256"


@dataclass(frozen=True)
class RetrievalJob:
    """One training: a backbone, and the heads that share it.

    Parameters
    ----------
    dataset : str
        Name of the files of pixels or features.
    method : str
        "dimco-infomax" or "dimco-decoder", the objective of the codes; or a loss of
        `dimco.baselines.metric.retrieval_losses`, for embeddings of `width`.
    head : {"distance", "linear"}
        Of the codes.
    codes : str
        Codes that are learned together on one backbone, with commas between.
    stage : {"select", "final"}
        "select" holds out the last fifth of the training classes, measures on them after every epoch, and keeps the
        best. "final" trains on all training classes and measures once, on the test classes.
    epochs, warmup, stop : int
        `warmup` of the epochs leave the backbone as it is; `stop`, if not 0, ends before the learning rate has come
        down to zero.
    batch_size, classes_a_batch : int
    lr, head_lr, centroid_lr, proxy_lr, weight_decay : float
        Of the backbone; as factors for the heads' layers, for centroids, and for proxies; and of all.
    width : int
        Of the baselines' embeddings.
    hidden : int
        Most that z of a distance head may have; no more than 8 numbers a position are used.
    metric, decoded, information : float
        Weights of Proxy-Anchor on z, of the same on what the code stands for, and of the objective of the codes, in
        nats a position.
    independence : float
        lambda of eq. 12.
    refits, mixtures : int
        How often, spread evenly over the training, centroids are placed anew by OPQ of z; and how many points between
        items count for it beside each item, as unseen classes lie between those seen.
    crop, least_area : str, float
        "plain" cuts a square of 224 at random; "resized" cuts from `least_area` of the picture to all of it, and
        resizes.
    pooling : str
        See `ResNet50`.
    power, whitening : float
        See `DistanceHead`, of a head on pictures; of features that stay as they are, `power` is taken for every method.
    seed : int
    """

    dataset: str = "cub"
    method: str = "dimco-infomax"
    head: str = "distance"
    codes: str = CODES
    stage: Stage = "final"
    epochs: int = 20
    warmup: int = 1
    stop: int = 0
    batch_size: int = 128
    classes_a_batch: int = 32
    lr: float = 1e-4
    head_lr: float = 1.0
    centroid_lr: float = 10.0
    proxy_lr: float = 100.0
    weight_decay: float = 1e-4
    width: int = 128
    hidden: int = 512
    metric: float = 1.0
    decoded: float = 1.0
    information: float = 1.0
    independence: float = 1.0
    refits: int = 2
    mixtures: int = 1
    crop: Crop = "resized"
    least_area: float = 0.2
    pooling: str = "mean+max"
    power: float = 1.0
    whitening: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, known in (
            ("method", self.method, METHODS),
            ("head", self.head, HEADS),
            ("stage", self.stage, get_args(Stage)),
            ("crop", self.crop, get_args(Crop)),
        ):
            if value not in known:
                raise InputError(f"expected a {name} of {', '.join(known)}; got {value!r}")
        if self.warmup > self.epochs or self.batch_size % self.classes_a_batch:
            raise InputError(
                f"expected warmup within {self.epochs} epochs and whole classes in batches of {self.batch_size}; "
                f"got {self.warmup} and {self.classes_a_batch} classes"
            )

    @property
    def last_epoch(self) -> int:
        return min(self.stop or self.epochs, self.epochs)

    @property
    def ours(self) -> bool:
        return self.method in OURS

    @property
    def specs(self) -> list[CodeSpec]:
        return [CodeSpec.parse(text) for text in self.codes.split(",")] if self.ours else []

    @property
    def title(self) -> str:
        changed = [
            f"{f.name}={getattr(self, f.name)}"
            for f in fields(self)
            if f.name not in ("dataset", "method", "stage") and getattr(self, f.name) != f.default
        ]
        return ":".join([self.dataset, self.method, self.stage]) + "".join(f"+{text}" for text in changed)

    def as_record(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def parse(cls, text: str) -> RetrievalJob:
        """A job named as `title` names it: DATASET:METHOD:STAGE+setting=value+..."""
        names, *settings = text.split("+")
        given: dict[str, Any] = dict(zip(("dataset", "method", "stage"), names.split(":"), strict=False))
        kinds: Mapping[str, type] = {f.name: type(f.default) for f in fields(cls)}
        for setting in _joined(settings):
            name, found, value = setting.partition("=")
            if not found or name not in kinds:
                raise InputError(f"expected settings NAME=VALUE of {', '.join(kinds)}; got {setting!r}")
            try:
                given[name] = kinds[name](value)
            except ValueError:
                raise InputError(f"expected a number for {name}; got {value!r}") from None
        return cls(**given)


def _joined(settings: list[str]) -> list[str]:
    """A value may hold a plus, as `pooling=mean+max` does."""
    joined: list[str] = []
    for setting in settings:
        if "=" in setting or not joined:
            joined.append(setting)
        else:
            joined[-1] += f"+{setting}"
    return joined
