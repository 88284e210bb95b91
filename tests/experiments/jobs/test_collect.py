"""From raw files to the results files of the studies."""

from __future__ import annotations

import json

from dimco.experiments.jobs.collect import main
from dimco.experiments.jobs.store import JobsFile


def test_jobs_go_to_the_file_of_their_study_and_add_to_it(tmp_path, record, capsys):
    first, second = JobsFile(tmp_path / "a.json", "train a"), JobsFile(tmp_path / "b.json", "train b")
    first.add(record(value=40.0))
    first.add({**record(experiment="correlation", k=4, d=4), "points": [{"epoch": 1, "step": 5, "recall@1": 50.0}]})
    second.add(record(value=60.0))
    second.add(record(method="r2d2"))
    (tmp_path / "results").mkdir()
    into = ["--into", str(tmp_path / "results")]
    assert main([str(tmp_path / "a.json"), *into]) == 0
    assert main([str(tmp_path / "b.json"), *into]) == 0
    assert capsys.readouterr().out.count("wrote") == 3
    fewshot = json.loads((tmp_path / "results" / "fewshot.json").read_text())
    assert {job["job"]["method"]: job["validation"] for job in fewshot["jobs"]} == {"protonet": 60.0, "r2d2": 50.0}
    assert {job["command"] for job in fewshot["jobs"]} == {"train b"}
    assert len(fewshot["rows"]) == 4
    correlation = json.loads((tmp_path / "results" / "correlation.json").read_text())
    assert (correlation["experiment"], len(correlation["jobs"])) == ("correlation", 1)


def test_a_foreign_file_is_one_line(tmp_path, capsys):
    (tmp_path / "x.json").write_text("{}")
    assert main([str(tmp_path / "x.json"), "--into", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("error: ")
