"""FewShotJob: every setting of one training run and of its evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, Self, get_args

from dimco.errors import InputError
from dimco.spec import CodeSpec

Experiment = Literal["fewshot", "pilot", "throughput", "correlation", "small-train"]

CODE_METHODS = ("dimco-infomax", "dimco-decoder", "dimco-both", "dimco-distance")
EPISODIC_METHODS = ("protonet", "matchingnet", "relationnet", "r2d2")
METRIC_METHODS = ("triplet", "npair", "cross-entropy")
METHODS = (*CODE_METHODS, *EPISODIC_METHODS, *METRIC_METHODS)
BACKBONES = ("conv4", "resnet12")
DATASETS = ("miniimagenet", "cifar-fs")


@dataclass(frozen=True)
class FewShotJob:
    """One run: a method on a backbone and a data set, with a seed.

    Parameters
    ----------
    experiment : {"fewshot", "pilot", "throughput", "correlation", "small-train"}
        "pilot" is measured on validation classes alone.
    dataset, backbone, method : str
    k, d : int
        Of the code; 0 for methods whose embeddings are floats. In "correlation" every method has a code head.
    seed : int
    steps : int
        Batches trained on; the learning rate falls along a cosine over them.
    classifier_steps : int
        Of "dimco-distance": batches that a classifier of the training classes was trained on before, whose features
        the code begins with.
    generations : int
        Of classifiers, each but the first with the one before as its teacher.
    classes, items : int
        Classes of a batch, and items of each.
    images_a_class : int
        Training images of each class that may be used; 0 for all.
    optimizer : {"sgd", "adam"}
    lr, weight_decay : float
    width : int
        Width of the code head's hidden layer, or of a float embedding; 0 takes the backbone's features as they are.
    shots : int
        Items of each class in a batch that are the support, for the episodic methods.
    independence : float
        The paper's lambda, the weight of the dependence between positions (eq. 11).
    sharpness : float
        Factor on the logits of a code, in training and after it.
    temperature : float
        Divides the class scores of the decoder objective.
    decoder : float
        Weight of the decoder's part in "dimco-both", beside the mean over positions of the paper's loss.
    information : float
        Weight of that mean in "dimco-distance", beside the loss of tasks.
    label_smoothing : float
        Of the decoder objective.
    validations : int
        How often validation classes are looked at; the best of these states is kept.
    """

    experiment: Experiment = "fewshot"
    dataset: str = "miniimagenet"
    backbone: str = "conv4"
    method: str = "dimco-decoder"
    k: int = 0
    d: int = 0
    seed: int = 0
    steps: int = 26_000
    classifier_steps: int = 0
    generations: int = 1
    classes: int = 10
    items: int = 10
    images_a_class: int = 0
    optimizer: Literal["sgd", "adam"] = "sgd"
    lr: float = 0.1
    weight_decay: float = 5e-4
    width: int = 0
    shots: int = 5
    independence: float = 1.0
    sharpness: float = 1.0
    temperature: float = 4.0
    decoder: float = 1.0
    information: float = 0.0
    label_smoothing: float = 0.0
    validations: int = 20

    def __post_init__(self) -> None:
        for name, allowed in (
            ("experiment", get_args(Experiment)),
            ("backbone", BACKBONES),
            ("method", METHODS),
            ("optimizer", ("sgd", "adam")),
        ):
            if getattr(self, name) not in allowed:
                raise InputError(f"expected {name} of {', '.join(allowed)}; got {getattr(self, name)!r}")
        has_code = self.learns_codes or self.experiment == "correlation"
        if has_code != bool(self.k and self.d):
            wanted = "k and d" if has_code else "no k and d"
            raise InputError(f"expected {wanted} for {self.method}; got {self.k} and {self.d}")
        if (self.method == "dimco-distance") != bool(self.classifier_steps):
            wanted = "classifier_steps" if self.method == "dimco-distance" else "no classifier_steps"
            raise InputError(f"expected {wanted} for {self.method}; got {self.classifier_steps}")
        for name in ("steps", "generations", "classes", "items", "validations"):
            if getattr(self, name) < 1:
                raise InputError(f"expected {name} of at least 1; got {getattr(self, name)}")

    @property
    def learns_codes(self) -> bool:
        return self.method in CODE_METHODS

    @property
    def spec(self) -> CodeSpec:
        return CodeSpec(self.k, self.d)

    @property
    def code(self) -> str:
        """The code as people write it, "64x128", or "" without one."""
        return f"{self.k}x{self.d}" if self.k else ""

    @property
    def batch_size(self) -> int:
        return self.classes * self.items

    def fitting(self, classes: int) -> Self:
        """The job for a data set of so many classes: where a batch would have more, it has more items of each."""
        ways = min(self.classes, classes)
        return replace(self, classes=ways, items=self.batch_size // ways)

    @property
    def cell(self) -> tuple[str, str, str, str, str]:
        """What a row of the results is about."""
        return self.experiment, self.dataset, self.backbone, self.method, self.code

    @property
    def title(self) -> str:
        return ":".join(part for part in (*self.cell, f"seed{self.seed}") if part)

    def as_record(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """The job whose settings stand in a record, as JSON keeps them; settings it lacks have their defaults."""
        known = {field.name for field in fields(cls)}
        unknown = [name for name in record if name not in known]
        if unknown:
            raise InputError(f"expected settings of {', '.join(sorted(known))}; got {', '.join(unknown)}")
        return cls(**record)
