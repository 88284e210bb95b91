"""Files of finished jobs: one JSON, whole after each, that a later run goes on from."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from dimco.atomic import write_text
from dimco.errors import DamagedFileError, InputError
from dimco.experiments.provenance import provenance
from dimco.experiments.retrieval.job import RetrievalJob
from dimco.experiments.retrieval.rows import TIME, retrieval_rows

Record = dict[str, Any]


class JobsFile:
    """Records of finished jobs, in the order in which they finished.

    Parameters
    ----------
    path : Path
        Read if it is there; written after every `add`.
    command : str
        Written into the file, and into each record it adds.
    """

    experiment: ClassVar[str] = "retrieval-training"

    def __init__(self, path: Path, command: str) -> None:
        self.path, self.command = path, command
        self.records: list[Record] = []
        if path.exists():
            self._take(read_content(path, self.experiment))

    def has(self, job: RetrievalJob) -> bool:
        """Whether the job, with these settings, is in the file."""
        return any(job_of(record) == job for record in self.records)

    def add(self, record: Record) -> None:
        """Take in what a job of this run gave, and write."""
        made = provenance(self.command, 0)
        by = {"torch": made["versions"]["torch"], "accelerator": made["machine"]["accelerator"]}
        self.records.append({**record, "command": self.command, **by})
        self.write()

    def write(self) -> None:
        content = {"experiment": self.experiment, **provenance(self.command, 0), **self.content()}
        write_text(self.path, json.dumps(content, indent=1) + "\n")

    def content(self) -> dict[str, Any]:
        """What the file holds beside what made it."""
        return {"jobs": self.records}

    def best_epoch(self, job: RetrievalJob) -> int:
        """The epoch that did best on held-out classes for a job of these settings; of the same seed if it is there."""
        wanted = replace(job, stage="select", stop=0)
        same = [r for r in reversed(self.records) if replace(job_of(r), seed=job.seed) == wanted]
        own = [record for record in same if record["job"]["seed"] == job.seed]
        if same:
            return int((own or same)[0]["best_epoch"])
        raise InputError(f"expected a job of stage select with the settings of {job.title}; the file has none")

    def _take(self, content: dict[str, Any]) -> None:
        self.records = content["jobs"]


class RetrievalFile(JobsFile):
    """The results file: beside the jobs the rows of the tables, those of times among them."""

    experiment: ClassVar[str] = "retrieval"

    def __init__(self, path: Path, command: str) -> None:
        self.times: list[Record] = []
        super().__init__(path, command)

    def merge(self, records: Iterable[Record], times: Iterable[Record] = ()) -> None:
        """Take in jobs, the last record of each, and rows of times, in place of those of their data sets; write."""
        self.records = list({job_of(record): record for record in (*self.records, *records)}.values())
        new = list(times)
        again = {row["dataset"] for row in new}
        self.times = [row for row in self.times if row["dataset"] not in again] + new
        self.write()

    def _take(self, content: dict[str, Any]) -> None:
        super()._take(content)
        self.times = [row for row in content["rows"] if row["metric"] == TIME]

    def content(self) -> dict[str, Any]:
        return {"rows": [*retrieval_rows(self.records), *self.times], **super().content()}


def job_of(record: Record) -> RetrievalJob:
    """The job that a record is of."""
    return RetrievalJob(**record["job"])


def read_content(path: Path, *experiments: str) -> dict[str, Any]:
    """What a file of retrieval jobs holds, of one of these experiments."""
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if content["experiment"] not in experiments:
            raise ValueError("it is of another experiment")
        for record in content["jobs"]:
            job_of(record)
        return content
    except (InputError, ValueError, KeyError, TypeError, OSError) as error:
        raise DamagedFileError(f"{path} is not a file of retrieval trainings: {error}") from error
