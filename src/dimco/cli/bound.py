"""dimco bound: the generalization bound in numbers and as a picture."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from dimco.cli import options
from dimco.cli.output import check_writable, note, show
from dimco.theory import Count, generalization_bound


def bound(
    n: Annotated[int, typer.Option(help="Tasks seen.")] = 10_000,
    m: Annotated[int, typer.Option(help="Labelled samples of each.")] = 1_000,
    k: Annotated[int, typer.Option(help="Symbols at each position.")] = 16,
    d: Annotated[int, typer.Option(help="Positions.")] = 2,
    classes: Annotated[int, typer.Option(help="Labels of a task.")] = 10,
    vc_dimension: Annotated[int, typer.Option(help="Of the encoder, as the proof defines it.")] = 100,
    delta: Annotated[float, typer.Option(help="Probability with which the bound may fail.")] = 0.05,
    count: Annotated[
        Count, typer.Option(help="|X| as k**d (the lemma), as d log2 k (the paper's text), or position by position.")
    ] = "codewords",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw it too, as STEM.png and STEM.svg.", metavar="STEM")
    ] = None,
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """How far information estimated on n tasks may be from the expected (section 3.2), in bits, term by term.

    Example: dimco bound --k 16 --d 2 --n 10000 --m 1000 -o bound
    """
    if output is not None:
        check_writable(output, "picture")
    found = generalization_bound(n, m, k, d, classes, vc_dimension, delta, count)
    terms = {name: value / math.log(2) for name, value in found._asdict().items()}
    result = {
        "count": count,
        "tasks_bits": terms["tasks"],
        "samples_bits": terms["samples"],
        "bias_bits": terms["bias"],
        "total_bits": found.total / math.log(2),
        "most_there_can_be_bits": terms["trivial"],
        "says_something": not found.vacuous,
    }
    if output is not None:
        from dimco.reports.bound_plot import bound_figure
        from dimco.reports.figure import save_figure

        setting = {"n": n, "m": m, "k": k, "d": d, "classes": classes, "vc_dimension": vc_dimension}
        written = save_figure(bound_figure(setting, delta, count), output)
        note(f"drew {written[0]} and {written[1]}", quiet)
        result["pictures"] = [str(path) for path in written]
    show({name: _finite(value) if json else value for name, value in result.items()}, json)


def _finite(value: object) -> object:
    """JSON has no infinity."""
    return None if isinstance(value, float) and math.isinf(value) else value
