"""Files of finished jobs: one JSON, whole after every job, that a later run goes on from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from dimco.atomic import write_text
from dimco.errors import DamagedFileError, InputError
from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.provenance import provenance

Record = dict[str, Any]
Summary = Callable[[Sequence[Record]], list[dict[str, Any]]]


class JobsFile:
    """Records of finished jobs, in the order in which they finished.

    Parameters
    ----------
    path : Path
        Read if it is there; written after every `add`.
    command : str
        Written into the file, and into each record it adds.
    experiment : str, default="training-jobs"
    rows : callable, optional
        From the records to the rows of the tables, which are written as well.
    """

    def __init__(
        self, path: Path, command: str, experiment: str = "training-jobs", rows: Summary | None = None
    ) -> None:
        self.path, self.command, self.experiment, self._rows = path, command, experiment, rows
        self.records = read_records(path) if path.exists() else []

    def has(self, job: FewShotJob) -> bool:
        """Whether the job, with these settings, is in the file."""
        return any(FewShotJob.from_record(record["job"]) == job for record in self.records)

    def add(self, record: Record) -> None:
        """Take in what a job of this run gave, and write."""
        made = provenance(self.command, 0)
        by = {"torch": made["versions"]["torch"], "accelerator": made["machine"]["accelerator"]}
        self.records.append({**record, "command": self.command, **by})
        self.write()

    def write(self) -> None:
        content: dict[str, Any] = {"experiment": self.experiment, **provenance(self.command, 0)}
        if self._rows is not None:
            content["rows"] = self._rows(self.records)
        write_text(self.path, json.dumps({**content, "jobs": self.records}, indent=1) + "\n")


def read_records(path: Path) -> list[Record]:
    """The records of a file written by `JobsFile`."""
    try:
        records = json.loads(path.read_text(encoding="utf-8"))["jobs"]
        for record in records:
            FewShotJob.from_record(record["job"])
        return list(records)
    except (InputError, ValueError, KeyError, TypeError, OSError) as error:
        raise DamagedFileError(f"{path} is not a file of training jobs: {error}") from error


def merged(records: Iterable[Record]) -> list[Record]:
    """One record of each job: the last one."""
    return list({FewShotJob.from_record(record["job"]): record for record in records}.values())
