"""From files of training jobs to the results files of the experiments: `python -m dimco.experiments.jobs.collect`.

usage: python -m dimco.experiments.jobs.collect RAW.json [RAW.json ...] [--into results]

Adds the jobs of the raw files to those that the results files already hold; of one job the last record counts.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from dimco.errors import DimcoError
from dimco.experiments.correlation.rows import correlation_rows
from dimco.experiments.fewshot.rows import fewshot_rows
from dimco.experiments.jobs.store import JobsFile, Record, Summary, merged, read_records
from dimco.experiments.small_train.rows import small_train_rows


class Study(NamedTuple):
    """A results file: which jobs belong to it, and the rows they make."""

    kinds: tuple[str, ...]
    rows: Summary


STUDIES = {
    "fewshot": Study(("fewshot", "pilot", "throughput"), fewshot_rows),
    "correlation": Study(("correlation",), correlation_rows),
    "small-train": Study(("small-train",), small_train_rows),
}


def results_file(study: str, path: Path, command: str) -> JobsFile:
    """The results file of a study, with what it holds."""
    return JobsFile(path, command, study, STUDIES[study].rows)


def collect(raw: Sequence[Path], into: Path, command: str) -> list[Path]:
    """Write the results files whose jobs are in the raw files."""
    records: list[Record] = [record for path in raw for record in read_records(path)]
    written = []
    for name, study in STUDIES.items():
        found = [record for record in records if record["job"]["experiment"] in study.kinds]
        if found:
            file = results_file(name, into / f"{name}.json", command)
            file.records = merged([*file.records, *found])
            file.write()
            written.append(file.path)
    return written


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="dimco.experiments.jobs.collect", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("raw", type=Path, nargs="+")
    parser.add_argument("--into", type=Path, default=Path("results"))
    asked = parser.parse_args(arguments)
    command = shlex.join(["python", "-m", "dimco.experiments.jobs.collect", *arguments])
    try:
        for path in collect(asked.raw, asked.into, command):
            sys.stdout.write(f"wrote {path}\n")
    except DimcoError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
