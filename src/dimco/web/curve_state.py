"""Bits against accuracy, computed once, beside the answering of requests."""

from __future__ import annotations

import logging
import threading

from dimco.errors import DimcoError
from dimco.web.answers import AccuracyAnswer, AccuracyPoint
from dimco.web.collection import Collection
from dimco.web.curve import Curve, accuracy_by_bits


class CurveState:
    """The curve of a collection, once `start` has been called and some seconds have passed."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._done = threading.Event()
        self._curve: Curve | None = None
        self._thread = threading.Thread(target=self._compute, name="dimco-accuracy", daemon=True)

    def start(self) -> None:
        """Begin, if it has not begun."""
        if self._thread.ident is None:
            self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Whether it was done within some seconds."""
        return self._done.wait(seconds)

    def answer(self) -> AccuracyAnswer:
        """What there is so far."""
        curve = self._curve
        if curve is None:
            state = "unavailable" if self._done.is_set() else "computing"
            return AccuracyAnswer.model_validate(
                {"state": state, "order": [], "points": [], "majority": None, "asked": 0, "stored": 0, "neighbours": 0}
            )
        width = self._collection.codebook.spec.bits_per_symbol
        return AccuracyAnswer(
            state="ready",
            order=curve.order,
            points=[
                AccuracyPoint(positions=point.positions, bits=point.positions * width, accuracy=point.accuracy)
                for point in curve.points
            ],
            majority=curve.majority,
            asked=curve.asked,
            stored=curve.stored,
            neighbours=curve.neighbours,
        )

    def _compute(self) -> None:
        try:
            self._curve = accuracy_by_bits(self._collection)
        except DimcoError as error:
            logging.getLogger("dimco.web").error("accuracy by bits: %s", error)
        finally:
            self._done.set()
