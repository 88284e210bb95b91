"""dimco reproduce fewshot: table 3 and its extension."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from dimco.cli import options
from dimco.cli.output import show
from dimco.cli.training_jobs import DataRoot, Parallel, Steps, TimeLimit, named, run_study


def fewshot(
    dataset: Annotated[str, typer.Option(help="miniimagenet, cifar-fs, or a folder with a split.json.")] = "cifar-fs",
    backbone: Annotated[Literal["conv4", "resnet12"], typer.Option(help="Network.")] = "conv4",
    methods: Annotated[
        str | None, typer.Option(help="Method names with commas between; dimco-decoder, protonet, triplet and so on.")
    ] = None,
    codes: Annotated[str | None, typer.Option(help="Codes such as 64x128, with commas between.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds, from --seed on.")] = 1,
    steps: Steps = None,
    data: DataRoot = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The results file.")] = Path("results/fewshot.json"),
    parallel: Parallel = 1,
    time_limit: TimeLimit = None,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Table 3: 5-way tasks of unseen classes, one shot and five shots, codes beside other methods; made for a GPU.

    Goes on where it stopped: jobs that the results file already holds are not run again.

    Example: dimco reproduce fewshot --dataset miniimagenet --backbone conv4 --methods dimco-decoder,protonet
    """
    from dimco.experiments.fewshot.job import METHODS
    from dimco.experiments.fewshot.plan import CODES, fewshot_jobs

    known = [f"{k}x{d}" for k, d in CODES[backbone]]
    wanted, sizes = named(methods, METHODS, "methods"), named(codes, known, "codes")
    jobs = [
        replace(job, seed=number, steps=steps or job.steps)
        for number in range(seed, seed + seeds)
        for job in fewshot_jobs(dataset, backbone)
        if job.method in wanted and job.code in ("", *sizes)
    ]
    results = run_study("fewshot", jobs, output, data, device, parallel, time_limit, quiet)
    best = {
        f"{row['method']} {row['k']}x{row['d']} {row['rule']} {row['metric']}"
        if row["rule"]
        else f"{row['method']} {row['metric']}": row["value"]
        for row in results["rows"]
        if (row["dataset"], row["backbone"]) == (dataset, backbone)
        and row["metric"].startswith("5way")
        and row["method"] in wanted
        and (row["rule"] in (None, "nearest") or row["aggregated"])
    }
    show({"results": str(output), "jobs": len(results["jobs"]), "accuracy": best}, json)
