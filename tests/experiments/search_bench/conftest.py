"""A benchmark small enough for a test, and results written by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dimco.experiments.search_bench.peers import PEERS
from dimco.experiments.search_bench.plan import BATCH, FULL, SINGLE
from dimco.experiments.search_bench.rows import summarized
from dimco.experiments.search_bench.timing import Pace
from dimco.experiments.search_bench.vectors import FloatVectors
from dimco.experiments.search_bench.workload import random_workload
from dimco.spec import CodeSpec


@pytest.fixture
def plan():
    """One code, one size, the least of rounds."""
    paces = {
        SINGLE: Pace(rounds=2, queries=2, at_once=False, turn=0.01, total=0.02, least_rounds=1),
        BATCH: Pace(rounds=2, queries=6, at_once=True, turn=0.01, total=0.02, least_rounds=1),
    }
    return replace(FULL, specs=(CodeSpec(16, 4),), items=(500,), paces=paces)


@pytest.fixture
def workload():
    return random_workload(CodeSpec(16, 4), FloatVectors(500, 6, 0), 6, 0)


def series(method, ms, mode=SINGLE, threads=1, queries=1_000, part=None):
    return {"method": method, "threads": threads, "mode": mode, "part": part, "queries": queries, "ms": ms}


def fact(method, threads=1, **facts):
    return {"method": method, "threads": threads, "bytes_per_item": 8.0, **facts}


def cell(k, d, items, seconds=1.0, **others):
    """A cell in which every method takes a known multiple of ours, which takes 1, 2 and 3 times `seconds` ms."""
    ours = [seconds, 2 * seconds, 3 * seconds]
    listed = [series("dimco", ours), series("dimco", [seconds], threads=2), series("floor", [seconds])]
    listed += [series("dimco", ours, BATCH), series("dimco", [seconds], BATCH, threads=2)]
    facts = [fact("dimco", exactness=1.0), fact("dimco", 2, exactness=1.0)]
    for place, method in enumerate(PEERS, 2):
        listed += [series(method, [place * 2 * seconds]), series(method, [place * 4 * seconds], BATCH, queries=50)]
        judged = {"recall": 0.9} if method == "faiss-hnsw" else {"exactness": 0.5} if "fastscan" in method else {}
        facts.append(fact(method, **judged))
    listed.append(series("faiss-pq", [2 * seconds], part="tables"))
    shape = {"k": k, "d": d, "bits": d * (k - 1).bit_length(), "items": items}
    return {"dataset": "random", **shape, "n": 10, "seed": 0, "series": listed, "facts": facts, "skipped": {}, **others}


@pytest.fixture
def cells():
    return [cell(16, 16, 1_000), cell(16, 16, 1_000_000, 0.5), cell(64, 64, 1_000_000, 2.0)]


@pytest.fixture
def results(cells):
    return {"rows": summarized(cells), "cells": cells}
