"""The blocked layout against a loop that places every bit by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimco import CodeSpec
from dimco.search import layout as layout_module
from dimco.search.layout import BLOCK, Layout

SHAPES = [(2, 1), (2, 4), (2, 7), (3, 5), (4, 2), (4, 3), (5, 3), (16, 4), (17, 3), (256, 2), (257, 3), (65_536, 2)]
ROWS = [0, 1, 31, 32, 63, 64, 65, 130]


def draw(spec: CodeSpec, rows: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, spec.k, (rows, spec.d)).astype(spec.dtype)


def pack_slowly(spec: CodeSpec, symbols: np.ndarray) -> np.ndarray:
    group = 4 if spec.k == 2 else 2 if spec.k <= 4 else 1
    symbol_bits = 1 if spec.k == 2 else 2
    width = 32 if spec.k <= 16 else 64 if spec.k <= 256 else 128
    columns = (spec.d + group - 1) // group
    packed = [0] * ((len(symbols) + 63) // 64 * columns * width)
    for item, codeword in enumerate(symbols.tolist()):
        for position, symbol in enumerate(codeword):
            column = (item // 64) * columns + position // group
            joint = symbol << (symbol_bits * (position % group))
            row = item % 64
            if width == 32:
                packed[column * 32 + row % 32] |= joint << (0 if row < 32 else 4)
            elif width == 64:
                packed[column * 64 + row] |= joint
            else:
                packed[column * 128 + 2 * row] |= joint % 256
                packed[column * 128 + 2 * row + 1] |= joint // 256
    return np.array(packed, dtype=np.uint8)


@pytest.mark.parametrize(("k", "d"), SHAPES)
@pytest.mark.parametrize("rows", ROWS)
def test_every_bit_lies_where_the_description_says(k: int, d: int, rows: int) -> None:
    spec = CodeSpec(k, d)
    symbols = draw(spec, rows)
    layout = Layout(spec)
    packed = layout.pack(symbols)
    assert packed.dtype == np.uint8
    assert len(packed) == layout.nbytes(rows)
    np.testing.assert_array_equal(packed, pack_slowly(spec, symbols))


@pytest.mark.parametrize(("k", "d"), SHAPES)
@pytest.mark.parametrize("rows", ROWS)
def test_unpack_and_take_give_the_symbols_back(k: int, d: int, rows: int) -> None:
    spec = CodeSpec(k, d)
    symbols = draw(spec, rows)
    layout = Layout(spec)
    packed = layout.pack(symbols)
    back = layout.unpack(packed, rows)
    assert back.dtype == spec.dtype
    np.testing.assert_array_equal(back, symbols)
    wanted = np.random.default_rng(1).integers(0, max(rows, 1), 2 * rows)
    taken = layout.take(packed, wanted)
    assert taken.dtype == spec.dtype
    np.testing.assert_array_equal(taken, symbols[wanted])


@given(
    k=st.sampled_from([2, 3, 4, 9, 200, 5_000]),
    d=st.integers(1, 20),
    rows=st.integers(0, 600),
    blocks=st.integers(1, 3),
    seed=st.integers(0, 1 << 20),
)
def test_work_in_chunks_changes_nothing(k: int, d: int, rows: int, blocks: int, seed: int) -> None:
    spec = CodeSpec(k, d)
    symbols = draw(spec, rows, seed)
    layout = Layout(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout_module, "_CHUNK_BYTES", blocks * BLOCK * d)
        packed = layout.pack(symbols)
        np.testing.assert_array_equal(layout.unpack(packed, rows), symbols)
        reverse = np.arange(rows)[::-1]
        np.testing.assert_array_equal(layout.take(packed, reverse), symbols[::-1])
    np.testing.assert_array_equal(packed, layout.pack(symbols))


def test_symbols_of_any_integer_type_pack_alike() -> None:
    layout = Layout(CodeSpec(300, 5))
    symbols = draw(layout.spec, 100)
    np.testing.assert_array_equal(layout.pack(symbols.astype(np.int64)), layout.pack(symbols))


def test_unpack_reads_any_memory() -> None:
    layout = Layout(CodeSpec(1_000, 3))
    symbols = draw(layout.spec, 70)
    packed = layout.pack(symbols)
    shifted = np.zeros(len(packed) + 1, dtype=np.uint8)
    shifted[1:] = packed
    shifted.setflags(write=False)
    np.testing.assert_array_equal(layout.unpack(shifted[1:], 70), symbols)


def test_blocks_start_on_a_cache_line() -> None:
    for rows in range(1, 200, 7):
        assert Layout(CodeSpec(16, 3)).empty(rows).ctypes.data % 64 == 0
