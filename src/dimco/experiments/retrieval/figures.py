"""Looking up rows of the results file: which of ours stands for a code, and what others reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dimco.baselines.metric.retrieval_losses import RETRIEVAL_LOSSES
from dimco.experiments.retrieval.job import OURS
from dimco.experiments.retrieval.rows import TIME

Row = Mapping[str, Any]

RECALL = "recall@1"
QUANTIZERS = ("pq", "opq", "opq-mixed", "sign", "half")


class Figures:
    """The rows of one data set and backbone, and of its times.

    Parameters
    ----------
    results : mapping
        The content of the results file.
    dataset, backbone : str
    """

    def __init__(self, results: Mapping[str, Any], dataset: str, backbone: str = "resnet50") -> None:
        rows = [row for row in results["rows"] if row["dataset"] == dataset]
        self.rows = [row for row in rows if row["backbone"] == backbone]
        self._times = [row for row in rows if row["metric"] == TIME]

    def ours(self, metric: str = RECALL) -> list[Row]:
        """Codes, by bits and then by what they reach on held-out classes."""
        found = [row for row in self._of(metric) if row["method"] in OURS]
        return sorted(found, key=lambda row: (row["bits"], -_held_out(row)))

    def best(self, code: str | None = None, most_bits: int | None = None) -> Row | None:
        """Recall@1 of ours: the code, or any of at most so many bits, that does best on held-out classes."""
        fitting = [
            row
            for row in self.ours()
            if (code is None or code_of(row) == code) and (most_bits is None or row["bits"] <= most_bits)
        ]
        return max(fitting, key=_held_out) if fitting else None

    def floats(self, metric: str = RECALL) -> list[Row]:
        """The embeddings of the losses."""
        order = {name: place for place, name in enumerate(RETRIEVAL_LOSSES)}
        found = [row for row in self._of(metric) if row["method"] in order]
        return sorted(found, key=lambda row: order[row["method"]])

    def quantized(self, bits: int | None = None) -> list[Row]:
        """Recall@1 of the losses' embeddings after a quantizer."""
        names = {f"{loss}+{quantizer}" for loss in RETRIEVAL_LOSSES for quantizer in QUANTIZERS}
        return [row for row in self._of(RECALL) if row["method"] in names and bits in (None, row["bits"])]

    def beside(self, row: Row, metric: str) -> float | None:
        """Another metric of what a row is of."""
        names = ("method", "head", "trained", "part", "k", "d", "bits")
        for other in self._of(metric):
            if all(other[name] == row[name] for name in names):
                return float(other["value"])
        return None

    def ms(self, method: str, mode: str, code: str = "") -> float | None:
        """Milliseconds a query."""
        for row in self._times:
            if (row["method"], row["mode"], code_of(row)) == (method, mode, code):
                return float(row["value"])
        return None

    @property
    def times(self) -> list[Row]:
        return self._times

    def _of(self, metric: str) -> list[Row]:
        return [row for row in self.rows if row["metric"] == metric]


def code_of(row: Row) -> str:
    """As in "64x64"; empty for floats."""
    return f"{row['k']}x{row['d']}" if row["k"] else ""


def _held_out(row: Row) -> float:
    return -1.0 if row["held_out"] is None else float(row["held_out"])
