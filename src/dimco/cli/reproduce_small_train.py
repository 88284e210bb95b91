"""dimco reproduce small-train: the appendix's study of few training images of each class."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from dimco.cli import options
from dimco.cli.output import note, show
from dimco.cli.training_jobs import DataRoot, Parallel, Steps, TimeLimit, run_study


def small_train(
    dataset: Annotated[str, typer.Option(help="miniimagenet, cifar-fs, or a folder with a split.json.")] = "cifar-fs",
    grid: Annotated[
        Literal["paper", "quick"], typer.Option(help="64 runs in each cell, as the paper has them, or 16.")
    ] = "paper",
    runs: Annotated[int | None, typer.Option(min=1, help="Runs in each cell, instead of the grid's.")] = None,
    steps: Steps = None,
    data: DataRoot = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The results file.")] = Path(
        "results/small-train.json"
    ),
    parallel: Parallel = 1,
    time_limit: TimeLimit = None,
    device: options.Device = "auto",
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """The appendix's study: 1 to 64 training images of each class, a random sweep of each method, its five best runs.

    Example: dimco reproduce small-train --dataset cifar-fs --grid quick
    """
    from dimco.errors import MissingExtraError
    from dimco.experiments.small_train.plan import GRIDS, IMAGES_A_CLASS, METHODS, cannot, small_train_jobs
    from dimco.experiments.small_train.render import write_plot

    jobs = [replace(job, steps=steps or job.steps) for job in small_train_jobs(dataset, "conv4", runs or GRIDS[grid])]
    for method in METHODS:
        for images in IMAGES_A_CLASS:
            reason = cannot(method, images)
            if reason is not None:
                note(f"{method} cannot train with {images} image of a class: it {reason}", quiet)
    results = run_study("small-train", jobs, output, data, device, parallel, time_limit, quiet)
    found: dict[str, object] = {"results": str(output), "jobs": len(results["jobs"])}
    found["one_shot"] = {
        f"{row['method']} with {row['images_a_class']}": row["value"]
        for row in results["rows"]
        if row["metric"] == "5way1shot"
    }
    try:
        found["plots"] = [str(path) for path in write_plot(results, output.with_suffix(""))]
    except MissingExtraError as error:
        note(str(error), quiet)
    show(found, json)
