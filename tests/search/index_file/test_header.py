from dataclasses import replace

import pytest

from dimco.errors import DamagedFileError, ForeignFileError
from dimco.search.index_file.header import SLOT, Header, current, encode_slot
from dimco.spec import CodeSpec

OLD = Header(CodeSpec(5, 3), "aa", "01", 4, 9000, 8192, 808, 123, 10, 2)
NEW = replace(OLD, commit="02", generation=5, end=9500, items=11)


def test_a_slot_is_4096_bytes_and_says_what_it_was_given():
    slot = encode_slot(OLD)
    assert len(slot) == SLOT
    assert current(slot * 2, 9000, "file") == OLD


@pytest.mark.parametrize(
    ("first", "second", "size", "expected"),
    [
        (OLD, OLD, 9000, OLD),
        (OLD, OLD, 9001, OLD),
        (OLD, NEW, 9564, NEW),
        (NEW, OLD, 9564, NEW),
        (NEW, NEW, 9564, NEW),
        (NEW, NEW, 9500, NEW),
        (None, OLD, 9064, OLD),
        (NEW, None, 9564, NEW),
    ],
)
def test_the_newer_whole_slot_is_in_force(first, second, size, expected):
    assert current(slot(first) + slot(second), size, "file") == expected


@pytest.mark.parametrize(
    ("first", "second", "size"),
    [
        (OLD, OLD, 8999),
        (None, OLD, 9000),
        (NEW, None, 9500),
        (NEW, OLD, 9500),
        (NEW, OLD, 9400),
        (None, None, 9564),
        (OLD, replace(OLD, generation=6), 9564),
        (OLD, replace(OLD, commit="03"), 9564),
        (OLD, replace(NEW, file="bb"), 9564),
    ],
)
def test_what_no_interruption_leaves_is_damage(first, second, size):
    with pytest.raises(DamagedFileError, match="file is damaged"):
        current(slot(first) + slot(second), size, "file")


def slot(header):
    """A slot, torn if there is no header for it."""
    whole = encode_slot(header or OLD)
    return whole if header else whole[:50] + bytes(SLOT - 50)


def test_a_file_without_the_magic_is_foreign():
    with pytest.raises(ForeignFileError, match="file is not a dimco index file"):
        current(bytes(8192), 10_000, "file")
