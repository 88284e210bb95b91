"""Files of jobs, and the results file."""

from __future__ import annotations

import json

import pytest

from dimco.errors import DamagedFileError, InputError
from dimco.experiments.retrieval.store import JobsFile, RetrievalFile


def test_a_file_goes_on_from_what_it_holds(tmp_path, record, job):
    JobsFile(tmp_path / "r.json", "first").add(record(seed=3))
    again = JobsFile(tmp_path / "r.json", "second")
    assert again.has(job(seed=3))
    assert not again.has(job(seed=4))
    again.add(record(seed=4))
    content = json.loads((tmp_path / "r.json").read_text())
    assert [(one["job"]["seed"], one["command"]) for one in content["jobs"]] == [(3, "first"), (4, "second")]
    assert content["experiment"] == "retrieval-training"
    assert "torch" in content["jobs"][0]


def test_the_best_epoch_is_that_of_the_same_seed_or_else_of_another(tmp_path, record, job):
    file = JobsFile(tmp_path / "r.json", "c")
    with pytest.raises(InputError, match="expected a job of stage select with the settings of cub:dimco-infomax:final"):
        file.best_epoch(job())
    file.add(record(stage="select", seed=0, curve=[1.0, 2.0, 0.0]))
    assert file.best_epoch(job(seed=5)) == 2
    file.add(record(stage="select", seed=5, curve=[3.0, 2.0, 0.0]))
    assert (file.best_epoch(job(seed=5)), file.best_epoch(job(seed=0))) == (1, 2)
    with pytest.raises(InputError, match="stage select"):
        file.best_epoch(job(lr=0.5))


def test_the_results_file_keeps_one_record_a_job_and_times_of_each_data_set(tmp_path, record):
    file = RetrievalFile(tmp_path / "r.json", "c")
    time = {"metric": "ms_per_query", "method": "dimco", "k": 64, "d": 64, "bits": 384}
    file.merge([record(codes=[40.0])], [{**time, "dataset": "cub", "value": 1.0}])
    file.merge([record(codes=[50.0])], [{**time, "dataset": "cars", "value": 2.0}])
    again = RetrievalFile(tmp_path / "r.json", "c")
    again.merge([], [{**time, "dataset": "cub", "value": 3.0}])
    content = json.loads((tmp_path / "r.json").read_text())
    assert (content["experiment"], len(content["jobs"])) == ("retrieval", 1)
    values = {(row["dataset"], row["metric"]): row["value"] for row in content["rows"] if row["method"][-1] == "o"}
    assert {key: value for key, value in values.items() if key[1] == "ms_per_query"} == {
        ("cub", "ms_per_query"): 3.0,
        ("cars", "ms_per_query"): 2.0,
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"experiment": "other", "jobs": []}',
        "[]",
        "no",
        '{"experiment": "retrieval-training", "jobs": [{"job": {"a": 1}}]}',
    ],
)
def test_other_files_are_refused(tmp_path, text):
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(DamagedFileError, match="is not a file of retrieval trainings"):
        JobsFile(tmp_path / "r.json", "command")
