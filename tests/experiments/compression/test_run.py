"""The grid: measured once, written after every cell, taken up where it stopped."""

from __future__ import annotations

import json
import statistics
from dataclasses import replace
from typing import ClassVar

import pytest

from dimco.errors import DamagedFileError, InputError
from dimco.experiments.compression import run, workers
from dimco.experiments.compression.measure import measure
from dimco.experiments.compression.run import GRIDS, run_grid, summarized
from dimco.spec import CodeSpec

SPECS = (CodeSpec(4, 2), CodeSpec(2, 4))
FIELDS = {"dataset", "backbone", "method", "k", "d", "bits", "metric", "value", "spread", "seeds", "paper"}


@pytest.fixture
def output(tmp_path):
    return tmp_path / "results.json"


@pytest.fixture
def measured(monkeypatch):
    """The names of the methods measured; the n-th measurement raises what stands under n in `fail`."""

    class Calls(list):
        fail: ClassVar[dict] = {}

    calls = Calls()

    def spy(quantizer, data):
        calls.append(quantizer.name)
        if len(calls) in calls.fail:
            raise calls.fail[len(calls)]
        return measure(quantizer, data)

    for module in (run, workers):
        monkeypatch.setattr(module, "measure", spy)
    return calls


def read(output):
    return json.loads(output.read_text(encoding="utf-8"))


def places(cells):
    return [(cell["method"], cell["k"], cell["d"], cell["seed"]) for cell in cells]


def without_times(cells):
    return [{name: value for name, value in cell.items() if not name.endswith("seconds")} for cell in cells]


def test_the_paper_grid_is_all_of_two_to_sixteen():
    assert [(spec.k, spec.d) for spec in GRIDS["paper"]] == [(k, d) for k in (2, 4, 8, 16) for d in (2, 4, 8, 16)]
    assert {spec.k for spec in GRIDS["rate"]} == {16}


def test_every_cell_is_measured_and_the_file_is_what_comes_back(toy, quick, output):
    told, methods = [], ("dimco-infomax", "dimco-decoder", "pq", "sq")
    results = run_grid(toy, methods, SPECS, [0], output, "the command", lambda *a: told.append(a))
    expected = [(method, spec.k, spec.d, 0) for method in methods for spec in SPECS]
    assert places(results["cells"]) == [*expected, ("float-knn", None, None, 0)]
    assert read(output) == results
    assert {"command", "seed", "versions", "machine"} <= set(results)
    assert (results["experiment"], results["dataset"], results["command"]) == ("compression", "toy", "the command")
    assert [(number, total) for _, number, total in told] == [(n, 8) for n in range(1, 9)]
    assert [cell for cell, *_ in told] == results["cells"][:-1]
    assert {cell["bits"] for cell in results["cells"]} == {4, 32 * 8}
    assert all(0 <= cell["top1"] <= 100 for cell in results["cells"])
    assert all("independence" in cell for cell in results["cells"] if cell["method"] == "dimco-infomax")
    assert all(set(row) == FIELDS for row in results["rows"])


def test_a_method_with_one_code_is_measured_at_that_one(toy, output):
    results = run_grid(toy, ["int8"], SPECS, [0], output, "")
    assert places(results["cells"]) == [("int8", 256, 8, 0), ("float-knn", None, None, 0)]
    assert results["skipped"] == {}


def test_a_cell_is_what_the_method_measures_alone(toy, output):
    from dimco.baselines import ProductQuantizer

    (cell, _) = run_grid(toy, ["pq"], SPECS[:1], [3], output, "")["cells"]
    alone = measure(ProductQuantizer(SPECS[0], 3), toy)
    assert (cell["top1"], cell["top1_weighted"]) == (alone["top1"], alone["top1_weighted"])


def test_the_file_is_whole_after_every_cell(toy, output):
    seen = []
    run_grid(toy, ("pq", "sq"), SPECS, [0], output, "", lambda *_: seen.append(read(output)))
    assert [len(content["cells"]) for content in seen] == [1, 2, 3, 4]
    for content in seen:
        assert len(content["rows"]) == 2 * len(content["cells"])
    assert [path.name for path in output.parent.iterdir()] == ["results.json"]


def test_cells_that_are_there_are_not_measured_again(toy, output, measured):
    first = run_grid(toy, ("pq", "sq"), SPECS, [0], output, "first")
    assert measured == ["pq", "pq", "sq", "sq", "float-knn"]
    before = output.read_bytes()
    assert run_grid(toy, ("pq", "sq"), SPECS, [0], output, "second") == first
    assert len(measured) == 5
    assert output.read_bytes() == before, "what measured nothing leaves the origin of what is there"
    grown = run_grid(toy, ("sq", "sign"), SPECS, [0, 1], output, "third")
    assert measured[5:] == ["sign", "sq", "sq", "sign"], "sign makes 2x4 alone"
    assert grown["cells"][: len(first["cells"])] == first["cells"]
    assert grown["command"] == "third"
    assert [cell["method"] for cell in grown["cells"]].count("float-knn") == 1


def test_several_processes_fill_the_same_file(toy, output):
    told = []
    results = run_grid(toy, ("pq", "sq"), SPECS, [0], output, "", lambda *a: told.append(a[1:]), workers=2)
    alone = run_grid(toy, ("pq", "sq"), SPECS, [0], output.with_name("alone.json"), "")
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert sorted(places(results["cells"][:-1])) == sorted(places(alone["cells"][:-1]))
    assert read(output) == results


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_interrupted_run_goes_on_to_what_a_whole_one_gives(toy, quick, output, measured, error):
    grid = (("dimco-infomax", "sq"), SPECS, [0, 1])
    measured.fail = {6: error}
    with pytest.raises(error):
        run_grid(toy, *grid, output, "")
    kept = read(output)["cells"]
    assert len(kept) == 5
    measured.fail = {}
    measured.clear()
    results = run_grid(toy, *grid, output, "")
    assert measured == ["dimco-infomax", "sq", "sq", "float-knn"]
    assert results["cells"][:5] == kept
    whole = run_grid(toy, *grid, output.with_name("whole.json"), "")
    assert without_times(results["cells"]) == without_times(whole["cells"])
    assert results["rows"] == whole["rows"]


def test_an_interruption_before_the_first_cell_leaves_no_file(toy, output, measured):
    measured.fail = {1: KeyboardInterrupt}
    with pytest.raises(KeyboardInterrupt):
        run_grid(toy, ["sq"], SPECS, [0], output, "")
    assert not output.exists()


def test_methods_that_cannot_make_a_code_are_left_out_with_the_reason(toy, output):
    specs = (CodeSpec(4, 2), CodeSpec(4, 16))
    results = run_grid(toy, ("pq", "itq", "magic"), specs, [0, 1], output, "")
    assert results["skipped"]["pq 4x16"] == "expected at most 8 positions for 8 features; got 16"
    assert results["skipped"]["itq 4x2"] == "expected k = 2 for a binary code; got 4"
    assert "got 'magic'" in results["skipped"]["magic 4x2"]
    assert set(results["skipped"]) == {"pq 4x16", "itq 4x2", "itq 4x16", "magic 4x2", "magic 4x16"}
    assert places(results["cells"]) == [("pq", 4, 2, 0), ("pq", 4, 2, 1), ("float-knn", None, None, 0)]
    assert read(output) == results


def test_reasons_stay_when_the_run_goes_on_and_go_when_the_cell_is_there(toy, output):
    run_grid(toy, ["itq"], SPECS[:1], [0], output, "")
    assert set(read(output)["skipped"]) == {"itq 4x2"}
    run_grid(toy, ["sq", "pq"], [CodeSpec(4, 16)], [0], output, "")
    assert set(read(output)["skipped"]) == {"itq 4x2", "sq 4x16", "pq 4x16"}, "though nothing new was measured"
    stored = read(output)
    stored["skipped"]["sq 4x2"] = "not then"
    output.write_text(json.dumps(stored), encoding="utf-8")
    assert "sq 4x2" not in run_grid(toy, ["sq"], SPECS[:1], [0], output, "")["skipped"]


def test_the_networks_prediction_is_a_reference_where_it_is_at_hand(toy, output):
    found = replace(toy, predicted=toy.truth.clip(0))
    *_, cell = run_grid(found, ["sq"], SPECS[:1], [4], output, "")["cells"]
    assert cell == {"method": "network", "k": 5, "d": 1, "bits": 3, "seed": 4, "top1": 100 * 30 / 32}


def test_rows_are_means_and_deviations_over_seeds(toy):
    tops = {("pq", 0): 10.0, ("pq", 1): 20.5, ("pq", 2): 40.25, ("sq", 0): 7.125}
    cells = [
        {"method": method, "k": 16, "d": 4, "bits": 16, "seed": seed, "top1": top1, "top1_weighted": top1 + 1}
        for (method, seed), top1 in tops.items()
    ]
    cells.append({"method": "network", "k": 100, "d": 1, "bits": 7, "seed": 0, "top1": 66.0})
    rows = summarized(cells, replace(toy, name="cifar100", backbone="resnet20"))
    values = [10.0, 20.5, 40.25]
    assert [(row["method"], row["metric"]) for row in rows] == [
        ("pq", "top1"), ("pq", "top1_weighted"), ("sq", "top1"), ("sq", "top1_weighted"), ("network", "top1"),
    ]  # fmt: skip
    assert rows[0] == {
        "dataset": "cifar100", "backbone": "resnet20", "method": "pq", "k": 16, "d": 4, "bits": 16, "metric": "top1",
        "value": round(statistics.mean(values), 3), "spread": round(statistics.stdev(values), 3), "seeds": [0, 1, 2],
        "paper": 43.16,
    }  # fmt: skip
    assert rows[1]["value"] == round(statistics.mean(values) + 1, 3)
    assert rows[1]["paper"] is None, "the paper's votes are plain"
    assert (rows[2]["value"], rows[2]["spread"], rows[2]["paper"]) == (7.125, None, None)


def test_results_of_another_data_set_are_refused_and_kept(toy, output, measured):
    run_grid(toy, ["sq"], SPECS[:1], [0], output, "")
    before = output.read_bytes()
    with pytest.raises(InputError, match=r"expected results of other in .*results\.json; it holds those of toy"):
        run_grid(replace(toy, name="other"), ["sq"], SPECS, [0], output, "")
    assert output.read_bytes() == before
    assert measured == ["sq", "float-knn"]


@pytest.mark.parametrize(
    "content",
    [
        "", "{", "[]", '"text"', "{}", '{"dataset": "toy"}', '{"cells": []}', '{"dataset": "toy", "cells": [1]}',
        '{"dataset": "toy", "cells": "abc"}', '{"dataset": "toy", "cells": [{"method": "pq"}]}',
        '{"dataset": "toy", "cells": [{"method": "pq", "k": 4, "d": 2, "seed": 0, "bits": 4}]}',
        '{"dataset": "toy", "cells": [], "skipped": 3}',
    ],
)  # fmt: skip
def test_damaged_files_are_named_and_kept(toy, output, measured, content):
    output.write_text(content, encoding="utf-8")
    with pytest.raises(DamagedFileError, match=r"results\.json is not a results file of this experiment"):
        run_grid(toy, ["sq"], SPECS, [0], output, "")
    assert output.read_text(encoding="utf-8") == content
    assert measured == []


def test_files_that_are_no_text_are_damaged(toy, output):
    output.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DamagedFileError):
        run_grid(toy, ["sq"], SPECS, [0], output, "")
