"""The numbers to reach in retrieval, and what was reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dimco.experiments.retrieval.figures import Figures, Row, code_of
from dimco.experiments.retrieval.job import CODES
from dimco.experiments.retrieval.paper import AIMS, PAPER, PAPER_BASELINES, TIMES_FASTER
from dimco.experiments.retrieval.render import FLOATS, NOT_MEASURED
from dimco.experiments.search_bench.peers import OURS
from dimco.experiments.search_bench.plan import BATCH, SINGLE
from dimco.reports.tables import markdown_table
from dimco.spec import CodeSpec

Results = Mapping[str, Any]
Record = dict[str, Any]

_TIMED = "64x64"


def goals_view(results: Results) -> str:
    """Every goal, measured or not; ours is what did best on held-out classes."""
    records = [*_of_paper(results), *_of_baselines(results), *_of_aims(results), *_of_bits(results), *_of_time(results)]
    if all(record["met"] is None for record in records):
        return NOT_MEASURED
    columns = {
        "dataset": "data set",
        "what": "goal",
        "goal": "to reach",
        "ours": "ours",
        "difference": "difference",
        "by": "by",
        "met": "met",
    }
    return markdown_table(records, columns, {"difference": "+.2f"})


def _of_paper(results: Results) -> Iterator[Record]:
    for (dataset, code), goal in PAPER.items():
        yield _compared(dataset, f"{code}: the paper's Recall@1", goal, Figures(results, dataset).best(code))


def _of_baselines(results: Results) -> Iterator[Record]:
    for dataset, code in PAPER:
        figures = Figures(results, dataset)
        others = [row for row in figures.floats() if row["method"] in PAPER_BASELINES]
        strongest = max(others, key=_value) if len(others) == len(PAPER_BASELINES) else None
        what = f"{code}: above 128 floats of each of the paper's baselines"
        yield _compared(dataset, what, strongest, figures.best(code))


def _of_aims(results: Results) -> Iterator[Record]:
    for aim in AIMS:
        what = f"codes of at most {aim.bits:,} bits: {aim.whose}"
        yield _compared(aim.dataset, what, aim.value, Figures(results, aim.dataset).best(most_bits=aim.bits))


def _of_bits(results: Results) -> Iterator[Record]:
    for dataset in dict.fromkeys(dataset for dataset, _ in PAPER):
        figures = Figures(results, dataset)
        for code in CODES.split(","):
            bits = CodeSpec.parse(code).bits
            strongest = max(figures.quantized(bits), key=_value, default=None)
            what = f"{code}: above every quantized embedding of {bits:,} bits"
            yield _compared(dataset, what, strongest, figures.best(code))


def _of_time(results: Results) -> Iterator[Record]:
    for dataset in dict.fromkeys(dataset for dataset, _ in PAPER):
        figures = Figures(results, dataset)
        for mode, said in ((SINGLE, "one query"), (BATCH, "many queries at once")):
            floats, ours = figures.ms(FLOATS, mode), figures.ms(OURS, mode, _TIMED)
            ratio = floats / ours if floats and ours else None
            record: Record = {"dataset": dataset, "goal": TIMES_FASTER, "ours": ratio, "met": None}
            record["what"] = f"{_TIMED}: times as fast as {FLOATS} of 128, {said}"
            if ratio is not None:
                record |= {"difference": ratio - TIMES_FASTER, "met": "yes" if ratio >= TIMES_FASTER else "no"}
            yield record


def _compared(dataset: str, what: str, goal: float | Row | None, ours: Row | None) -> Record:
    """A goal that is a number is to be reached; one that is a row is to be passed."""
    record: Record = {"dataset": dataset, "what": what, "met": None}
    if isinstance(goal, Mapping):
        record["what"] += f" ({goal['method']})"
    number = goal["value"] if isinstance(goal, Mapping) else goal
    record["goal"] = number
    if ours is not None:
        record["ours"] = ours["value"]
        record["by"] = f"{ours['method']} {code_of(ours)}, {ours['head']} head, {ours['trained']}"
        if number is not None:
            met = ours["value"] > number if isinstance(goal, Mapping) else ours["value"] >= number
            record |= {"difference": ours["value"] - number, "met": "yes" if met else "no"}
    return record


def _value(row: Row) -> float:
    return float(row["value"])
