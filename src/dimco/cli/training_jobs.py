"""What the commands that run training jobs share."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dimco.cli.output import note
from dimco.errors import InputError, TrainingError
from dimco.training.loop import pick_device

if TYPE_CHECKING:
    from dimco.experiments.fewshot.job import FewShotJob

DataRoot = Annotated[
    Path | None, typer.Option(help="Folder with mini.npy or cifar100.npy and the splits; by default the data folder.")
]
Parallel = Annotated[int, typer.Option(min=1, help="Trainings at a time.")]
TimeLimit = Annotated[float | None, typer.Option(min=1, help="Seconds; what would not end within them is left out.")]
Steps = Annotated[int | None, typer.Option(min=1, help="Batches of each training; by default the study's.")]


def run_study(
    study: str,
    jobs: Sequence[FewShotJob],
    output: Path,
    data: Path | None,
    device: str,
    parallel: int,
    time_limit: float | None,
    quiet: bool,
) -> dict[str, Any]:
    """Run the jobs that the results file lacks; gives the file's content, or an error if a job failed."""
    import json

    from dimco.experiments.demo_files import make_folder
    from dimco.experiments.fewshot.measure import Protocol
    from dimco.experiments.jobs.collect import results_file
    from dimco.experiments.jobs.cost import CostModel
    from dimco.experiments.jobs.pool import Workplace, run_queue
    from dimco.experiments.jobs.queue import JobQueue

    make_folder(output.parent)
    file = results_file(study, output, shlex.join(["dimco", *sys.argv[1:]]))
    cost = CostModel(parallel)
    queue = JobQueue([[job for job in jobs if not file.has(job)]], cost, time_limit)
    place = Workplace(data, str(pick_device(device)), Protocol())
    failures = run_queue(queue, cost, place, file, parallel, lambda line: note(line, quiet))
    file.write()
    if failures:
        raise TrainingError(f"{len(failures)} of {len(jobs)} jobs failed: {failures[0]}")
    content: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    return content


def named(text: str | None, allowed: Sequence[str], what: str) -> Sequence[str]:
    """Names with commas between, each of those allowed; all of them without any."""
    names = [name.strip() for name in text.split(",")] if text else list(allowed)
    unknown = [name for name in names if name not in allowed]
    if unknown:
        raise InputError(f"expected {what} of {', '.join(allowed)}; got {', '.join(unknown)}")
    return names
