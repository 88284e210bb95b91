"""Triton's interpreter runs the GPU kernel on the CPU, where triton is installed; it must be asked for at the start."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("triton")

_COMPARE = """
import numpy as np, torch
from dimco.search.kernels.torch_codes import upload
from dimco.search.kernels.torch_losses import Losses
from dimco.search.kernels.torch_minima import TorchMinima
from dimco.search.kernels.triton_minima import TritonMinima
from dimco.search.layout import Layout
from dimco.search.scan import ScanSegment
from dimco.spec import CodeSpec

rng, cpu = np.random.default_rng(0), torch.device("cpu")
for code in ("2x9", "3x4", "5x3", "16x16", "17x3", "256x2"):
    spec = CodeSpec.parse(code)
    layout = Layout(spec)
    for rows in (1, 64, 65 * 64, 5000):
        symbols = rng.integers(0, spec.k, (rows, spec.d)).astype(np.uint8)
        for keep in (None, rng.integers(0, 2**63, -(-rows // 64), dtype=np.uint64) * np.uint64(2)):
            piece = upload(layout, ScanSegment(layout.pack(symbols), rows, 0, keep), 0, rows, cpu)
            tables = rng.normal(size=(2, spec.d, spec.k)).astype(np.float32)
            tables[rng.random(tables.shape) < 0.1] = -np.inf
            by_column = Losses(layout, tables, cpu).by_column
            found, expected = (minima(layout, by_column)(piece) for minima in (TritonMinima, TorchMinima))
            assert torch.equal(found, expected), (code, rows, keep is None)
"""


def test_the_kernel_finds_what_plain_torch_finds():
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    command = [sys.executable, "-c", _COMPARE]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
