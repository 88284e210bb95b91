"""dimco bench: how fast things are on this machine."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dimco.cli import options
from dimco.cli.output import note, show
from dimco.errors import InputError, MissingExtraError
from dimco.spec import CodeSpec

bench = typer.Typer(name="bench", help="Measure speed on this machine.", no_args_is_help=True)


@bench.callback()
def group() -> None:
    """Measure speed on this machine."""


@bench.command()
def search(
    quick: Annotated[bool, typer.Option("--quick", help="Two codes, small sizes: under a minute.")] = False,
    codes: Annotated[str | None, typer.Option(help='Codes with commas between, such as "16x16,64x64".')] = None,
    items: Annotated[str | None, typer.Option(help="Numbers of stored items, with commas between.")] = None,
    methods: Annotated[str | None, typer.Option(help="Methods, with commas between; by default all.")] = None,
    kernels: Annotated[str, typer.Option(help="Kernels of ours to measure besides the best, with commas.")] = "",
    threads: Annotated[str, typer.Option(help="Threads of ours, with commas between; peers have one.")] = "1,2",
    n: Annotated[int, typer.Option("-n", min=1, help="Neighbours of each query.")] = 10,
    index: Annotated[Path | None, typer.Option(help="An index of your own, with --model and --queries.")] = None,
    model: Annotated[Path | None, typer.Option(help="The model that made its codes.")] = None,
    queries: Annotated[Path | None, typer.Option(help="Features to search with.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="results/search.json, or search-quick.json with --quick")
    ] = None,
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Time exact search of codes beside faiss, usearch and numpy: one process, interleaved rounds, medians.

    Random codes of the paper's shapes unless --index names your own. Goes on where it stopped: what the results file
    already holds is not measured again.

    Example: dimco bench search --quick
    """
    from dimco.experiments.demo_files import make_folder
    from dimco.experiments.search_bench.peers import OURS, PEERS
    from dimco.experiments.search_bench.plan import FULL, QUICK
    from dimco.experiments.search_bench.plots import write_plots
    from dimco.experiments.search_bench.render import cell_line
    from dimco.experiments.search_bench.run import run_bench
    from dimco.experiments.search_bench.workload import own_workload

    plan = replace(QUICK if quick else FULL, n=n, seed=seed, threads=_numbers(threads, "--threads"))
    plan = replace(plan, kernels=_names(kernels))
    if codes is not None:
        plan = replace(plan, specs=tuple(CodeSpec.parse(code) for code in _names(codes)))
    if items is not None:
        plan = replace(plan, items=_numbers(items, "--items"))
    if methods is not None:
        plan = replace(plan, methods=_known(_names(methods), (OURS, *PEERS)))
    given = [path for path in (index, model, queries) if path is not None]
    if len(given) not in (0, 3):
        raise InputError(f"expected --index, --model and --queries together; got {len(given)} of them")
    own = own_workload(index, model, queries, plan.queries, seed) if index and model and queries else None
    target = output or Path("results") / ("search-quick.json" if quick else "search.json")
    make_folder(target.parent)
    command = shlex.join(["dimco", *sys.argv[1:]])

    def on_cell(cell: dict[str, Any], number: int, total: int) -> None:
        note(f"{number}/{total}  {cell_line(cell)}", quiet)

    results = run_bench(plan, target, command, own, on_cell)
    found: dict[str, Any] = {"results": str(target), "cells": len(results["cells"])}
    try:
        found["plots"] = [str(path) for path in write_plots(results, target.with_suffix(""))]
    except MissingExtraError as error:
        note(str(error), quiet)
    show(found, json)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _numbers(text: str, option: str) -> tuple[int, ...]:
    names = _names(text)
    if not names or not all(name.isdecimal() and int(name) > 0 for name in names):
        raise InputError(f"expected numbers above 0 with commas between for {option}; got {text!r}")
    return tuple(np.unique([int(name) for name in names]).tolist())


def _known(names: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise InputError(f"expected methods of {', '.join(known)}; got {', '.join(unknown) or 'none'}")
    return names
