import pytest

from dimco.search.index_file.directory import (
    Directory,
    StoredNames,
    StoredSegment,
    decode_directory,
    encode_directory,
)
from dimco.search.index_file.section import CHUNK, Section, aligned
from dimco.search.layout import Layout
from dimco.spec import CodeSpec

LAYOUT = Layout(CodeSpec(16, 2))


def at(offset, length):
    return Section("f", offset, length, 99)


@pytest.mark.parametrize("kind", [None, "int", "str"])
def test_a_directory_reads_as_it_was_written(kind):
    labels = {} if kind is None else {"labels": at(9024, 70 * (8 if kind == "int" else 4))}
    segments = (
        StoredSegment(70, 70, 5, {"blocks": at(8192, 128), **labels}),
        StoredSegment(70, 69, None, {"blocks": at(8192, 128), "ids": at(10_048, 560), **labels, "keep": at(8384, 16)}),
    )
    names = (StoredNames(3, at(11_008, 20)),) if kind == "str" else ()
    directory = Directory(900, kind, names, segments)
    assert decode_directory(encode_directory(directory), LAYOUT, "f", 20_000) == directory
    with pytest.raises(ValueError, match=r"a section at|a whole number"):
        decode_directory(encode_directory(directory), LAYOUT, "f", 8300)


def test_a_section_ends_after_its_table():
    assert at(64, 1).end == 64 + 1 + 4
    assert at(64, CHUNK + 1).end == 64 + CHUNK + 1 + 8
    assert [aligned(place) for place in (0, 1, 64, 65)] == [0, 64, 64, 128]
