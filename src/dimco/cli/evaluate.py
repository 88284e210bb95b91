"""dimco evaluate: kNN accuracy, size and information of a model's codes."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from dimco import evaluation
from dimco.classify import Weights
from dimco.cli import options
from dimco.cli.output import note, show
from dimco.datasets import load_data
from dimco.model import CodeModel
from dimco.training.loop import pick_device


def evaluate(
    model: options.ModelFile,
    support: Annotated[Path, typer.Option(help="Labelled features whose codes are stored.")],
    query: Annotated[Path, typer.Option(help="Labelled features to classify.")],
    knn: Annotated[int, typer.Option(help="Stored items that vote on each query.", min=1)] = 200,
    weights: Annotated[Weights, typer.Option(help="How neighbours vote.")] = "uniform",
    support_labels: Annotated[str | None, typer.Option(help="As --labels of fit, for the support.")] = None,
    query_labels: Annotated[str | None, typer.Option(help="As --labels of fit, for the queries.")] = None,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Classify queries by the nearest stored codes; report accuracy, bits, ratio and information.

    Example: dimco evaluate model.safetensors --support train.npz --query test.npz --knn 200
    """
    loaded = CodeModel.load(model).to(pick_device(device))
    stored, asked = load_data(support, support_labels), load_data(query, query_labels)
    note(f"{len(asked.x):,} queries against {len(stored.x):,} stored codes of {loaded.spec}", quiet)
    result = evaluation.evaluate(
        loaded,
        (stored.x, stored.labels()),
        (asked.x, asked.labels()),
        knn,
        weights,
    )
    show({"model": str(model), **asdict(result), "seed": seed}, json)
