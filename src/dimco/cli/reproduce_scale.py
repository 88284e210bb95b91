"""dimco reproduce scale: the cost of very large collections, from figures of this machine and a simulation."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from dimco.cli import options
from dimco.cli.output import note, show


def scale(
    megabytes: Annotated[int, typer.Option(min=1, help="Codes scanned, and read from a file, to measure.")] = 256,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of 100 queries of every simulation.")] = 200,
    coarse: Annotated[Path, typer.Option(help="What benchmarks/coarse.py wrote, to draw as well.")] = Path(
        "results/coarse.json"
    ),
    output: Annotated[Path, typer.Option("--output", "-o", help="The results file.")] = Path("results/scale.json"),
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """What 1 and 100 billion codes cost: scans of this machine measured, shards with stragglers and failures simulated.

    Example: dimco reproduce scale --megabytes 64 --epochs 20
    """
    from dimco.errors import MissingExtraError
    from dimco.experiments.demo_files import make_folder
    from dimco.experiments.scale.machine import measure_machine
    from dimco.experiments.scale.plots import write_plots
    from dimco.experiments.scale.run import CODES, Plan, run_scale

    make_folder(output.parent)
    figures = measure_machine(list(CODES), megabytes << 20, output.parent, lambda line: note(line, quiet))
    command = shlex.join(["dimco", *sys.argv[1:]])
    results = run_scale(figures, Plan(epochs=epochs), output, command, seed, lambda line: note(line, quiet))
    found: dict[str, object] = {"results": str(output), "rows": len(results["rows"])}
    try:
        found["plots"] = [str(path) for path in write_plots(results, coarse, output.with_suffix(""))]
    except MissingExtraError as error:
        note(str(error), quiet)
    show(found, json)
