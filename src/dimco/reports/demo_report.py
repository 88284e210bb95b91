"""The demo's report in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dimco.reports.tables import markdown_table, pivot

_ITEMS = 4

_HEAD = """\
# dimco on handwritten digits

{stored:,} digits of 8 x 8 pixels are stored as codes; {queries:,} others are classified by the vote of their \
{neighbours} nearest codes. Seed {seed}."""

_READING = """\
**How to read it.** A row is a size: every stored digit takes that many bits, so many times less than its {features} \
pixels as 32-bit numbers. A column is a way to choose the bits, and the number is the percentage of unseen digits \
whose label comes out right. SQ and PQ choose the bits to keep the pixels, and never see a label; dimco chooses them \
to keep the label, by the paper's loss and linear layer (dimco-infomax) or by the decoder bound and one hidden layer \
(dimco-decoder). float-knn, the last row, compares the pixels themselves. At {bits} bits the best of dimco is \
{dimco:.1f}, the best of SQ and PQ {quantizer:.1f}, and the pixels in full {floats:.1f}. Digits are easy for pixels, \
so PQ comes near float-knn with enough bits. This is one seed, and so one split and one start of training: with \
another most numbers move by a point or two, and dimco-decoder with one position, whose training can settle with \
classes merged, by ten or more. Try `--seed` before trusting a small difference."""

_SEARCH = """\
The surest of the unseen digits, one in the middle and the least sure, each with the stored digits nearest to it by \
{kept} at {bits} bits ({code}). Digits of one code have one score, so they stand in one line. The score is the \
natural log of the probability that the query is given that code: 0 is certain. The label of a query is voted by its \
nearest lines."""

_PICTURES = """\
In the pictures of symbols a row is one symbol of one position: which digits are given it, and the digits the model \
is surest about. A digit's code is one symbol from each position, and where a symbol means several digits the other \
positions tell them apart."""

_NEXT = """\
`model.safetensors` is the {kept} model at {bits} bits, the better of dimco's two on these queries; \
`codes.safetensors` holds the stored digits in its code, `digits.index` the same to search in, `results.json` every \
accuracy above and what made it. The last of these lines opens a page that shows what each symbol means:

    dimco evaluate model.safetensors --support train.npz --query test.npz --knn {neighbours}
    dimco search model.safetensors digits.index test.npz
    dimco serve model.safetensors digits.index --data train.npz --pixels 8x8"""


def demo_report(
    rows: Sequence[Mapping[str, Any]],
    search: Sequence[Mapping[str, Any]],
    facts: Mapping[str, Any],
    pictures: Mapping[str, str],
) -> str:
    """The whole report.

    Parameters
    ----------
    rows : sequence of records
        Accuracies, as in results.json.
    search : sequence of records
        Queries with their nearest stored items, under `query`, `label`, `code` and `nearest`.
    facts : mapping
        `stored`, `queries`, `features`, `neighbours`, `seed`, `kept`, `bits`, `code`.
    pictures : mapping of str to str
        Name of each picture without its suffix, and what it shows.
    """
    parts = [
        _HEAD.format(**facts),
        "## Accuracy at equal bits, %",
        accuracy_table(rows),
        _READING.format(**facts, **_best(rows, facts["bits"])),
        f"![{pictures['accuracy']}](accuracy.png)",
        "## Search",
        _SEARCH.format(**facts),
        search_table(search),
        "## What symbols mean",
        _PICTURES,
        *(f"![{shown}]({name}.png)" for name, shown in pictures.items() if name != "accuracy"),
        "## Go on from here",
        _NEXT.format(**facts),
    ]
    return "\n\n".join(parts) + "\n"


def accuracy_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Bits by method, the fewest bits first."""
    spelled = [{**row, "code": f"{row['k']}x{row['d']}" if row["k"] else "float32"} for row in rows]
    lines = sorted(pivot(spelled, ["bits", "code", "ratio"], "method"), key=lambda line: line["bits"])
    methods = sorted(dict.fromkeys(row["method"] for row in rows), key=lambda name: name == "float-knn")
    columns = {"bits": "bits an item", "code": "code", "ratio": "times smaller", **{name: name for name in methods}}
    return markdown_table(lines, columns, {"ratio": ",.0f", **dict.fromkeys(methods, ".1f")})


def search_table(search: Sequence[Mapping[str, Any]]) -> str:
    """A line for each of the nearest codes of each query, with the stored items of that code."""
    lines = [
        {
            "query": f"item {query['query']}, label {query['label']}",
            "own": query["code"],
            "code": near["code"],
            "score": near["score"],
            "labels": label_counts(near["labels"]),
            "items": ", ".join(map(str, near["items"][:_ITEMS])) + (", ..." if len(near["items"]) > _ITEMS else ""),
        }
        for query in search
        for near in query["nearest"]
    ]
    columns = {
        "query": "query",
        "own": "its code",
        "code": "stored code",
        "score": "score",
        "labels": "labels of its digits",
        "items": "stored items",
    }
    return markdown_table(lines, columns, {"score": ".2f"})


def label_counts(labels: Sequence[Any]) -> str:
    """How many of each label, the most frequent first, as "12 of label 3, 1 of label 5"."""
    return ", ".join(f"{count} of label {label}" for label, count in Counter(labels).most_common())


def _best(rows: Sequence[Mapping[str, Any]], bits: int) -> dict[str, float]:
    """The best accuracy at that size with labels and without, and that of the features in full."""
    at_size = [row for row in rows if row["bits"] == bits]
    return {
        "dimco": max(row["value"] for row in at_size if row["method"].startswith("dimco")),
        "quantizer": max(row["value"] for row in at_size if not row["method"].startswith("dimco")),
        "floats": max(row["value"] for row in rows if row["method"] == "float-knn"),
    }
