import numpy as np
import pytest
import torch

from dimco.search.kernels import torch_scan as module
from dimco.search.kernels.device_codes import DeviceCodes
from dimco.search.kernels.torch_minima import TorchMinima
from dimco.search.kernels.torch_scan import scan_torch
from dimco.search.layout import Layout
from dimco.search.scan import ScanSegment
from dimco.spec import CodeSpec


def slow_scan(symbols, ids, tables, n):
    """Entry after entry in float64, then a sort by score and id."""
    found = []
    for table in tables:
        scored = []
        for item, codeword in zip(ids, symbols, strict=True):
            score = np.float64(0)
            for position, symbol in enumerate(codeword):
                score = score + np.float64(table[position, symbol])
            scored.append((-score, int(item)))
        found.append(sorted(scored)[:n])
    shape = (len(tables), -1, 2)
    pairs = np.array(found, dtype=object).reshape(shape)
    return pairs[..., 1].astype(np.int64), -pairs[..., 0].astype(np.float64)


def segment(layout, symbols, ids, keep=None):
    words = None
    if keep is not None:
        bits = np.zeros(-(-len(symbols) // 64) * 64, dtype=bool)
        bits[: len(symbols)] = keep
        words = np.packbits(bits, bitorder="little").view(np.uint64)
    return ScanSegment(layout.pack(symbols), len(symbols), ids, words)


def same_to_the_bit(found, expected):
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1].view(np.int64), expected[1].view(np.int64))


@pytest.mark.parametrize("kind", ["normal", "ranges", "few values", "minus infinity", "extreme", "equal"])
@pytest.mark.parametrize("code", ["2x7", "3x5", "4x6", "5x3", "16x4", "17x3", "256x2", "300x2", "65536x1"])
def test_ids_and_scores_are_those_of_the_slow_scan_to_the_bit(rng, kind, code, random_tables):
    spec = CodeSpec.parse(code)
    layout = Layout(spec)
    symbols = rng.integers(0, spec.k, (150, spec.d)).astype(spec.dtype)
    ids = rng.permutation(1000)[:150].astype(np.int64)
    ids[70:] = np.arange(5000, 5080)
    tables = random_tables(rng, (2, spec.d, spec.k), kind)
    segments = [segment(layout, symbols[:70], ids[:70]), segment(layout, symbols[70:], 5000)]
    for n in (1, 10, 200):
        same_to_the_bit(scan_torch(layout, segments, tables, n), slow_scan(symbols, ids, tables, n))


def test_rows_that_are_not_kept_are_never_found(rng, random_tables):
    spec = CodeSpec(3, 4)
    layout = Layout(spec)
    symbols = rng.integers(0, 3, (130, 4)).astype(np.uint8)
    keep = rng.random(130) < 0.1
    tables = random_tables(rng, (3, 4, 3), "few values")
    segments = [segment(layout, symbols, 7, keep)]
    expected = slow_scan(symbols[keep], 7 + np.flatnonzero(keep), tables, 20)
    same_to_the_bit(scan_torch(layout, segments, tables, 20), expected)
    none = [segment(layout, symbols, 7, np.zeros(130, dtype=bool))]
    assert scan_torch(layout, none, tables, 20)[0].shape == (3, 0)
    assert scan_torch(layout, [], tables, 20)[1].shape == (3, 0)


@pytest.mark.parametrize("code", ["2x9", "16x5", "200x4", "1000x3"])
def test_pieces_and_groups_of_queries_do_not_change_the_answer(rng, code, monkeypatch, random_tables):
    spec = CodeSpec.parse(code)
    layout = Layout(spec)
    symbols = rng.integers(0, spec.k, (1000, spec.d)).astype(spec.dtype)
    tables = random_tables(rng, (7, spec.d, spec.k), "few values")
    segments = [segment(layout, symbols[:700], 0, rng.random(700) < 0.5), segment(layout, symbols[700:], 700)]
    whole = scan_torch(layout, segments, tables, 30)
    monkeypatch.setattr(module, "_TABLE_ENTRIES", 1)
    monkeypatch.setattr(module, "_GROUPS", 3)
    monkeypatch.setattr(module, "_CPU_NUMBERS", 64)
    monkeypatch.setattr(module, "_RESCORED_SYMBOLS", 16)
    same_to_the_bit(scan_torch(layout, segments, tables, 30), whole)
    same_to_the_bit(DeviceCodes(layout, segments, "cpu").scan(tables, 30), whole)


def test_codes_on_a_device_take_another_filter_with_every_search(rng, random_tables):
    spec = CodeSpec(16, 3)
    layout = Layout(spec)
    symbols = rng.integers(0, 16, (100, 3)).astype(np.uint8)
    tables = random_tables(rng, (1, 3, 16), "normal")
    keep = rng.random(100) < 0.5
    filtered = segment(layout, symbols, 0, keep)
    codes = DeviceCodes(layout, [segment(layout, symbols, 0)], "cpu")
    same_to_the_bit(codes.scan(tables, 5, [filtered.keep]), slow_scan(symbols[keep], np.flatnonzero(keep), tables, 5))
    same_to_the_bit(codes.scan(tables, 5), slow_scan(symbols, np.arange(100), tables, 5))


def test_few_blocks_are_scored_exactly_when_scores_differ(rng, monkeypatch, random_tables):
    spec = CodeSpec(16, 16)
    layout = Layout(spec)
    symbols = rng.integers(0, 16, (20_000, 16)).astype(np.uint8)
    tables = random_tables(rng, (1, 16, 16), "normal")
    offered = []
    offer = module._Best.offer
    monkeypatch.setattr(
        module._Best, "offer", lambda best, piece, blocks: (offered.append(len(blocks)), offer(best, piece, blocks))
    )
    scan_torch(layout, [segment(layout, symbols, 0)], tables, 10)
    assert 10 <= sum(offered) < 20


def test_damaged_symbols_give_no_error_of_their_own(rng, random_tables):
    for spec in (CodeSpec(3, 2), CodeSpec(17, 2), CodeSpec(300, 2)):
        layout = Layout(spec)
        blocks = np.full(layout.block_bytes, 255, dtype=np.uint8)
        tables = random_tables(rng, (1, 2, spec.k), "normal")
        ids, _ = scan_torch(layout, [ScanSegment(blocks, 64, 0)], tables, 64)
        assert len(ids[0]) == 64


def test_without_triton_and_for_two_byte_symbols_a_gpu_uses_plain_torch(monkeypatch):
    cuda = torch.device("cuda")
    assert module.minima_for(Layout(CodeSpec(300, 2)), cuda) is TorchMinima
    assert module.minima_for(Layout(CodeSpec(16, 2)), torch.device("cpu")) is TorchMinima
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert module.minima_for(Layout(CodeSpec(16, 2)), cuda) is TorchMinima


def test_the_sieve_is_for_nibbles_on_a_gpu_with_triton(monkeypatch):
    cuda, nibbles = torch.device("cuda"), Layout(CodeSpec(16, 2))
    assert module.rounded_minima_for(nibbles, torch.device("cpu")) is None
    assert module.rounded_minima_for(Layout(CodeSpec(17, 2)), cuda) is None
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert module.rounded_minima_for(nibbles, cuda) is None
