"""Triton's interpreter runs the kernel on the CPU, where triton is installed; it must be asked for at the start."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("triton")

_COMPARE = """
import numpy as np, torch
from dimco.search.kernels.torch_codes import upload
from dimco.search.kernels.triton_rounded import rounded_minima
from dimco.search.layout import Layout
from dimco.search.scan import ScanSegment
from dimco.spec import CodeSpec

rng = np.random.default_rng(0)
for code in ("2x9", "5x1", "16x4", "16x17", "16x64"):
    spec = CodeSpec.parse(code)
    layout = Layout(spec)
    for rows in (64, 65 * 64):
        symbols = rng.integers(0, spec.k, (rows, spec.d)).astype(np.uint8)
        piece = upload(layout, ScanSegment(layout.pack(symbols), rows, 0), 0, rows, torch.device("cpu"))
        rounded = torch.from_numpy(rng.integers(0, 128, (2, layout.columns, 16), dtype=np.uint8))
        rounded[:, 0] = 127
        found = rounded_minima(piece, rounded)
        for query in range(2):
            stored = piece.blocks.view(-1, layout.columns, 32).long()
            nibbles = torch.cat([stored & 15, stored >> 4], 2)
            sums = sum(rounded[query, column][nibbles[:, column]].int() for column in range(layout.columns))
            assert torch.equal(found[query], sums.amin(1).int()), (code, rows)
"""


def test_the_kernel_finds_the_smallest_sums():
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    command = [sys.executable, "-c", _COMPARE]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
