"""The file of finished jobs."""

from __future__ import annotations

import json

import pytest

from dimco.errors import DamagedFileError
from dimco.experiments.jobs.store import JobsFile, merged, read_records


def test_every_job_is_written_as_it_finishes_and_found_again(tmp_path, job, record):
    path = tmp_path / "jobs.json"
    file = JobsFile(path, "python train")
    file.add(record(value=40.0))
    assert len(read_records(path)) == 1
    file.add(record(method="r2d2"))
    again = JobsFile(path, "python train again")
    assert again.has(job())
    assert again.has(job(method="r2d2"))
    assert not again.has(job(seed=1))
    content = json.loads(path.read_text())
    assert content["command"] == "python train"
    assert {"command", "torch", "accelerator"} <= set(content["jobs"][0])
    assert "rows" not in content


def test_rows_are_made_of_the_records(tmp_path, record):
    file = JobsFile(tmp_path / "r.json", "c", "study", lambda records: [{"value": len(records)}])
    file.add(record())
    content = json.loads((tmp_path / "r.json").read_text())
    assert (content["experiment"], content["rows"]) == ("study", [{"value": 1}])


def test_of_one_job_the_last_record_counts(record):
    found = merged([record(value=1.0), record(method="r2d2"), record(value=2.0)])
    assert sorted(r["validation"] for r in found) == [2.0, 50.0]


@pytest.mark.parametrize(
    "text", ["", "[]", '{"jobs": [{"job": {"steps": 0}}]}', '{"jobs": [{"job": {"hue": 1}}]}', "{}"]
)
def test_another_file_is_refused_in_a_line(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(DamagedFileError, match=r"x.json is not a file of training jobs"):
        JobsFile(tmp_path / "x.json", "c")
