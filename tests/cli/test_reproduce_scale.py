"""dimco reproduce scale, as people type it."""

import json

from dimco.cli.app import run


def test_results_and_plots_are_written(tmp_path, capsys):
    target = tmp_path / "made" / "scale.json"
    command = ["reproduce", "scale", "--megabytes", "1", "--epochs", "1", "-o", str(target), "--json"]
    assert run([*command, "--coarse", str(tmp_path / "none.json")]) == 0
    captured = capsys.readouterr()
    stem = target.with_suffix("")
    found = json.loads(captured.out)
    assert found["plots"] == [f"{stem}-latency.png", f"{stem}-latency.svg"]
    assert found["rows"] == len(json.loads(target.read_text())["rows"])
    assert "GB/s" in captured.err


def test_wrong_use_exits_with_2(error_of):
    code, line = error_of("reproduce", "scale", "--megabytes", "0")
    assert (code, "megabytes" in line) == (2, True)
