"""From a collection to answers about items, classes and single symbols."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.codebook.measures import entropy_of_counts
from dimco.web.answers import About, Cell, ClassShare, CodeMap, Example, Item, Items, Position
from dimco.web.collection import Collection

MOST_CLASSES = 20
_CELLS_AT_ONCE = 8_192
_MOST_SYMBOLS = 1_024
_VALUES = 6
_CLASS_NAMES = 1_000


def item_answer(collection: Collection, place: int) -> Item:
    """A stored item."""
    return Item(
        id=int(collection.ids[place]),
        label=collection.label(place),
        code=collection.symbols[place].tolist(),
        values=collection.values(place, _VALUES),
    )


def examples(
    collection: Collection, places: NDArray[np.int64], probabilities: NDArray[Any], meets: NDArray[np.bool_]
) -> list[Example]:
    """Items with the probability of what was asked for, where probabilities are known, those that meet it first."""
    order = np.argsort(~meets, kind="stable")
    if not collection.sure:
        order = order[meets[order]]
    return [
        Example(
            **item_answer(collection, int(places[i])).model_dump(),
            probability=float(probabilities[i]) if collection.sure else None,
            matches=bool(meets[i]),
        )
        for i in order
    ]


def class_shares(collection: Collection, histogram: Mapping[Any, int]) -> list[ClassShare]:
    """The most frequent classes of a histogram of items."""
    total = sum(histogram.values())
    return [
        ClassShare(name=str(name), items=items, share=items / total, lift=items / total / _frequency(collection, name))
        for name, items in list(histogram.items())[:MOST_CLASSES]
    ]


def top_classes(record: Mapping[str, Any]) -> list[ClassShare]:
    """The most frequent classes in a record of `Codebook.summary`."""
    return [
        ClassShare(
            name=str(found["class"]),
            items=round(found["share"] * record["items"]),
            share=found["share"],
            lift=found["lift"],
        )
        for found in record.get("top_classes", [])
    ]


def code_map(collection: Collection, summary: list[dict[str, Any]], start: int) -> CodeMap:
    """Positions from `start` on, as many as make an answer of bounded length."""
    spec = collection.codebook.spec
    listed = min(spec.k, _MOST_SYMBOLS)
    stop = min(spec.d, start + max(1, _CELLS_AT_ONCE // listed))
    information = collection.codebook.position_information() if collection.codebook.classes else None
    positions = []
    for position in range(start, stop):
        records = summary[position * spec.k : (position + 1) * spec.k]
        if spec.k > listed:
            records = sorted(records, key=lambda record: -record["items"])[:listed]
        cells = [
            Cell(
                symbol=record["symbol"],
                items=record["items"],
                information=record.get("information"),
                top=top_classes(record),
                best=_best(collection, record),
            )
            for record in records
        ]
        positions.append(
            Position(
                position=position,
                information=None if information is None else float(information[position]),
                cells=cells,
                not_listed=spec.k - listed,
            )
        )
    return CodeMap(positions=positions, next=stop if stop < spec.d else None)


def about(collection: Collection, summary: list[dict[str, Any]]) -> About:
    """What is explored, with an item that is a clear example."""
    model, spec = collection.model, collection.codebook.spec
    shown = max(summary, key=lambda record: (record.get("information", 0), record["items"]))
    clear = collection.codebook.symbol(shown["position"], shown["symbol"], 1).items[0]
    features = model.features
    return About(
        version=collection.version,
        items=len(collection),
        k=spec.k,
        d=spec.d,
        bits=spec.bits,
        features=features,
        feature_bits=None if features is None else 32 * features,
        codewords=len(collection.codewords),
        classes=[str(name) for name in collection.codebook.classes[:_CLASS_NAMES]],
        classes_in_all=len(collection.codebook.classes),
        label_bits=_label_bits(collection),
        has_pictures=collection.pictures is not None,
        has_probabilities=collection.sure,
        picture_route=None if collection.route is None else collection.route.description,
        example=item_answer(collection, int(clear)),
    )


def listed_items(collection: Collection, start: int, n: int, label: str | None) -> Items:
    """Items in the order of their ids, all or those of one class."""
    places: Any = np.arange(len(collection))
    if label is not None:
        names = [str(name) for name in collection.codebook.classes]
        labels = collection.codebook.labels
        chosen = names.index(label) if label in names else -1
        places = np.empty(0, dtype=np.int64) if labels is None else np.flatnonzero(labels == chosen)
    stop = start + n
    return Items(
        items=[item_answer(collection, int(place)) for place in places[start:stop]],
        total=len(places),
        next=stop if stop < len(places) else None,
    )


def finite_bits(nats: float) -> float | None:
    """Nats as bits; None for infinity, which JSON lacks."""
    bits = nats / math.log(2)
    return bits + 0.0 if math.isfinite(bits) else None


def _best(collection: Collection, record: Mapping[str, Any]) -> int | None:
    """The id of the item that shows a symbol best, of those that have it."""
    if record["items"] == 0:
        return None
    place = collection.showing[record["position"], record["symbol"]]
    return int(collection.ids[place])


def _label_bits(collection: Collection) -> float | None:
    """H(Y) of the labels of the items."""
    if collection.codebook.labels is None:
        return None
    return float(entropy_of_counts(collection.codebook.class_counts[0].sum(0))) / math.log(2)


def _frequency(collection: Collection, name: Any) -> float:
    counts = collection.codebook.class_counts[0].sum(0)
    return float(counts[collection.codebook.classes.index(name)] / counts.sum())
