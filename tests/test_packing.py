import numpy as np
import pytest

from dimco.packing import gather_symbols, pack_symbols, packed_size, unpack_symbols

widths = pytest.mark.parametrize("width", range(1, 17))
COUNTS = [0, 1, 7, 8, 9, 64, 101]


def bits_of(symbols, width):
    """The bits of each symbol, most significant first, one after another."""
    return np.array([symbol >> bit & 1 for symbol in symbols for bit in reversed(range(width))], dtype=np.uint8)


def random_symbols(rng, count, width):
    return rng.integers(0, 2**width, count, dtype=np.uint32)


@widths
@pytest.mark.parametrize("count", COUNTS)
def test_packed_bytes_are_numpys_packbits_of_the_bits(rng, count, width):
    symbols = random_symbols(rng, count, width)
    packed = pack_symbols(symbols, width)
    assert packed.dtype == np.uint8
    np.testing.assert_array_equal(packed, np.packbits(bits_of(symbols.tolist(), width)))


@widths
@pytest.mark.parametrize("count", COUNTS)
def test_unpack_reads_numpys_packbits(rng, count, width):
    symbols = random_symbols(rng, count, width)
    stream = np.packbits(bits_of(symbols.tolist(), width))
    np.testing.assert_array_equal(unpack_symbols(stream, count, width), symbols)


@widths
def test_unpack_takes_the_first_symbols_of_a_longer_stream(rng, width):
    symbols = random_symbols(rng, 50, width)
    stream = np.packbits(bits_of(symbols.tolist(), width))
    np.testing.assert_array_equal(unpack_symbols(stream, 13, width), symbols[:13])


@widths
def test_the_largest_symbol_survives_between_zeros(width):
    symbols = np.array([0, 2**width - 1] * 9 + [0], dtype=np.uint32)
    np.testing.assert_array_equal(unpack_symbols(pack_symbols(symbols, width), len(symbols), width), symbols)


@widths
def test_gather_takes_any_places_in_any_order(rng, width):
    symbols = random_symbols(rng, 61, width)
    stream = np.packbits(bits_of(symbols.tolist(), width))
    where = rng.integers(0, 61, (40, 3))
    where[0] = [60, 0, 60]
    np.testing.assert_array_equal(gather_symbols(stream, where, width), symbols[where])


@widths
@pytest.mark.parametrize("count", COUNTS)
def test_packed_size_is_the_bits_rounded_up_to_bytes(count, width):
    assert packed_size(count, width) == len(np.packbits(np.zeros(count * width, dtype=np.uint8)))
