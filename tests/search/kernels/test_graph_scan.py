"""Triton's interpreter runs the steps on the CPU, unrecorded, where triton is installed; asked for at the start."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("triton")

_SETTING = """
import numpy as np, torch
from dimco.search.kernels import device_codes, graph_scan
from dimco.search.kernels.device_codes import DeviceCodes
from dimco.search.kernels.graph_scan import GraphScan
from dimco.search.kernels.torch_codes import upload
from dimco.search.layout import Layout
from dimco.search.scan import ScanSegment
from dimco.spec import CodeSpec

graph_scan.SAMPLES, graph_scan.SAMPLE_BLOCKS, graph_scan.NEAR = 8, 1, 16
graph_scan.ROWS = graph_scan.FEWEST_ROWS = 1024
graph_scan._ROUNDED_BLOCKS = 16
rng = np.random.default_rng(0)


def expected(symbols, ids, table, n):
    scores = np.zeros(len(symbols))
    for position, entries in enumerate(table):
        scores = scores + entries.astype(np.float64)[symbols[:, position]]
    order = np.lexsort((ids, -scores))[:n]
    return ids[order], scores[order]


def assert_same(found, right):
    np.testing.assert_array_equal(found[0], right[0])
    np.testing.assert_array_equal(found[1].view(np.int64), right[1].view(np.int64))


def drawn(code, rows):
    spec = CodeSpec.parse(code)
    return Layout(spec), rng.integers(0, spec.k, (rows, spec.d)).astype(np.uint8)


def piece_of(layout, symbols, ids=0, keep=None):
    segment = ScanSegment(layout.pack(symbols), len(symbols), ids, keep)
    return upload(layout, segment, 0, len(symbols), torch.device("cpu"))


def tables_of(layout, queries, kind="normal"):
    shape = queries, layout.spec.d, layout.spec.k
    if kind == "few values":
        return rng.integers(-1, 2, shape).astype(np.float32)
    tables = rng.normal(size=shape).astype(np.float32)
    if kind == "ranges":
        tables *= (10.0 ** rng.integers(-44, 38, (1, shape[1], 1))).astype(np.float32)
    if kind == "extreme":
        extremes = np.array([3.4e38, -3.4e38, 1e-45, -1e-45, 0, -0.0, 1], dtype=np.float32)
        tables = rng.choice(extremes, shape)
    return tables
"""

_EXACT = """
for code in ("16x17", "16x1", "5x3", "3x5", "2x9"):
    for kind in ("normal", "few values", "ranges", "extreme"):
        layout, symbols = drawn(code, 700)
        ids = rng.permutation(5000)[:700].astype(np.int64)
        keep = rng.integers(0, 2**63, 11, dtype=np.uint64) * np.uint64(2)
        bits = np.unpackbits(keep.view(np.uint8), bitorder="little")[:700].astype(bool)
        filtered = GraphScan(piece_of(layout, symbols, ids, keep))
        tables = tables_of(layout, 2, kind)
        for n, table, found in zip((3, 3, 90), (*tables, tables[0]), (*filtered(tables, 3), *filtered(tables[:1], 90))):
            assert_same(found, expected(symbols[bits], ids[bits], table, n))
        whole = GraphScan(piece_of(layout, symbols[:640], 7))
        assert_same(whole(tables[:1], 4)[0], expected(symbols[:640], np.arange(7, 647), tables[0], 4))
"""

_SELECTIVE = """
layout, symbols = drawn("16x16", 64 * 60)
graph_scan.SAMPLES, graph_scan.NEAR = 32, 64
scan, tables = GraphScan(piece_of(layout, symbols)), tables_of(layout, 3)
for table in tables:
    assert_same(scan(table[None], 2)[0], expected(symbols, np.arange(len(symbols)), table, 2))
    blocks, rows = scan._steps.answer[:2].tolist()
    assert 2 <= rows < 20 and blocks < 30, (blocks, rows)
"""

_LEFT = """
layout, symbols = drawn("16x9", 64 * 20)
tables = tables_of(layout, 12)
tables[1, 2, 3] = -np.inf
tables[2] = -1.5
scan = GraphScan(piece_of(layout, symbols))
found = scan(tables, 1)
assert found[1] is None and found[2] is None and sum(answer is None for answer in found) < 8
for answer, table in zip(found, tables):
    assert answer is None or assert_same(answer, expected(symbols, np.arange(1280), table, 1)) is None
graph_scan.NEAR = 64
assert GraphScan(piece_of(layout, symbols))(tables[2:3], 1) == [None]
graph_scan.ROWS = graph_scan.FEWEST_ROWS = 2048
ids, scores = GraphScan(piece_of(layout, symbols))(tables[2:3], 3)[0]
assert ids.tolist() == [0, 1, 2] and len(scores) == 3
"""

_DIVIDED = """
layout, symbols = drawn("16x5", 3000)
device_codes.rounded_minima_for, device_codes.FEWEST_BLOCKS = (lambda layout, device: True), 10
parts = np.split(np.arange(3000), [1000, 1100, 2100])
keep = [None, None, rng.integers(0, 2**63, 16, dtype=np.uint64), None]
segments = [ScanSegment(layout.pack(symbols[part]), len(part), int(part[0]), some) for part, some in zip(parts, keep)]
bits = np.ones(3000, dtype=bool)
bits[1100:2100] = np.unpackbits(keep[2].view(np.uint8), bitorder="little")[:1000]
codes = DeviceCodes(layout, segments, "cpu")
assert len(codes._graphs) == 3 and len(codes._others) == 1
tables = tables_of(layout, 3)
tables[1] = rng.integers(-1, 2, tables[1].shape)
tables[2, 0, 0] = -np.inf
for n in (1, 20, 200):
    found = codes.scan(tables, n)
    for query, table in enumerate(tables):
        right = expected(symbols[bits], np.flatnonzero(bits), table, n)
        assert_same((found[0][query], found[1][query]), right)
found = codes.scan(tables[:1], 5, [None] * 4)
assert_same((found[0][0], found[1][0]), expected(symbols, np.arange(3000), tables[0], 5))
"""


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(_EXACT, id="ids and scores are exact to the bit"),
        pytest.param(_SELECTIVE, id="few items reach the floor"),
        pytest.param(_LEFT, id="what does not fit is left to another scan"),
        pytest.param(_DIVIDED, id="pieces with and without a graph give one answer"),
    ],
)
def test_the_steps_of_a_graph(script):
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    command = [sys.executable, "-c", _SETTING + script]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
