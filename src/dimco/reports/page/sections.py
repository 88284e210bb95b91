"""The sections of a model's report."""

from __future__ import annotations

from typing import Any

import numpy as np

from dimco.reports.gallery_rows import GalleryRow, combination_rows, position_rows, telling_pairs
from dimco.reports.one_line import with_share
from dimco.reports.page.answers import class_accuracies, confusions
from dimco.reports.page.collect import ModelReport
from dimco.reports.page.parts import bar, curves, facts, paragraph, section, strip, table, text

_MOST_POSITIONS, _MOST_SYMBOLS, _PAIRS, _TOP = 16, 64, 3, 8
_FAILURES, _CLASSES = 20, 10
_SIDE = 48


def numbers(report: ModelReport) -> str:
    """What the code is worth, in tiles."""
    found = report.evaluation
    tiles = {
        "top-1, %": found.top1,
        "bits an item": found.bits,
        "times smaller": f"{found.ratio:,.0f}" if found.ratio >= 10 else found.ratio,
        "bits about the label": found.information_bits,
        "bits in the label": found.label_bits,
        "symbols no stored code has": f"{found.dead_symbols} of {found.symbols}",
    }
    shown = "".join(f"<div><b>{text(value)}</b>{text(name)}</div>" for name, value in tiles.items())
    words = (
        f"{found.query_items:,} queries, classified by the vote of their {found.neighbours:,} nearest among "
        f"{found.support_items:,} stored codes. Bits about the label are a sum over positions (eq. 7), which counts "
        "twice what two positions both tell, and so may exceed the bits in the label. Times smaller is against the "
        "features as 32-bit numbers."
    )
    return section("numbers", "Numbers", f'<div class="tiles">{shown}</div>', paragraph(words))


def training(report: ModelReport) -> str:
    """Information by epoch, if the model keeps it."""
    history = report.model.metadata.get("history")
    if not history:
        return section("training", "Training", paragraph("The model keeps no history of its training."))
    series = {"training batches": [(entry["epoch"], entry["information_bits"]) for entry in history]}
    held_out = [(e["epoch"], e["held_out_bits"]) for e in history if e.get("held_out_bits") is not None]
    if held_out:
        series["held out"] = held_out
    loss = {"loss": [(entry["epoch"], entry["loss"]) for entry in history]}
    return section(
        "training", "Training", curves(series, "epoch", "Information, bits"), curves(loss, "epoch", "Loss, nats")
    )


def code_map(report: ModelReport) -> str:
    """Every symbol, coloured by what it tells about the label, with its main class."""
    codebook = report.codebook
    d, k = min(codebook.spec.d, _MOST_POSITIONS), min(codebook.spec.k, _MOST_SYMBOLS)
    records = {(record["position"], record["symbol"]): record for record in codebook.summary(top=1)}
    highest = max(record["information"] for record in records.values()) or 1
    rows = [
        f"<tr><td>{symbol}</td>"
        + "".join(_map_cell(records[position, symbol], highest) for position in range(d))
        + "</tr>"
        for symbol in range(k)
    ]
    head = "<th>symbol</th>" + "".join(f"<th scope=col>position {position}</th>" for position in range(d))
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    grid = f'<div class="wide"><table class="map">{body}</table></div>'
    words = (
        "A query's code is one symbol of each column. A cell has the main class of the queries given the symbol, and "
        "their number; the stronger its colour, the more having the symbol tells about the label. Grey is not used."
    )
    return section("map", "Code map", paragraph(words), grid, paragraph(_left_out(codebook.spec.d, codebook.spec.k)))


def gallery(report: ModelReport) -> str:
    """Telling combinations, then every symbol."""
    codebook, images = report.codebook, report.images
    parts = []
    pairs = telling_pairs(codebook, _PAIRS)
    if pairs:
        rows = [row for pair in pairs for row in combination_rows(codebook, pair, _TOP)]
        parts.append("<h3>Two symbols alone and together</h3>" + _gallery_table(rows, images))
    examples = codebook.examples(_TOP)
    for position in range(min(codebook.spec.d, _MOST_POSITIONS)):
        rows = position_rows(codebook, position, examples[position].tolist())[:_MOST_SYMBOLS]
        parts.append(f"<details><summary>Position {position}</summary>{_gallery_table(rows, images)}</details>")
    words = "The queries with the highest probability of each symbol, and the classes of all queries given it."
    return section("gallery", "What symbols mean", paragraph(words), *parts)


def failures(report: ModelReport) -> str:
    """The surest errors, the most frequent confusions and the hardest classes."""
    found = report.answers
    wrong = found.wrong[:_FAILURES]
    if not len(wrong):
        return section("failures", "Failures", paragraph("Every query was classified rightly."))
    explained = report.model.explain(report.query[np.sort(wrong)])
    place = {item: row for row, item in enumerate(np.sort(wrong).tolist())}
    rows = []
    for item in wrong.tolist():
        row = place[item]
        code = " ".join(
            f"{symbol}<small>&nbsp;{100 * p:.0f}%</small>"
            for symbol, p in zip(explained.codes[row], explained.probabilities[row], strict=True)
        )
        picture = [strip(report.images, [item], _SIDE, f"query {item}")] if report.images is not None else []
        names = [text(found.names[found.truth[item]]), text(found.names[found.predicted[item]])]
        votes = f"{100 * found.shares[item]:.0f} %"
        rows.append([*picture, str(item), *names, votes, f'<span class="code">{code}</span>'])
    headings = [*([""] if report.images is not None else []), "query", "is", "answered", "votes", "its code"]
    pairs = [
        [text(c["truth"]), text(c["predicted"]), text(c["items"]), f"{100 * c['share']:.0f} %"]
        for c in confusions(found)
    ]
    hardest = [
        [text(c["class"]), f"{100 * c['accuracy']:.1f} %", text(c["items"])] for c in class_accuracies(found)[:_CLASSES]
    ]
    return section(
        "failures",
        "Failures",
        paragraph(
            f"{len(found.wrong):,} of {len(found.truth):,} queries are answered wrongly. Below are the surest, with "
            "the winner's share of the votes, and the symbol of each position with its probability."
        ),
        table(headings, rows),
        "<h3>Classes taken for others</h3>",
        table(["is", "answered", "queries", "of the class"], pairs),
        "<h3>Hardest classes</h3>",
        table(["class", "accuracy", "queries"], hardest),
    )


def card(report: ModelReport) -> str:
    """What the model is and what made it."""
    model, metadata = report.model, report.model.metadata
    settings: dict[str, Any] = metadata.get("settings", {})
    correlation, versions = report.codebook.total_correlation(), report.facts.get("versions", {})
    given = {
        "model": report.facts.get("model"),
        "code": f"{model.spec}: {model.spec.d} positions of {model.spec.k} symbols, {model.spec.bits} bits",
        "features": model.features,
        "head": settings.get("head") or type(model.head).__name__,
        "objective": settings.get("objective"),
        "independence (lambda)": settings.get("independence"),
        "trained on": metadata.get("data"),
        "items, epochs": f"{metadata.get('items', '–'):,}, {metadata.get('epochs', '–')}"
        if "items" in metadata
        else None,
        "seed of training": settings.get("seed"),
        "stored items from": report.facts.get("support"),
        "queries from": report.facts.get("query"),
        "total correlation, bits": f"{correlation.corrected:.2f} (corrected), "
        f"{correlation.items / correlation.codewords:.1f} items a codeword; too large below about 10",
        "versions": ", ".join(f"{name} {version}" for name, version in versions.items()) or None,
        "processor": report.facts.get("machine", {}).get("processor"),
        "command": report.facts.get("command"),
    }
    return section("card", "Model card", facts({name: value for name, value in given.items() if value is not None}))


def _map_cell(record: dict[str, Any], highest: float) -> str:
    if record["dead"]:
        return '<td class="dead">not used</td>'
    main = record["top_classes"][0]
    heat = 52 * record["information"] / highest
    given = "1 query" if record["items"] == 1 else f"{record['items']:,} queries"
    words = f"{text(with_share(main['class'], main['share']))}<br><small>{given}</small>"
    return f'<td style="--heat:{heat:.0f}">{words}</td>'


def _gallery_table(rows: list[GalleryRow], images: Any | None) -> str:
    cells = []
    for row in rows:
        name = f"<b>{text(row.heading)}</b><br><small>{text(row.detail)}</small>"
        words = ", ".join(text(with_share(label, share)) for label, share in row.classes)
        if images is None:
            cells.append([name, bar(row.classes)])
        else:
            cells.append([name, strip(images, row.items, _SIDE, row.heading), f'<span class="words">{words}</span>'])
    return table(["symbol", "classes"] if images is None else ["symbol", "queries", "classes"], cells, stacked=True)


def _left_out(d: int, k: int) -> str:
    if d <= _MOST_POSITIONS and k <= _MOST_SYMBOLS:
        return ""
    return f"Shown are the first {min(d, _MOST_POSITIONS)} of {d} positions and {min(k, _MOST_SYMBOLS)} of {k} symbols."
