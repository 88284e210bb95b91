"""Train and measure retrieval jobs on a GPU, one after the other, within a time limit.

usage: train_retrieval.py --data FOLDER --jobs JOB[,JOB...] [--weights FILE] [--time-limit SECONDS] [--save FOLDER]
                          [--device NAME] -o FILE.json

A job is DATASET:METHOD:STAGE with settings behind it (see dimco.experiments.retrieval.job):
    cub:dimco-infomax:select   cars:dimco-infomax:final+epochs=30+stop=best   cub:triplet:final+epochs=20
Codes with commas between are written with semicolons: codes=64x64;256x256.
FOLDER holds DATASET.npy (uint8 pixels of 256 x 256, or features), DATASET.labels.npy and DATASET.classes.json.
FILE.json holds every finished job, whole after each; jobs that it already holds are not run again.
--save keeps float16 embeddings and codes of the jobs of stage final. Needs numpy and torch alone.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path

from dimco.errors import DimcoError
from dimco.experiments.retrieval.data import load_arrays
from dimco.experiments.retrieval.queue import Workplace, run_jobs
from dimco.experiments.retrieval.store import JobsFile
from dimco.training.loop import pick_device


def main() -> int:
    asked = _arguments()
    begin = time.monotonic()

    def say(line: str) -> None:
        print(f"[{time.monotonic() - begin:6.0f} s] {line}", flush=True)

    try:
        device = pick_device(asked.device)
        if asked.save is not None:
            asked.save.mkdir(parents=True, exist_ok=True)
        place = Workplace(
            lambda name: load_arrays(asked.data, name), device, asked.weights, begin + asked.time_limit, asked.save
        )
        file = JobsFile(asked.output, shlex.join(["python", "benchmarks/train_retrieval.py", *sys.argv[1:]]))
        names = [name.replace(";", ",") for name in asked.jobs.split(",")]
        failures = run_jobs(names, place, file, say)
    except DimcoError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    for line in failures:
        say(f"failed: {line}")
    return 1 if failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--jobs", required=True)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--time-limit", type=float, default=float("inf"))
    parser.add_argument("--save", type=Path)
    parser.add_argument("--device", default="auto")
    parser.add_argument("-o", "--output", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
