"""Options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the result alone, no progress.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed; the same seed gives the same result on the same machine.")]
Labels = Annotated[
    str | None,
    typer.Option(help="Labels file for a .npy, or the label column of a .csv or .parquet.", show_default=False),
]
Device = Annotated[str, typer.Option(help='"auto" is CUDA if there is one, else the CPU.')]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model written by `dimco fit`.")]
