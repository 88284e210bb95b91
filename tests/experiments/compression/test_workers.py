"""Cells measured by one process or by several: the same ones, and shared work done once."""

from __future__ import annotations

import operator

import pytest

from dimco.errors import DimcoError
from dimco.experiments.compression import workers as module
from dimco.experiments.compression.methods import shares_work
from dimco.experiments.compression.workers import Place, measured
from dimco.spec import CodeSpec

SMALL, LARGE = CodeSpec(2, 4), CodeSpec(4, 4)


def without_times(found):
    return {
        place: cell if isinstance(cell, str) else {name: cell[name] for name in cell if not name.endswith("seconds")}
        for place, cell in found
    }


def test_several_processes_find_what_one_finds(toy):
    places = [Place(method, spec, seed) for method in ("sq", "itq") for spec in (SMALL, LARGE) for seed in (0, 1)]
    alone = list(measured(toy, places))
    assert [place for place, _ in alone] == places
    assert without_times(measured(toy, places, workers=2)) == without_times(alone)
    assert dict(alone)["itq", LARGE, 0] == "expected k = 2 for a binary code; got 4"


@pytest.mark.parametrize(
    ("name", "spec", "seed"),
    [("dimco-infomax", False, True), ("dimco-mlp", False, True), ("dimco-decoder", True, False), ("pq", False, False)],
)
def test_cells_share_work_over_codes_or_over_seeds(name, spec, seed):
    asked = shares_work(name, SMALL, 0)
    assert (shares_work(name, LARGE, 0) == asked) is spec
    assert (shares_work(name, SMALL, 1) == asked) is seed
    assert shares_work("dimco-positions", SMALL, 0) != asked


def test_what_shares_work_is_one_task_and_large_codes_come_first():
    places = [Place("dimco-infomax", spec, seed) for seed in (0, 1) for spec in (SMALL, LARGE)]
    assert module._tasks(places) == [
        [Place("dimco-infomax", LARGE, 0), Place("dimco-infomax", LARGE, 1)],
        [Place("dimco-infomax", SMALL, 0), Place("dimco-infomax", SMALL, 1)],
    ]


def test_a_process_that_ends_before_its_time_is_one_clear_error(toy, monkeypatch):
    monkeypatch.setattr(module, "_start", operator.neg)
    with pytest.raises(DimcoError, match="a process that measured has ended before its time"):
        list(measured(toy, [Place("sq", SMALL, 0)], workers=2))
