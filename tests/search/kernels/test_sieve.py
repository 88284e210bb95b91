"""The sieve, on the CPU, with a plain gather in place of the GPU kernel."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dimco.search.kernels import sieve
from dimco.search.kernels import torch_scan as module
from dimco.search.kernels.device_codes import DeviceCodes
from dimco.search.kernels.torch_codes import upload
from dimco.search.kernels.torch_losses import Losses
from dimco.search.kernels.torch_minima import TorchMinima
from dimco.search.kernels.torch_scan import scan_torch
from dimco.search.layout import Layout
from dimco.search.scan import ScanSegment
from dimco.spec import CodeSpec

CPU = torch.device("cpu")
KINDS = ("normal", "ranges", "few values", "minus infinity", "extreme", "equal")


def gathered(piece, rounded):
    """Sums over all positions, row by row."""
    sums = []
    for table in rounded:
        total = torch.zeros(len(piece.blocks) * 64, dtype=torch.int32)
        for column, entries in enumerate(table):
            stored = piece.blocks[:, column * 32 : column * 32 + 32].long()
            total += entries[torch.cat([stored & 15, stored >> 4], 1)].flatten().int()
        sums.append(total.view(-1, 64).amin(1))
    return torch.stack(sums)


@pytest.fixture
def sieved(monkeypatch):
    """Every piece goes through the sieve; gives how many blocks came and how many were left."""
    seen = []
    real = sieve.Sieve.__call__

    def counted(self, piece, known):
        left = real(self, piece, known)
        seen.append((len(piece.blocks), len(left.blocks)))
        return left

    monkeypatch.setattr(sieve, "FEWEST_BLOCKS", 1)
    monkeypatch.setattr(sieve, "_SAMPLE", 2)
    monkeypatch.setattr(sieve.Sieve, "__call__", counted)
    monkeypatch.setattr(module, "rounded_minima_for", lambda layout, device: gathered if layout.bits == 4 else None)
    return seen


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("code", ["2x9", "4x6", "5x3", "16x4", "16x17"])
def test_answers_through_the_sieve_are_those_without_it(rng, monkeypatch, sieved, code, kind, random_tables):
    spec = CodeSpec.parse(code)
    layout = Layout(spec)
    symbols = rng.integers(0, spec.k, (2000, spec.d)).astype(np.uint8)
    ids = rng.permutation(5000)[:900].astype(np.int64)
    keep = rng.integers(0, 2**63, -(-1100 // 64), dtype=np.uint64) * np.uint64(2)
    segments = [
        ScanSegment(layout.pack(symbols[:900]), 900, ids),
        ScanSegment(layout.pack(symbols[900:]), 1100, 5000, keep),
    ]
    tables = random_tables(rng, (3, spec.d, spec.k), kind)
    found = [scan_torch(layout, segments, tables, n) for n in (1, 10, 50)]
    found.append(DeviceCodes(layout, segments, "cpu").scan(tables, 10))
    assert len(sieved) >= 8
    monkeypatch.setattr(module, "rounded_minima_for", lambda layout, device: None)
    expected = [scan_torch(layout, segments, tables, n) for n in (1, 10, 50, 10)]
    for (some, scores), (others, of_others) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(some, others)
        np.testing.assert_array_equal(scores.view(np.int64), of_others.view(np.int64))


def test_few_blocks_are_left_of_many(rng, sieved):
    layout = Layout(CodeSpec(16, 16))
    symbols = rng.integers(0, 16, (64 * 700, 16)).astype(np.uint8)
    tables = torch.from_numpy(rng.normal(size=(1, 16, 16)).astype(np.float32)).log_softmax(-1).numpy()
    scan_torch(layout, [ScanSegment(layout.pack(symbols), len(symbols), 0)], tables, 10)
    blocks, left = (sum(counts) for counts in zip(*sieved, strict=True))
    assert blocks == 700
    assert 10 <= left < 140


@pytest.mark.parametrize("kind", KINDS)
def test_rounded_losses_are_never_above_the_losses(rng, kind, random_tables):
    layout = Layout(CodeSpec(16, 5))
    losses = Losses(layout, random_tables(rng, (4, 5, 16), kind), CPU)
    made = sieve.Sieve(losses, TorchMinima(layout, losses.by_column), gathered, 3)
    for bound in (torch.tensor([0.0, 1e-30, 2.0**90, torch.inf]), losses.by_column.nan_to_num(posinf=0).amax((1, 2))):
        rounded, step = made._rounded(bound.double())
        assert rounded.max() <= 127
        assert (rounded * step[:, None, None] <= losses.by_column.double() * (1 + 1e-12)).all()


def test_the_blocks_that_look_best_are_the_smallest_of_their_neighbours(rng):
    sums = torch.from_numpy(rng.permutation(64 * 64 * 3 + 5)[None].astype(np.int32))
    found = sieve._smallest_places(sums, 3)
    groups = sums[0, : 64 * 192].view(-1, 64)
    assert sorted(sums[0, found[0]].tolist()) == sorted(groups.amin(1).tolist())[:3]
    assert sorted(sieve._smallest_places(sums[:, :100], 200)[0].tolist()) == list(range(100))


def test_a_sample_of_fewer_items_than_are_asked_for_leaves_every_block(rng, sieved, random_tables):
    layout = Layout(CodeSpec(16, 3))
    symbols = rng.integers(0, 16, (640, 3)).astype(np.uint8)
    piece = upload(layout, ScanSegment(layout.pack(symbols), 640, 0), 0, 640, CPU)
    losses = Losses(layout, random_tables(rng, (1, 3, 16), "normal"), CPU)
    made = sieve.Sieve(losses, TorchMinima(layout, losses.by_column), gathered, 1000)
    assert len(made(piece, torch.empty((0, 1))).blocks) == 10
