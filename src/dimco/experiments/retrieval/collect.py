"""From files of retrieval trainings to the results file: `python -m dimco.experiments.retrieval.collect`.

usage: python -m dimco.experiments.retrieval.collect RAW.json [RAW.json ...] [--into results]

Adds the jobs of the raw files to those that retrieval.json already holds; of one job the last record counts.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from dimco.errors import DimcoError
from dimco.experiments.retrieval.rows import TIME
from dimco.experiments.retrieval.store import JobsFile, RetrievalFile, read_content

NAME = "retrieval.json"


def collect(raw: Sequence[Path], into: Path, command: str) -> Path:
    """Put the jobs of the raw files, and times that they hold, into the results file."""
    kinds = (JobsFile.experiment, RetrievalFile.experiment)
    contents = [read_content(path, *kinds) for path in raw]
    file = RetrievalFile(into / NAME, command)
    for content in contents:
        file.merge(content["jobs"], [row for row in content.get("rows", []) if row["metric"] == TIME])
    return file.path


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="dimco.experiments.retrieval.collect", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("raw", type=Path, nargs="+")
    parser.add_argument("--into", type=Path, default=Path("results"))
    asked = parser.parse_args(arguments)
    command = shlex.join(["python", "-m", "dimco.experiments.retrieval.collect", *arguments])
    try:
        sys.stdout.write(f"wrote {collect(asked.raw, asked.into, command)}\n")
    except DimcoError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
