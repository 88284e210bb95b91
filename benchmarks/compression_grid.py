"""The grid of `dimco reproduce compression` on a machine with many cores, by numpy and torch alone.

usage: compression_grid.py DATASET [--methods dimco-infomax,dimco-positions] [--seeds 3] [--codes 2x4,16x4]
                           [--workers N] [-o RESULTS.json]

Measures the cells that the results file lacks, with one process a core, and writes it as the command does, which draws
the plots and goes on from there. DIMCO_DATA names the data folder; methods that need faiss or scikit-learn need them
here too.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from dimco.experiments.compression.data import load_embeddings
from dimco.experiments.compression.run import GRIDS, run_grid
from dimco.spec import CodeSpec


def main() -> None:
    parser = argparse.ArgumentParser(description="the compression grid by many processes")
    parser.add_argument("dataset")
    parser.add_argument("--methods", default="dimco-infomax,dimco-positions")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--codes", help="k x d with commas between; the paper's grid without it")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    specs = tuple(map(CodeSpec.parse, given.codes.split(","))) if given.codes else GRIDS["paper"]
    output = given.output or Path("results") / f"compression-{given.dataset}.json"
    command = shlex.join(["python", *sys.argv])
    methods, seeds = given.methods.split(","), range(given.seeds)

    def on_cell(cell: dict[str, Any], there: int, total: int) -> None:
        code, spent = f"{cell['k']}x{cell['d']}", cell["fit_seconds"] + cell["vote_seconds"]
        print(f"{there}/{total}  {cell['method']} {code} seed {cell['seed']}: {cell['top1']:.2f}  {spent:.1f} s")

    run_grid(load_embeddings(given.dataset), methods, specs, seeds, output, command, on_cell, given.workers)


if __name__ == "__main__":
    main()
