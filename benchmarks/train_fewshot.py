"""Train and measure few-shot jobs on a GPU, several at a time, within a time limit.

usage: train_fewshot.py --data FOLDER --jobs SELECTION[,SELECTION...] [--parallel N] [--time-limit SECONDS]
                        [--steps-scale F] [--seeds N] [--models FOLDER] [-o FILE.json]

A selection is KIND:DATASET:BACKBONE:METHOD:CODE with settings behind it, where later parts may be left out or be *:
    fewshot:miniimagenet:conv4   fewshot:cifar-fs   fewshot:miniimagenet:conv4:dimco-decoder:64x128+steps=20000
    pilot:miniimagenet:conv4     throughput         correlation:cifar-fs     small-train
Those named first are started first, and of one selection the longest. FILE.json holds every finished job, whole after
each; jobs that it already holds are not run again. --list shows the jobs and how long each may take, and runs nothing.
Needs numpy and torch alone.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

from dimco.errors import DimcoError
from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.measure import Protocol
from dimco.experiments.jobs.cost import CostModel
from dimco.experiments.jobs.pool import Workplace, run_queue
from dimco.experiments.jobs.queue import JobQueue
from dimco.experiments.jobs.select import select
from dimco.experiments.jobs.store import JobsFile


def main() -> int:
    asked = _arguments()
    try:
        return _run(asked)
    except DimcoError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2


def _run(asked: argparse.Namespace) -> int:
    begin = time.monotonic()
    selections = [_planned(text, asked) for text in asked.jobs.split(",")]
    cost = CostModel(asked.parallel)
    if asked.list:
        for jobs in selections:
            for job in jobs:
                print(f"{cost.seconds(job):6.0f} s  {job.steps:6} steps of {job.batch_size:4}  {job.title}")
        return 0

    def say(line: str) -> None:
        print(f"[{time.monotonic() - begin:6.0f} s] {line}", flush=True)

    command = shlex.join(["python", "benchmarks/train_fewshot.py", *sys.argv[1:]])
    file = JobsFile(asked.output, command)
    left = [[job for job in jobs if not file.has(job)] for jobs in selections]
    queue = JobQueue(left, cost, asked.time_limit)
    device = asked.device if asked.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    say(f"{len(queue.waiting)} jobs on {device}, {asked.parallel} at a time")
    protocol = Protocol(asked.validation_episodes, asked.test_episodes)
    place = Workplace(asked.data, device, protocol, asked.reserve, asked.models)
    failures = run_queue(queue, cost, place, file, asked.parallel, say)
    file.write()
    say(f"{len(file.records)} jobs in {asked.output}, {len(failures)} failed, {len(queue.waiting)} not started")
    for line in failures:
        print(f"failed: {line}", flush=True)
    return 1 if failures else 0


def _planned(text: str, asked: argparse.Namespace) -> list[FewShotJob]:
    jobs = [replace(job, steps=max(1, round(job.steps * asked.steps_scale))) for job in select(text.strip())]
    if text.startswith(("correlation", "small-train")):
        return jobs
    return [replace(job, seed=job.seed + seed) for seed in range(asked.seeds) for job in jobs]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder with the data sets' arrays")
    parser.add_argument("--jobs", required=True, help="selections with commas between, the most important first")
    parser.add_argument("--models", type=Path, help="folder for classifiers that several jobs begin with")
    parser.add_argument("--parallel", type=int, default=1, help="processes on the one device")
    parser.add_argument("--time-limit", type=float, help="seconds; no job is started that would not end within them")
    parser.add_argument("--reserve", type=float, default=25.0, help="seconds kept for measuring trainings cut short")
    parser.add_argument("--steps-scale", type=float, default=1.0, help="factor on every number of steps")
    parser.add_argument("--seeds", type=int, default=1, help="seeds of each job of fewshot and pilot")
    parser.add_argument("--validation-episodes", type=int, default=300)
    parser.add_argument("--test-episodes", type=int, default=1000)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--list", action="store_true", help="show the jobs and run nothing")
    parser.add_argument("-o", "--output", type=Path, default=Path("training-jobs.json"))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
