"""dimco reproduce bound: how far estimated information is from the expected, beside the bound on it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from dimco.cli import options
from dimco.cli.output import note, show


def bound(
    dataset: Annotated[str, typer.Option(help="cifar10 or cifar100.")] = "cifar100",
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds, from --seed on.")] = 3,
    output: Annotated[Path, typer.Option("--output", "-o", help="The results file.")] = Path("results/bound.json"),
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Section 3.2: the gap between the information estimated on training tasks and the expected one, measured.

    Example: dimco reproduce bound --dataset cifar100 --seeds 1
    """
    from dimco.errors import MissingExtraError
    from dimco.experiments.bound.render import write_plot
    from dimco.experiments.bound.run import CELLS, run_bound
    from dimco.experiments.compression.data import load_embeddings
    from dimco.experiments.demo_files import make_folder

    data = load_embeddings(dataset)
    make_folder(output.parent)
    command = shlex.join(["dimco", *sys.argv[1:]])
    results = run_bound(data, range(seed, seed + seeds), output, command, CELLS, lambda line: note(line, quiet))
    found: dict[str, object] = {"results": str(output), "rows": len(results["rows"])}
    try:
        found["plots"] = [str(path) for path in write_plot(results, output.with_suffix(""))]
    except MissingExtraError as error:
        note(str(error), quiet)
    show(found, json)
