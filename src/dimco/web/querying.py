"""Answers to a query: its code, the stored codewords nearest to it, and why they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from dimco.explanation import explain_codes
from dimco.web.answers import Neighbour, QueryAnswer, Share, StripPosition
from dimco.web.collection import Collection
from dimco.web.describing import class_shares, finite_bits, item_answer, top_classes

_MOST_SHARES = 16_384


def query_answer(
    collection: Collection,
    summary: list[dict[str, Any]],
    table: Tensor,
    n: int,
    each: int,
    *,
    sure: bool = True,
    place: int | None = None,
    note: str | None = None,
) -> QueryAnswer:
    """The answer to a query that keeps its probabilities.

    Parameters
    ----------
    collection : Collection
    summary : list of dict
        `Codebook.summary`.
    table : Tensor of shape (d, k)
        What each symbol adds to the score: log p, or 0 and -1 for a query of which only the code is known.
    n : int
        Codewords wanted; fewer where they are so long that the answer would be.
    each : int
        Items shown of each.
    sure : bool, default=True
        Whether the table holds log p.
    place : int, optional
        The stored item that the query is; it is not its own neighbour.
    note : str, optional
    """
    d = collection.codebook.spec.d
    wanted = min(n, max(1, _MOST_SHARES // d))
    found, scores = collection.codewords.nearest(table, wanted if place is None else wanted + 1)
    neighbours: list[Neighbour] = []
    for codeword, score in zip(found.tolist(), scores.tolist(), strict=True):
        members = collection.codewords.members(codeword)
        members = members if place is None else members[members != place]
        if len(members) and len(neighbours) < wanted:
            neighbours.append(_neighbour(collection, table, codeword, members, score, each, sure))
    return QueryAnswer(
        item=None if place is None else item_answer(collection, place),
        note=note,
        strip=_strip(collection, summary, table, sure),
        best_cost=_cost(float(table.max(-1).values.double().sum()), sure) or 0.0,
        neighbours=neighbours,
    )


def _neighbour(
    collection: Collection,
    table: Tensor,
    codeword: int,
    members: NDArray[np.int64],
    score: float,
    each: int,
    sure: bool,
) -> Neighbour:
    code = collection.codewords.symbols[codeword]
    logs = table.numpy()[np.arange(len(code)), code].astype(np.float64).tolist()
    agrees = (table.argmax(-1).numpy() == code).tolist()
    labels, classes = collection.codebook.labels, collection.codebook.classes
    histogram: dict[Any, int] = {}
    if labels is not None:
        counts = np.bincount(labels[members], minlength=len(classes))
        order = np.argsort(-counts, kind="stable")
        histogram = {classes[c]: int(counts[c]) for c in order if counts[c]}
    return Neighbour(
        code=code.tolist(),
        cost=_cost(score, sure),
        agreeing=sum(agrees),
        positions=[
            Share(symbol=symbol, agrees=same, probability=math.exp(log) if sure else None, cost=_cost(log, sure))
            for symbol, same, log in zip(code.tolist(), agrees, logs, strict=True)
        ],
        items=len(members),
        classes=class_shares(collection, histogram)[:3],
        examples=[item_answer(collection, int(member)) for member in members[:each]],
    )


def _cost(score: float, sure: bool) -> float | None:
    """A score as a distance: in bits, or in positions that differ."""
    return finite_bits(-score) if sure else -score + 0.0


def _strip(collection: Collection, summary: list[dict[str, Any]], table: Tensor, sure: bool) -> list[StripPosition]:
    explained = explain_codes(table[None])
    k = collection.codebook.spec.k
    return [
        StripPosition(
            position=position,
            symbol=int(symbol),
            probability=float(explained.probabilities[0, position]) if sure else None,
            runner_up=int(explained.runners_up[0, position]) if sure else None,
            runner_up_probability=float(explained.runner_up_probabilities[0, position]) if sure else None,
            top=top_classes(summary[position * k + int(symbol)]),
        )
        for position, symbol in enumerate(explained.codes[0])
    ]
