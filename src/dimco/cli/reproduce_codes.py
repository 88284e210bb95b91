"""dimco reproduce codes: what symbols mean, as in the paper's figure 2 and its appendix."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from dimco.cli import options
from dimco.cli.output import note, show


def codes(
    dataset: Annotated[str, typer.Option(help="A data set with images at hand: cifar100.")] = "cifar100",
    k: Annotated[int, typer.Option(help="Symbols at each position.")] = 16,
    d: Annotated[int, typer.Option(help="Positions.")] = 4,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="results/codes-DATASET.json")] = None,
    pictures: Annotated[Path, typer.Option(help="Folder of the pictures.")] = Path("docs/images"),
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Figure 2 and the appendix's gallery: symbols, their combinations, and the top ten test images of every symbol.

    Example: dimco reproduce codes --dataset cifar100
    """
    from dimco.experiments.codes.run import run_codes
    from dimco.experiments.demo_files import make_folder
    from dimco.extras import require
    from dimco.fitting import FitSettings

    require("matplotlib")
    target = output or Path("results") / f"codes-{dataset}.json"
    make_folder(target.parent)
    settings = FitSettings(k=k, d=d, seed=seed)
    command = shlex.join(["dimco", *sys.argv[1:]])
    results = run_codes(dataset, settings, target, make_folder(pictures), command, lambda line: note(line, quiet))
    show(
        {
            "results": str(target),
            "pictures": str(pictures),
            "code": str(settings.spec),
            "dead_symbols": sum(row["dead"] for row in results["rows"]),
            "information_bits": {str(p["position"]): p["information_bits"] for p in results["positions"]},
        },
        json,
    )
