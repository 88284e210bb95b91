import json
import time

import numpy as np
import pytest
import torch

from dimco.experiments.retrieval.queue import Workplace, run_jobs
from dimco.experiments.retrieval.store import JobsFile

JOB = "tiny:{}:{}+epochs=2+batch_size=32+classes_a_batch=8+codes=4x6"


@pytest.fixture
def place(features_set, tmp_path):
    (tmp_path / "out").mkdir()
    end = time.monotonic() + 1000
    return Workplace(lambda name: features_set, torch.device("cpu"), None, end, tmp_path / "out")


def test_each_job_is_in_the_file_when_it_ends_and_runs_once(place, tmp_path):
    file, lines = JobsFile(tmp_path / "r.json", "command"), []
    names = [JOB.format("dimco-infomax", "final"), JOB.format("n-pair", "final")]
    assert run_jobs(names, place, file, lines.append) == []
    content = json.loads((tmp_path / "r.json").read_text())
    assert [record["job"]["method"] for record in content["jobs"]] == ["dimco-infomax", "n-pair"]
    kept = np.load(tmp_path / "out" / content["jobs"][0]["embeddings"])
    assert kept["test_4x6"].shape == (160, 6)
    again = JobsFile(tmp_path / "r.json", "command")
    run_jobs(names, place, again, lines.append)
    assert len(again.records) == 2


def test_a_final_training_stops_at_the_epoch_that_did_best_on_held_out_classes(place, tmp_path):
    file = JobsFile(tmp_path / "r.json", "command")
    selected, final = JOB.format("dimco-infomax", "select"), JOB.format("dimco-infomax", "final") + "+stop=best"
    assert run_jobs([selected, final], place, file, lambda line: None) == []
    assert len(file.records[1]["curve"]) == file.records[0]["best_epoch"]


def test_jobs_that_fail_or_do_not_fit_into_the_time_do_not_end_the_others(place, tmp_path):
    file, lines = JobsFile(tmp_path / "r.json", "command"), []
    unknown, orphan = "tiny:pq:final", JOB.format("triplet", "final") + "+stop=best"
    long = "tiny:triplet:final+epochs=1000000000+batch_size=32+classes_a_batch=8"
    failures = run_jobs([unknown, orphan, long, JOB.format("triplet", "final")], place, file, lines.append)
    assert len(failures) == 2
    assert "stage select" in failures[1]
    assert any("not started" in line for line in lines)
    assert len(file.records) == 1
