import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dimco.codes import Codes
from dimco.errors import InputError
from dimco.spec import CodeSpec

WIDTH_EDGES = [k for width in range(1, 17) for k in (2 ** (width - 1) + 1, 2**width)]


@st.composite
def tables(draw):
    """A spec and a table of symbols, whose length may be 0."""
    spec = CodeSpec(draw(st.integers(2, 65_536) | st.sampled_from(WIDTH_EDGES)), draw(st.integers(1, 9)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return spec, rng.integers(0, spec.k, (draw(st.integers(0, 30)), spec.d))


ends = st.none() | st.integers(-35, 35)
slices = st.builds(slice, ends, ends, st.sampled_from([None, None, 1, 3, -1, -2]))


def packed_reference(symbols, spec):
    text = "".join(format(symbol, f"0{spec.bits_per_symbol}b") for symbol in symbols.reshape(-1).tolist())
    return np.packbits(np.array(list(text), dtype=np.uint8)) if text else np.empty(0, np.uint8)


@given(tables())
def test_symbols_survive_packing(table):
    spec, symbols = table
    codes = Codes(symbols, spec)
    assert len(codes) == len(symbols)
    assert codes.unpack().dtype == spec.dtype
    np.testing.assert_array_equal(codes.unpack(), symbols)


@given(tables())
def test_packed_bytes_are_the_bits_without_padding_between_items(table):
    spec, symbols = table
    codes = Codes(symbols, spec)
    np.testing.assert_array_equal(codes.packed, packed_reference(symbols, spec))
    assert codes.nbytes == math.ceil(len(symbols) * spec.bits / 8)


@given(tables())
def test_packed_bytes_give_the_same_codes_back(table):
    spec, symbols = table
    codes = Codes(symbols, spec)
    assert Codes.from_packed(codes.packed, len(codes), spec) == codes


@given(tables(), slices)
def test_slices_are_those_of_the_table(table, key):
    spec, symbols = table
    part, expected = Codes(symbols, spec)[key], Codes(symbols[key], spec)
    np.testing.assert_array_equal(part.unpack(), symbols[key])
    assert part == expected
    assert part.nbytes == expected.nbytes


@given(tables(), st.data())
def test_places_and_masks_select_rows_of_the_table(table, data):
    spec, symbols = table
    n = len(symbols)
    codes = Codes(symbols, spec)
    places = data.draw(st.lists(st.integers(-n, n - 1), max_size=10)) if n else []
    mask = data.draw(arrays(bool, n))
    np.testing.assert_array_equal(codes[places].unpack(), symbols[np.array(places, dtype=int)])
    np.testing.assert_array_equal(codes[mask].unpack(), symbols[mask])
    for place in places:
        np.testing.assert_array_equal(codes[place], symbols[place])


@given(tables(), st.lists(st.integers(0, 30), max_size=3))
def test_concatenating_the_pieces_gives_the_whole(table, cuts):
    spec, symbols = table
    pieces = [Codes(piece, spec) for piece in np.split(symbols, sorted(min(cut, len(symbols)) for cut in cuts))]
    assert Codes.concatenate(pieces) == Codes(symbols, spec)


@pytest.mark.parametrize(("k", "d"), [(2, 1), (5, 3), (16, 2), (300, 5), (65_536, 1)])
def test_chunk_boundaries_leave_no_trace(monkeypatch, rng, k, d):
    monkeypatch.setattr("dimco.codes._CHUNK_SYMBOLS", 47)
    spec = CodeSpec(k, d)
    symbols = rng.integers(0, k, (101, d))
    codes = Codes(symbols, spec)
    np.testing.assert_array_equal(codes.packed, packed_reference(symbols, spec))
    np.testing.assert_array_equal(codes.unpack(), symbols)
    np.testing.assert_array_equal(codes[::-1].unpack(), symbols[::-1])


@pytest.mark.parametrize("k", [2, 5, 256, 300])
def test_slices_that_start_within_a_byte_and_on_one_are_right(rng, k):
    spec = CodeSpec(k, 1)
    symbols = rng.integers(0, k, (24, 1))
    for start in range(24):
        part = Codes(symbols, spec)[start : start + 9]
        np.testing.assert_array_equal(part.unpack(), symbols[start : start + 9])


def test_an_aligned_slice_shares_the_memory_of_the_whole(rng):
    codes = Codes(rng.integers(0, 16, (20, 2)), CodeSpec(16, 2))
    assert np.shares_memory(codes[3:9].packed, codes.packed)


def test_equality_needs_the_same_symbols_length_and_spec():
    codes = Codes([[0, 1], [2, 3]], CodeSpec(4, 2))
    assert codes == Codes(np.array([[0, 1], [2, 3]], dtype=np.uint8), CodeSpec(4, 2))
    assert codes != Codes([[0, 1], [2, 2]], CodeSpec(4, 2))
    assert codes != Codes([[0, 1]], CodeSpec(4, 2))
    assert codes != Codes([[0, 1], [2, 3]], CodeSpec(3 + 2, 2))
    assert codes != "codes"


def test_arrays_tensors_and_iteration_show_the_symbols():
    symbols = [[0, 1], [2, 3]]
    codes = Codes(torch.tensor(symbols), CodeSpec(4, 2))
    assert np.asarray(codes).tolist() == symbols
    assert np.asarray(codes, dtype=np.float64).dtype == np.float64
    assert [row.tolist() for row in codes] == symbols
    assert repr(codes) == "Codes(2 items of 4x2, 1 bytes)"


def test_codes_of_nothing_are_allowed():
    codes = Codes([], CodeSpec(4, 2))
    assert (len(codes), codes.nbytes, codes.unpack().shape) == (0, 0, (0, 2))
    assert Codes.concatenate([codes, codes]) == codes


@pytest.mark.parametrize(
    "symbols",
    [
        [[0, 4]],
        [[0, -1]],
        [[0.0, 1.0]],
        [[True, False]],
        [["0", "1"]],
        [0, 1],
        [[0, 1, 2]],
        [[[0, 1]]],
        np.zeros((3, 0), dtype=int),
        7,
    ],
)
def test_symbols_that_do_not_fit_the_spec_are_refused(symbols):
    with pytest.raises(InputError, match="expected"):
        Codes(symbols, CodeSpec(4, 2))


@pytest.mark.parametrize("packed", [np.zeros(4, np.uint8), np.zeros(3, np.int8), np.zeros((3, 1), np.uint8)])
def test_packed_bytes_of_another_size_or_type_are_refused(packed):
    with pytest.raises(InputError, match="expected 3 bytes for 5 codes of 4x2"):
        Codes.from_packed(packed, 5, CodeSpec(4, 2))


@pytest.mark.parametrize("key", [3, -4, [0, 3], [-4], [True, False], [0.5], [[0]], True, "a"])
def test_keys_out_of_range_or_of_another_kind_are_refused(key):
    codes = Codes([[0], [1], [2]], CodeSpec(4, 1))
    with pytest.raises(IndexError):
        codes[key]


def test_concatenating_nothing_or_different_specs_is_refused():
    with pytest.raises(InputError, match="at least one"):
        Codes.concatenate([])
    with pytest.raises(InputError, match="expected codes of 4x1"):
        Codes.concatenate([Codes([[0]], CodeSpec(4, 1)), Codes([[0]], CodeSpec(5, 1))])


def test_codes_cannot_be_hashed():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Codes([[0]], CodeSpec(4, 1)))
