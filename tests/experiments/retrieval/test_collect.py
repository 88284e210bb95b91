"""From raw files to the results file."""

from __future__ import annotations

import json

from dimco.experiments.retrieval.collect import main
from dimco.experiments.retrieval.store import JobsFile, RetrievalFile


def test_jobs_of_raw_files_are_added_and_make_rows(tmp_path, record, capsys):
    first, second = JobsFile(tmp_path / "a.json", "train a"), JobsFile(tmp_path / "b.json", "train b")
    first.add(record(codes=[40.0]))
    second.add(record(codes=[60.0]))
    second.add(record(method="triplet"))
    (tmp_path / "results").mkdir()
    into = ["--into", str(tmp_path / "results")]
    assert main([str(tmp_path / "a.json"), *into]) == 0
    assert main([str(tmp_path / "b.json"), *into]) == 0
    assert capsys.readouterr().out == f"wrote {tmp_path / 'results' / 'retrieval.json'}\n" * 2
    content = json.loads((tmp_path / "results" / "retrieval.json").read_text())
    assert [job["command"] for job in content["jobs"]] == ["train b", "train b"]
    recall = {row["method"]: row["value"] for row in content["rows"] if row["metric"] == "recall@1"}
    assert recall["dimco-infomax"] == 60.0


def test_times_of_results_files_come_along_the_last_of_each_data_set(tmp_path, record):
    row = {"metric": "ms_per_query", "method": "dimco", "dataset": "cub"}
    for name, value in (("a", 1.0), ("b", 2.0)):
        RetrievalFile(tmp_path / f"{name}.json", "c").merge([record(method="triplet")], [{**row, "value": value}])
    assert main([str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--into", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "retrieval.json").read_text())["rows"]
    assert [one["value"] for one in rows if one["metric"] == "ms_per_query"] == [2.0]


def test_a_foreign_file_is_one_line(tmp_path, capsys):
    (tmp_path / "x.json").write_text("{}")
    assert main([str(tmp_path / "x.json"), "--into", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith("error: ")
