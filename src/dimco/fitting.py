"""From embeddings and labels to a trained CodeModel, with the paper's settings as defaults."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from torch import nn

from dimco.backbones import Standardize
from dimco.codewords import class_codewords
from dimco.errors import InputError
from dimco.heads import HEADS, CodeHead, CodewordHead, MLPHead, build_head
from dimco.inputs import check_features
from dimco.model import CodeModel
from dimco.objectives import ClassInfomax, DecoderInfomax, Infomax
from dimco.randomness import generator, seeded
from dimco.ranks import ALONE, Processes
from dimco.spec import CodeSpec
from dimco.training import ArrayData, EpochRecord, TrainingConfig, train
from dimco.training.batches import steps_per_epoch
from dimco.training.split import held_out_split

ObjectiveName = Literal["infomax", "decoder"]
HeadName = Literal["linear", "mlp", "codeword"]

OBJECTIVES = ("infomax", "decoder")
_EPOCHS = {"linear": 40, "mlp": 20, "codeword": 20}
_LEARNING_RATE = {"linear": 1e-2, "mlp": 5e-3, "codeword": 5e-3}
_LARGEST_BATCH, _SMALLEST_BATCH, _LEAST_STEPS = 1024, 64, 600
_JOINT_SYMBOLS, _FEW_SYMBOLS = 256, 4


@dataclass(frozen=True)
class FitSettings:
    """How to learn a code from embeddings; None lets the data and the head decide.

    Parameters
    ----------
    k, d : int
        Symbols and positions of the code.
    objective : {"infomax", "decoder"}
        `Infomax`, the paper's, or `DecoderInfomax`.
    head : {"linear", "mlp", "codeword"}
        `LinearHead`, the paper's, `MLPHead` or `CodewordHead`. "codeword" wants the decoder objective, which
        then trains the class scores as a code of their own (`ClassInfomax`) before each class gets its codeword.
    hidden : int, optional
        Width of the head's inner layer; 128 for linear, 512 for the others.
    independence : float
        The paper's lambda; used by "infomax" alone.
    group : int, optional
        Positions whose information is taken together, see `Infomax`; used by "infomax" alone. By default all
        of them where the code has at most 256 codewords, else as many as have 256 joint symbols where k is at
        most 4, else one (the paper's).
    label_smoothing : float
        Of the decoder objective's loss.
    epochs : int, optional
        40 for linear, 20 for the others, and more on small data, so that there are at least 600 steps.
    batch_size : int, optional
        An eighth of the items, from 64 to 1,024.
    lr : float, optional
        1e-2 for linear (the paper's), 5e-3 for the others.
    balanced : int, optional
        Classes a batch, see `TrainingConfig`.
    held_out : float
        Fraction of each class held out to measure information; 0 for none.
    patience : int, optional
        Epochs without more held-out information before training stops.
    seed : int
    device : str
    """

    k: int = 16
    d: int = 8
    objective: ObjectiveName = "infomax"
    head: HeadName = "linear"
    hidden: int | None = None
    independence: float = 1.0
    group: int | None = None
    label_smoothing: float = 0.1
    epochs: int | None = None
    batch_size: int | None = None
    lr: float | None = None
    balanced: int | None = None
    held_out: float = 0.0
    patience: int | None = None
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            raise InputError(f"expected an objective of {', '.join(OBJECTIVES)}; got {self.objective!r}")
        if self.head not in HEADS:
            raise InputError(f"expected a head of {', '.join(HEADS)}; got {self.head!r}")
        if self.head == "codeword" and self.objective != "decoder":
            raise InputError(f"expected the decoder objective with the codeword head; got {self.objective!r}")
        if self.group is not None and self.group < 1:
            raise InputError(f"expected groups of at least 1 position; got {self.group}")
        if self.hidden is not None and self.hidden < 1:
            raise InputError(f"expected a hidden width of at least 1; got {self.hidden}")
        if not 0 <= self.held_out < 1:
            raise InputError(f"expected a held-out fraction from 0 to below 1; got {self.held_out}")
        if self.patience is not None and self.held_out == 0:
            raise InputError("expected a held-out fraction above 0 for early stopping; got patience without it")

    @property
    def spec(self) -> CodeSpec:
        return CodeSpec(self.k, self.d)

    @property
    def positions_together(self) -> int:
        """`group`, or its default for this code."""
        if self.group is not None:
            return self.group
        most = int(math.log(_JOINT_SYMBOLS + 0.5, self.k))
        return min(most, self.d) if most >= self.d or self.k <= _FEW_SYMBOLS else 1

    def training(self, items: int) -> TrainingConfig:
        """The training settings for that many items."""
        batch = self.batch_size
        if batch is None:
            batch = max(_SMALLEST_BATCH, min(_LARGEST_BATCH, items // 8))
        steps = steps_per_epoch(items, min(batch, items))
        epochs = self.epochs
        if epochs is None:
            epochs = max(_EPOCHS[self.head], -(-_LEAST_STEPS // steps))
        return TrainingConfig(
            epochs=epochs,
            batch_size=batch,
            lr=_LEARNING_RATE[self.head] if self.lr is None else self.lr,
            balanced=self.balanced,
            patience=self.patience,
            seed=self.seed,
            device=self.device,
        )


@dataclass(frozen=True)
class FittedCode:
    """What `fit_code` returns: the model, the objective it was trained with, and what happened."""

    model: CodeModel
    objective: nn.Module
    history: list[EpochRecord]


def fit_code(
    x: Any,
    labels: NDArray[np.int64],
    classes: int,
    settings: FitSettings,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    on_epoch: Callable[[EpochRecord], None] | None = None,
    processes: Processes = ALONE,
) -> FittedCode:
    """Learn a code from embeddings.

    Parameters
    ----------
    x : array, memory-mapped array or Tensor of shape (N, features)
    labels : ndarray of shape (N,), int64
        Class indices from 0 to classes - 1.
    classes : int
    settings : FitSettings
    checkpoint, resume, on_epoch, processes
        See `dimco.training.train`.
    """
    check_features(x)
    spec = settings.spec
    rows = held_out_rows = None
    if settings.held_out > 0:
        rows, held_out_rows = held_out_split(labels, settings.held_out, generator(settings.seed, "split"))
    data = ArrayData(x, labels, rows)
    held_out = None if held_out_rows is None else ArrayData(x, labels, held_out_rows)
    with seeded(settings.seed, "weights"):
        model = CodeModel(Standardize(x.shape[1]).fit(x, settings.seed), _trained_head(settings, x.shape[1], classes))
        objective = _objective(settings, data.labels, classes)
    config = settings.training(len(data.labels))
    history = train(model, objective, data, config, held_out, checkpoint, resume, on_epoch, processes=processes)
    if settings.head == "codeword":
        model = with_codewords(model, spec, settings.seed)
    model.metadata = {
        "settings": asdict(settings),
        "items": len(data.labels),
        "epochs": len(history),
        "seconds": round(sum(epoch.seconds for epoch in history), 3),
        "information_bits": history[-1].information_bits,
    }
    return FittedCode(model, objective, history)


def with_codewords(scores: CodeModel, spec: CodeSpec, seed: int = 0) -> CodeModel:
    """The model that gives each class a codeword, from a model whose head ends in class scores.

    That is one trained with `ClassInfomax`, or one with a `CodewordHead`, whose classes get other codewords.
    """
    given = scores.head
    if not isinstance(given, CodewordHead) and not (isinstance(given, MLPHead) and given.spec.d == 1):
        raise InputError(f"expected a head of class scores; got {type(given).__name__} of {given.spec}")
    last = cast(nn.Linear, given.layers[-1])
    with seeded(seed, "codewords"):
        head = CodewordHead(spec=spec, **{**given.config, "classes": last.out_features})
    head.layers.load_state_dict(given.layers.state_dict())
    vectors = last.weight.detach().double().numpy()
    head.assign(class_codewords(vectors, spec, generator(seed, "codewords")))
    return CodeModel(scores.backbone, head).eval()


def _trained_head(settings: FitSettings, features: int, classes: int) -> CodeHead:
    options = {} if settings.hidden is None else {"hidden": settings.hidden}
    if settings.head == "codeword":
        return build_head("mlp", CodeSpec(classes, 1), features=features, **options)
    return build_head(settings.head, settings.spec, features=features, **options)


def _objective(settings: FitSettings, labels: NDArray[np.int64], classes: int) -> nn.Module:
    if settings.objective == "infomax":
        return Infomax(settings.independence, group=settings.positions_together)
    counts = np.maximum(np.bincount(labels, minlength=classes), 1)
    prior = (counts / counts.sum()).tolist()
    if settings.head == "codeword":
        return ClassInfomax(classes, prior, settings.label_smoothing)
    return DecoderInfomax(settings.spec, classes, prior, settings.label_smoothing)
