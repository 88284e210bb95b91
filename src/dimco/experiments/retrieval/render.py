"""Tables of image retrieval, from the results file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dimco.experiments.retrieval.figures import RECALL, Figures, Row, code_of
from dimco.experiments.retrieval.rows import METRICS
from dimco.experiments.search_bench.peers import OURS
from dimco.experiments.search_bench.plan import BATCH, SINGLE
from dimco.reports.docs import View
from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]

NOT_MEASURED = "Not measured yet."
FLOATS = "faiss-flat-l2"
_HEADINGS = {
    "recall@1": "Recall@1",
    "recall@2": "@2",
    "recall@4": "@4",
    "recall@8": "@8",
    "map@r": "MAP@R",
    "nmi": "NMI",
}


def table_view(dataset: str, backbone: str = "resnet50") -> View:
    """Table 4 of one data set: the embeddings of the losses, and the codes with the paper's figures beside."""

    def view(results: Results) -> str:
        figures = Figures(results, dataset, backbone)
        rows = [*figures.floats(), *figures.ours()]
        records = [_record(figures, row) for row in rows]
        columns = {"method": "method", "head": "head", "trained": "trained by", "code": "code", "bits": "bits"}
        columns |= {RECALL: _HEADINGS[RECALL], "paper": "paper"} | _HEADINGS | {"ms": "ms a query"}
        shown: dict[str, str] = {
            name: title for name, title in columns.items() if any(record.get(name) for record in records)
        }
        return markdown_table(records, shown, {"ms": ".3g"}) if records else NOT_MEASURED

    return view


def bits_view(dataset: str, backbone: str = "resnet50") -> View:
    """Recall@1 at equal bits: codes, and the embeddings of the losses after quantizers."""

    def view(results: Results) -> str:
        figures = Figures(results, dataset, backbone)
        ours, quantized = figures.ours(), figures.quantized()
        if not ours and not quantized:
            return NOT_MEASURED
        sizes = sorted({row["bits"] for row in (*ours, *quantized)})
        records: dict[tuple[str, ...], dict[str, Any]] = {}
        for row in (*ours, *quantized):
            loss, _, quantizer = row["method"].partition("+")
            key = (loss, quantizer or f"{row['head']} head, {row['trained']}")
            record = records.setdefault(key, {"what": key[0], "how": key[1]})
            record[str(row["bits"])] = row["value"]
        best: dict[str, Any] = {"what": "best of the quantized"}
        for bits in sizes:
            best[str(bits)] = max((row["value"] for row in figures.quantized(bits)), default=None)
        columns = {"what": "embedding or code", "how": "how"} | {str(bits): f"{bits:,} bits" for bits in sizes}
        return markdown_table([*records.values(), best], columns)

    return view


def time_view(results: Results) -> str:
    """Milliseconds a query of the codes, and how many times longer float brute force takes."""
    records = []
    for dataset in dict.fromkeys(row["dataset"] for row in results["rows"]):
        figures = Figures(results, dataset)
        for row in figures.times:
            if row["mode"] == SINGLE:
                one, many = row["value"], figures.ms(row["method"], BATCH, code_of(row))
                record = {"dataset": dataset, "items": row["items"], "method": row["method"], "code": code_of(row)}
                record |= {"codes": row["codes"], "one": one, "many": many}
                if row["method"] == OURS:
                    record |= _ratios(figures, row, one, many)
                records.append(record)
    columns = {
        "dataset": "data set",
        "items": "items",
        "method": "method",
        "code": "code",
        "codes": "codes",
        "one": "ms, one query",
        "one ratio": f"{FLOATS}, times as long",
        "one numpy": "numpy, times as long",
        "one wide": "512 floats, times as long",
        "many": "ms a query of many",
        "many ratio": f"{FLOATS}, times as long",
    }
    formats = dict.fromkeys(("one", "many", "one ratio", "one numpy", "one wide", "many ratio"), ".3g")
    return markdown_table(records, columns, formats) if records else NOT_MEASURED


def _ratios(figures: Figures, row: Row, one: float, many: float | None) -> dict[str, float]:
    pairs = {
        "one ratio": (figures.ms(FLOATS, SINGLE), one),
        "one numpy": (figures.ms("numpy-flat-l2", SINGLE), one),
        "one wide": (figures.ms("faiss-flat-l2-512", SINGLE), one),
        "many ratio": (figures.ms(FLOATS, BATCH), many),
    }
    return {name: theirs / mine for name, (theirs, mine) in pairs.items() if theirs and mine}


def _record(figures: Figures, row: Row) -> dict[str, Any]:
    """The line of a table for what a row of Recall@1 is of."""
    code = code_of(row)
    record = {name: row[name] for name in ("method", "head", "trained", "bits", "paper")}
    record |= {"code": code or f"{row['bits'] // 32} floats"}
    record |= {metric: figures.beside(row, metric) for metric in METRICS}
    if row["spread"] is not None:
        record[RECALL] = f"{row['value']:.2f} ± {row['spread']:.2f}"
    record["ms"] = figures.ms(OURS, SINGLE, code) if code else figures.ms(FLOATS, SINGLE)
    return record
