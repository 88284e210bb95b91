"""dimco reproduce: the paper's experiments, run again and compared with the paper."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from dimco.cli import options
from dimco.cli.output import note, show
from dimco.cli.reproduce_bound import bound
from dimco.cli.reproduce_codes import codes
from dimco.cli.reproduce_correlation import correlation
from dimco.cli.reproduce_fewshot import fewshot
from dimco.cli.reproduce_retrieval import retrieval
from dimco.cli.reproduce_scale import scale
from dimco.cli.reproduce_small_train import small_train
from dimco.errors import InputError, MissingExtraError

reproduce = typer.Typer(name="reproduce", help="Run the paper's experiments again.", no_args_is_help=True)


@reproduce.callback()
def group() -> None:
    """Run the paper's experiments again."""


reproduce.command()(codes)
reproduce.command()(bound)
reproduce.command()(fewshot)
reproduce.command()(retrieval)
reproduce.command()(correlation)
reproduce.command()(small_train)
reproduce.command()(scale)


@reproduce.command()
def compression(
    dataset: Annotated[str, typer.Option(help="cifar10 or cifar100, or a name for --train and --test.")] = "cifar100",
    methods: Annotated[
        str | None, typer.Option(help="Method names with commas between; dimco-infomax, dimco-decoder, pq and sq.")
    ] = None,
    grid: Annotated[Literal["paper", "rate"], typer.Option(help="k and d of 2 to 16, or k=16 with more d.")] = "paper",
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds, from --seed on.")] = 3,
    train: Annotated[Path | None, typer.Option(help="Training features of a data set of your own.")] = None,
    test: Annotated[Path | None, typer.Option(help="Its test features.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="results/compression-DATASET.json")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that measure at once, a thread each.")] = 1,
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Tables 1 and 2: embeddings compressed to codes, top-1 by the vote of 200 neighbours.

    Goes on where it stopped: cells that the results file already holds are not measured again.

    Example: dimco reproduce compression --dataset cifar100 --methods dimco-infomax,pq --seeds 1
    """
    from dimco.experiments.compression.data import from_files, load_embeddings
    from dimco.experiments.compression.methods import DEFAULT_METHODS, METHODS
    from dimco.experiments.compression.render import write_plots
    from dimco.experiments.compression.run import GRIDS, run_grid
    from dimco.experiments.demo_files import make_folder

    names = tuple(name.strip() for name in methods.split(",")) if methods else DEFAULT_METHODS
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise InputError(f"expected methods of {', '.join(METHODS)}; got {', '.join(unknown)}")
    if (train is None) != (test is None):
        raise InputError("expected --train and --test together; got one of them")
    data = load_embeddings(dataset) if train is None or test is None else from_files(dataset, "given", train, test)
    target = output or Path("results") / f"compression-{dataset}.json"
    make_folder(target.parent)

    def on_cell(cell: dict[str, Any], number: int, total: int) -> None:
        code, seconds = f"{cell['k']}x{cell['d']}", cell["fit_seconds"]
        note(
            f"{number}/{total}  {cell['method']} {code} seed {cell['seed']}: {cell['top1']:.2f}  {seconds:.1f} s", quiet
        )

    command = shlex.join(["dimco", *sys.argv[1:]])
    results = run_grid(data, names, GRIDS[grid], range(seed, seed + seeds), target, command, on_cell, workers)
    found: dict[str, Any] = {"results": str(target), "cells": len(results["cells"]), "skipped": len(results["skipped"])}
    try:
        found["plots"] = [str(path) for path in write_plots(results, target.with_suffix(""))]
    except MissingExtraError as error:
        note(str(error), quiet)
    show(found, json)
