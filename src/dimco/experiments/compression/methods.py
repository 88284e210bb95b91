"""Every method of the comparison, ours among them, with the face of a `Quantizer`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

from torch import Tensor

from dimco.baselines import QUANTIZERS, Quantizer
from dimco.codes import Codes
from dimco.errors import InputError
from dimco.evaluation import evaluate
from dimco.experiments.compression.data import Embeddings
from dimco.fitting import FitSettings, fit_code, with_codewords
from dimco.model import CodeModel
from dimco.randomness import generator
from dimco.similarity import code_scores
from dimco.spec import CodeSpec
from dimco.training.split import held_out_split

OURS: dict[str, FitSettings] = {
    "dimco-infomax": FitSettings(objective="infomax", head="linear"),
    "dimco-positions": FitSettings(objective="infomax", head="linear", group=1),
    "dimco-mlp": FitSettings(objective="decoder", head="mlp"),
    "dimco-decoder": FitSettings(objective="decoder", head="codeword"),
}
LEARNING_RATES = {"cifar10": 3e-3}  # the paper's, for the linear head; 1e-2 elsewhere
BALANCES = ((1, 0.3), (1, 1.0), (1, 3.0))
GROUPED_BALANCES = ((None, 1.0), (None, 3.0), (1, 1.0), (1, 3.0))
WHOLE_BALANCES = ((None, 1.0), (1, 1.0), (1, 3.0))
_HELD_OUT, _CHOICE_SEED = 0.1, 0
METHODS = (*OURS, *QUANTIZERS)
ONE_CODE = {"int8": lambda features: CodeSpec(256, features)}
DEFAULT_METHODS = ("dimco-infomax", "dimco-decoder", "pq", "sq")


def shares_work(name: str, spec: CodeSpec, seed: int) -> tuple[Any, ...]:
    """Equal for cells that share a training, or the choice of settings."""
    if name not in OURS:
        return name, spec, seed
    return (name, seed) if OURS[name].head == "codeword" else (name, spec)


class LearnedCode:
    """A trained `CodeModel` as a quantizer."""

    def __init__(self, name: str, train: Callable[[], CodeModel], spec: CodeSpec) -> None:
        self.name, self.bits, self._train = name, spec.bits, train
        self.facts: dict[str, Any] = {}

    def fit(self, x: Any, y: Any = None) -> Self:
        self.model = self._train()
        settings = self.model.metadata.get("settings", {})
        if settings.get("objective") == "infomax":
            self.facts = {"independence": settings["independence"], "group": FitSettings(**settings).positions_together}
        return self

    def encode(self, x: Any) -> Codes:
        return self.model.encode(x)

    def scores(self, queries: Any, codes: Codes) -> Tensor:
        return code_scores(self.model.log_probs(queries), codes.unpack())


class Methods:
    """Makes the methods for one data set, and trains what several codes share only once.

    Parameters
    ----------
    data : Embeddings
    """

    def __init__(self, data: Embeddings) -> None:
        self.data = data
        self._scores: dict[int, CodeModel] = {}
        self._balances: dict[tuple[str, CodeSpec], FitSettings] = {}

    def make(self, name: str, spec: CodeSpec, seed: int) -> Quantizer:
        """The method of that name; `InputError` if there is none, or if it cannot make such a code."""
        if name in QUANTIZERS:
            return QUANTIZERS[name](spec, seed)
        if name not in OURS:
            raise InputError(f"expected a method of {', '.join(METHODS)}; got {name!r}")
        settings = replace(OURS[name], k=spec.k, d=spec.d, seed=seed)
        if settings.head == "codeword":
            return LearnedCode(name, lambda: with_codewords(self._class_scores(settings), spec, seed), spec)
        if settings.objective == "infomax":
            settings = replace(settings, lr=LEARNING_RATES.get(self.data.name))
            return LearnedCode(name, lambda: self._fitted(self._balanced(name, settings)), spec)
        return LearnedCode(name, lambda: self._fitted(settings), spec)

    def _fitted(self, settings: FitSettings) -> CodeModel:
        return fit_code(self.data.x, self.data.y, self.data.classes, settings).model

    def _balanced(self, name: str, settings: FitSettings) -> FitSettings:
        """The settings with the group size and the lambda that do best on a held-out part of the training set.

        Chosen once a code, with one seed and half the epochs, so that a run that goes on chooses as the whole run
        would have. Where all positions are taken together, lambda has no part in the loss.
        """
        if (name, settings.spec) not in self._balances:
            together = settings.positions_together
            balances = BALANCES if together == 1 else WHOLE_BALANCES if together >= settings.d else GROUPED_BALANCES
            tried = [replace(settings, group=group, independence=weight) for group, weight in balances]
            self._balances[name, settings.spec] = max(tried, key=self._held_out_top1)
        best = self._balances[name, settings.spec]
        return replace(settings, group=best.group, independence=best.independence)

    def _held_out_top1(self, settings: FitSettings) -> float:
        data = self.data
        kept, asked = held_out_split(data.y, _HELD_OUT, generator(_CHOICE_SEED, "lambda"))
        support, query = (data.x[kept], data.y[kept]), (data.x[asked], data.y[asked])
        half = max(1, settings.training(len(kept)).epochs // 2)
        tried = replace(settings, seed=_CHOICE_SEED, epochs=half)
        return evaluate(fit_code(*support, data.classes, tried).model, support, query).top1

    def _class_scores(self, settings: FitSettings) -> CodeModel:
        if settings.seed not in self._scores:
            self._scores[settings.seed] = self._fitted(settings)
        return self._scores[settings.seed]
