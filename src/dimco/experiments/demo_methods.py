"""What the demo compares: the digits, and every method's codes of them at one number of bits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from dimco.baselines import FloatKNN, ProductQuantizer, ScalarQuantizer, TableQuantizer, knn_top1
from dimco.classify import knn_predict
from dimco.codes import Codes
from dimco.extras import require
from dimco.fitting import FitSettings, HeadName, ObjectiveName, fit_code
from dimco.metrics import accuracy
from dimco.model import CodeModel
from dimco.similarity import code_scores
from dimco.spec import CodeSpec

CLASSES = 10
NEIGHBOURS = 10
_OURS: dict[str, tuple[ObjectiveName, HeadName]] = {
    "dimco-infomax": ("infomax", "linear"),
    "dimco-decoder": ("decoder", "mlp"),
}


class Digits(NamedTuple):
    """Stored items and queries."""

    x: NDArray[np.float32]
    y: NDArray[np.int64]
    query_x: NDArray[np.float32]
    query_y: NDArray[np.int64]


class Coded(NamedTuple):
    """One method's code: the stored items, the tables of the queries, and the accuracy in percent."""

    method: str
    codes: Codes
    tables: Tensor
    top1: float
    model: CodeModel | None = None


def load_digits_split(seed: int) -> Digits:
    """scikit-learn's 1,797 digits of 8 x 8 pixels, two thirds stored and one third asked for, by class."""
    x, y = require("sklearn.datasets").load_digits(return_X_y=True)
    split = require("sklearn.model_selection").train_test_split
    stored, asked = split(np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=seed)
    x, y = x.astype(np.float32), y.astype(np.int64)
    return Digits(x[stored], y[stored], x[asked], y[asked])


def float_knn(digits: Digits) -> float:
    """Accuracy in percent of the vote by Euclidean distance of the pixels; they are integers, so it is exact."""
    x, y, query_x, query_y = digits
    return knn_top1(FloatKNN().fit(x), x, y, query_x, query_y, NEIGHBOURS)


def compare(spec: CodeSpec, digits: Digits, seed: int) -> Iterator[Coded]:
    """Every method at this code, learned from the stored items alone."""
    quantizers: tuple[TableQuantizer, ...] = (ScalarQuantizer(spec), ProductQuantizer(spec, seed))
    for quantizer in quantizers:
        codes = quantizer.fit(digits.x).encode(digits.x)
        yield _coded(quantizer.name, codes, quantizer.tables(digits.query_x), digits)
    for method, (objective, head) in _OURS.items():
        settings = FitSettings(k=spec.k, d=spec.d, objective=objective, head=head, seed=seed, device="cpu")
        model = fit_code(digits.x, digits.y, CLASSES, settings).model
        model.metadata.pop("seconds")
        model.metadata |= {"classes": list(range(CLASSES)), "data": "digits"}
        yield _coded(method, model.encode(digits.x), model.log_probs(digits.query_x), digits, model)


def search_example(coded: Coded, digits: Digits, nearest: int = 3) -> list[dict[str, Any]]:
    """The nearest stored items of the surest query, of one in the middle and of the least sure, by best score.

    Returns
    -------
    list of dict
        A record a query: `query`, `label`, `code`, and `nearest`, a list with a record for each of the nearest
        codes in use: `score`, `code`, `items` and `labels`, the places and the labels of the stored items.
    """
    codewords, owner = np.unique(coded.codes.unpack(), axis=0, return_inverse=True)
    scores = code_scores(coded.tables, codewords)
    by_sureness = scores.max(1).values.argsort(descending=True, stable=True)
    order = scores.argsort(dim=1, descending=True, stable=True)[:, :nearest]
    found = []
    for query in by_sureness[[0, len(scores) // 2, -1]].tolist():
        records = []
        for code in order[query].tolist():
            items = np.flatnonzero(owner == code)
            records.append(
                {
                    "score": float(scores[query, code]),
                    "code": _spelled(codewords[code]),
                    "items": items.tolist(),
                    "labels": digits.y[items].tolist(),
                }
            )
        symbols = coded.tables[query].argmax(-1).numpy()
        found.append(
            {"query": query, "label": int(digits.query_y[query]), "code": _spelled(symbols), "nearest": records}
        )
    return found


def _coded(method: str, codes: Codes, tables: Tensor, digits: Digits, model: CodeModel | None = None) -> Coded:
    predicted = knn_predict(tables, codes, digits.y, NEIGHBOURS)
    return Coded(method, codes, tables, 100 * accuracy(predicted, digits.query_y), model)


def _spelled(symbols: NDArray[Any]) -> str:
    return "-".join(str(symbol) for symbol in symbols.tolist())
