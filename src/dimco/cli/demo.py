"""dimco demo: the main job on bundled data, in under a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dimco.cli import options
from dimco.cli.output import note, show


def demo(
    folder: Annotated[Path, typer.Option("--output", "-o", help="Folder of the report.")] = Path("dimco-demo"),
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compress scikit-learn's digits with dimco, PQ and SQ at equal bits, search them, and write a report.

    Example: dimco demo -o dimco-demo
    """
    from dimco.experiments.demo import run_demo

    result = run_demo(folder, seed, on_step=lambda message: note(message, quiet))
    show(result.as_record(), json)
