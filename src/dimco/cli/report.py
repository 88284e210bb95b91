"""dimco report: everything about a model on one page."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from dimco.cli import options
from dimco.cli.gallery import class_names
from dimco.cli.output import check_writable, note, show
from dimco.datasets import load_data
from dimco.datasets.pictures import load_pictures
from dimco.model import CodeModel
from dimco.training.loop import pick_device


def report(
    model: options.ModelFile,
    support: Annotated[Path, typer.Option(help="Labelled features whose codes are stored.")],
    query: Annotated[Path, typer.Option(help="Labelled features to classify.")],
    images: Annotated[
        Path | None, typer.Option(help="Images of the queries: a folder as given to dimco embed, .npz or .npy.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("report.html"),
    knn: Annotated[int, typer.Option(help="Stored items that vote on each query.", min=1)] = 200,
    support_labels: Annotated[str | None, typer.Option(help="As --labels of fit, for the support.")] = None,
    query_labels: Annotated[str | None, typer.Option(help="As --labels of fit, for the queries.")] = None,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write one HTML file: numbers, training, code map, what symbols mean, failures, and a model card.

    It needs no network and no other file.

    Example: dimco report model.safetensors --support train.npz --query test.npz -o report.html
    """
    from dimco.atomic import write_text
    from dimco.experiments.provenance import provenance
    from dimco.extras import require
    from dimco.reports.page import collect_report, report_page

    check_writable(output, "page", model, support, query, images)
    loaded = CodeModel.load(model).to(pick_device(device))
    stored, asked = load_data(support, support_labels), load_data(query, query_labels)
    stored_labels, asked_labels = _named((support, stored.labels()), (query, asked.labels()))
    pictures = None
    if images is not None:
        require("PIL.Image")
        pictures = load_pictures(images, len(asked.x))
    note(f"{len(asked.x):,} queries against {len(stored.x):,} stored codes of {loaded.spec}", quiet)
    command = shlex.join(["dimco", *sys.argv[1:]])
    found = collect_report(
        loaded,
        (stored.x, stored_labels),
        (asked.x, asked_labels),
        title=f"{model.name} on {query.name}",
        neighbours=knn,
        images=pictures,
        facts={"model": model.name, "support": support.name, "query": query.name, **provenance(command, seed)},
    )
    write_text(output, report_page(found))
    show(
        {
            "report": str(output),
            "bytes": output.stat().st_size,
            "top1": found.evaluation.top1,
            "code": str(loaded.spec),
            "dead_symbols": found.evaluation.dead_symbols,
            "wrong": len(found.answers.wrong),
        },
        json,
    )


def _named(*parts: tuple[Path, Any]) -> list[Any]:
    """The labels of files as names, where every file has them."""
    import numpy as np

    names = [class_names(file, labels) for file, labels in parts]
    if any(found is None for found in names):
        return [labels for _, labels in parts]
    return [np.asarray(found)[labels] for found, (_, labels) in zip(names, parts, strict=True)]
