"""dimco reproduce correlation: figure 3 and its appendix."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from dimco.cli import options
from dimco.cli.output import note, show
from dimco.cli.training_jobs import DataRoot, Parallel, Steps, TimeLimit, run_study


def correlation(
    dataset: Annotated[str, typer.Option(help="miniimagenet, cifar-fs, or a folder with a split.json.")] = "cifar-fs",
    runs: Annotated[int, typer.Option(min=1, help="Runs of each method, with seeds from 0 on.")] = 8,
    steps: Steps = None,
    data: DataRoot = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The results file.")] = Path(
        "results/correlation.json"
    ),
    parallel: Parallel = 1,
    time_limit: TimeLimit = None,
    device: options.Device = "auto",
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Figure 3: how I(X; Y) goes along with one-shot accuracy and Recall@1 while codes and embeddings are trained.

    Example: dimco reproduce correlation --dataset cifar-fs --runs 8
    """
    from dimco.errors import MissingExtraError
    from dimco.experiments.correlation.plan import correlation_jobs
    from dimco.experiments.correlation.render import write_plot

    jobs = [replace(job, steps=steps or job.steps) for job in correlation_jobs(dataset, "conv4", runs)]
    results = run_study("correlation", jobs, output, data, device, parallel, time_limit, quiet)
    found: dict[str, object] = {"results": str(output), "jobs": len(results["jobs"])}
    found["pearson"] = {
        f"{row['method']} {row['metric'].removeprefix('pearson')}": row["value"]
        for row in results["rows"]
        if "information_bits" in row["metric"]
    }
    try:
        found["plots"] = [str(path) for path in write_plot(results, output.with_suffix(""))]
    except MissingExtraError as error:
        note(str(error), quiet)
    show(found, json)
