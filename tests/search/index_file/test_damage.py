"""Cut or altered files give a typed error, and never anything else."""

import os
import tracemalloc
import zlib
from dataclasses import replace

import pytest

from dimco import CodeIndex, CodeSpec
from dimco.errors import DamagedFileError, FileError, ForeignFileError, MissingFileError
from dimco.search.index_file.header import SLOT, SLOTS, encode_slot
from dimco.search.index_file.reader import is_index, open_stored


@pytest.fixture
def path(tmp_path, small_index):
    small_index.save(tmp_path / "index")
    index = CodeIndex.open(tmp_path / "index")
    index.add([[0, 1, 2]], labels=["later"])
    index.save(tmp_path / "index")
    return tmp_path / "index"


def test_a_file_cut_anywhere_is_a_damaged_file(path):
    for length in range(path.stat().st_size - 1, -1, -1):
        os.truncate(path, length)
        with pytest.raises(DamagedFileError, match="is damaged"):
            pytest.fail(f"cut to {length} bytes: {CodeIndex.open(path)}")


def flipped(data, place):
    return data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]


def test_a_flipped_byte_in_the_header_or_the_directory_is_found_when_it_is_opened(path):
    data, header = path.read_bytes(), open_stored(path).header
    copy = os.open(path, os.O_RDWR)
    for place in [*range(SLOTS), *range(header.directory_offset, header.end)]:
        os.pwrite(copy, flipped(data, place)[place : place + 1], place)
        with pytest.raises(DamagedFileError, match="is damaged"):
            pytest.fail(f"byte {place}: {CodeIndex.open(path)}")
        os.pwrite(copy, data[place : place + 1], place)
    os.close(copy)
    assert path.read_bytes() == data


def test_a_flipped_byte_in_a_section_is_found_by_the_check_and_named(path):
    data, stored = path.read_bytes(), open_stored(path)
    copy = os.open(path, os.O_RDWR)
    for name, section in stored.directory.sections():
        for place in range(section.offset, section.end):
            os.pwrite(copy, flipped(data, place)[place : place + 1], place)
            CodeIndex.open(path)
            with pytest.raises(DamagedFileError, match=name):
                CodeIndex.check(path)
            os.pwrite(copy, data[place : place + 1], place)
    os.close(copy)
    CodeIndex.check(path)


def test_a_search_of_a_damaged_section_ends_in_an_answer_or_a_typed_error(path, draw_log_probs):
    data, stored = path.read_bytes(), open_stored(path)
    log_probs = draw_log_probs(3, 5)
    for _, section in stored.directory.sections():
        path.write_bytes(data[: section.offset] + b"\xff" * section.length + data[section.offset + section.length :])
        try:
            index = CodeIndex.open(path)
            index.search(log_probs, 5)
            _ = index.labels, index.ids
        except FileError as error:
            assert "\n" not in str(error)  # noqa: PT017
    assert len(stored.directory.sections()) > 6


def compact(index, path):
    index.compact()
    index.save(path)


def join(index, path):
    index.add([[0, 0, 0]] * 9, labels=["later"] * 9)
    index.save(path)


def remove(index, path):
    index.remove([2])
    index.save(path)


def copy_whole(index, path):
    index.save(path.with_name("copy"))


def merge(index, path):
    other = CodeIndex(index.spec)
    other.add([[0, 0, 0]], ids=[10_000], labels=["other"])
    other.merge(index)
    other.save(path.with_name("copy"))


@pytest.mark.parametrize(
    ("change", "spared"),
    [
        (compact, ()),
        (join, ("names",)),
        (remove, ("blocks", "ids", "labels", "names")),
        (copy_whole, ()),
        (merge, ()),
    ],
)
def test_what_rewrites_a_damaged_section_never_gives_it_a_good_checksum(tmp_path, change, spared):
    path = tmp_path / "index"
    index = CodeIndex(CodeSpec(3, 3))
    index.add([[0, 1, 2], [2, 1, 0], [1, 1, 1]], ids=[1, 2, 9], labels=["a", "b", "c"])
    index.save(path)
    index.remove([1])
    index.save(path)
    data, tried = path.read_bytes(), set()
    for name, section in open_stored(path).directory.sections():
        kind = next(known for known in ("blocks", "ids", "labels", "keep", "names") if known in name)
        if kind in spared:
            continue
        tried.add(kind)
        for place in range(section.offset, section.offset + section.length):
            path.write_bytes(flipped(data, place))
            with pytest.raises(DamagedFileError, match="do not match their checksum"):
                pytest.fail(f"{name}, byte {place}: {change(CodeIndex.open(path), path)}")
            assert path.read_bytes() == flipped(data, place)
    assert len(tried) == 5 - len(spared)
    path.write_bytes(data)
    change(CodeIndex.open(path), path)
    for written in tmp_path.iterdir():
        CodeIndex.check(written)


def rewritten(path, **changes):
    """The file with another header that matches its checksum."""
    header = replace(open_stored(path).header, **changes)
    data = path.read_bytes()
    path.write_bytes(encode_slot(header) * 2 + data[SLOTS:])
    return header


def test_absurd_lengths_are_refused_before_memory_is_taken(path):
    end = 1 << 40
    rewritten(path, directory_offset=SLOTS, directory_length=end - SLOTS, end=end)
    os.truncate(path, end)
    tracemalloc.start()
    with pytest.raises(DamagedFileError, match="directory cannot be"):
        CodeIndex.open(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"rows":', b'"rows":9'),
        (b'"rows":', b'"rows":-'),
        (b'"rows":', b'"rows":1.'),
        (b'"rows":', b'"row":'),
        (b'"live":', b'"live":9'),
        (b'"first":', b'"first":-1,"x":'),
        (b'"first":', b'"first":99999999999999999999,"x":'),
        (b'"labels":"str"', b'"labels":"int"'),
        (b'"labels":"str"', b'"labels":"float"'),
        (b'"labels":"str"', b'"labels":[]'),
        (b'"blocks":[', b'"blocks":[1'),
        (b'"blocks":[', b'"blocks":[true,1,1],"x":['),
        (b'"blocks":[', b'"blocks":[9000,64,1],"x":['),
        (b'"blocks":[', b'"blocks":[8192],"x":['),
        (b'"blocks":[', b'"blocks":5,"x":['),
        (b'"count":', b'"count":0'),
        (b'"next_id":', b'"next_id":-'),
        (b'"segments":[', b'"segments":[5,'),
        (b'{"next_id"', b"[" * 100_000 + b'{"next_id"'),
        (b'{"next_id"', b"[1]"),
    ],
)
def test_a_directory_that_contradicts_itself_is_a_damaged_file(path, old, new):
    header = open_stored(path).header
    data = path.read_bytes()
    directory = data[header.directory_offset :]
    assert old in directory
    directory = directory.replace(old, new, 1)
    path.write_bytes(data[: header.directory_offset] + directory)
    end = header.directory_offset + len(directory)
    changes = {"directory_length": len(directory), "directory_checksum": zlib.crc32(directory), "end": end}
    slot = encode_slot(replace(header, **changes))
    path.write_bytes(slot * 2 + path.read_bytes()[SLOTS:])
    with pytest.raises(DamagedFileError, match="is damaged"):
        pytest.fail(f"{CodeIndex.open(path)}")


@pytest.mark.parametrize(
    "changes",
    [{"spec": CodeSpec(5, 40)}, {"spec": CodeSpec(300, 3)}, {"end": 8192}, {"directory_offset": 0}],
)
def test_a_header_that_contradicts_the_directory_is_a_damaged_file(path, changes):
    rewritten(path, **changes)
    with pytest.raises(DamagedFileError, match="is damaged"):
        CodeIndex.open(path)


def test_the_check_finds_ids_that_do_not_increase(path):
    stored = open_stored(path)
    number, segment = next((n, s) for n, s in enumerate(stored.directory.segments) if s.first is None)
    section = segment.sections["ids"]
    data = bytearray(path.read_bytes())
    first = section.offset
    data[first : first + 16] = data[first + 8 : first + 16] + data[first : first + 8]
    table = zlib.crc32(data[first : first + section.length]).to_bytes(4, "little")
    data[first + section.length : section.end] = table
    directory = bytes(data[stored.header.directory_offset :])
    directory = directory.replace(str(section.checksum).encode(), str(zlib.crc32(table)).encode())
    end = stored.header.directory_offset + len(directory)
    header = replace(stored.header, directory_length=len(directory), directory_checksum=zlib.crc32(directory), end=end)
    path.write_bytes(encode_slot(header) * 2 + bytes(data[SLOTS : stored.header.directory_offset]) + directory)
    CodeIndex.open(path)
    with pytest.raises(DamagedFileError, match=f"segment {number} has ids that do not increase"):
        CodeIndex.check(path)


def test_other_files_are_told_apart(tmp_path, path):
    with pytest.raises(MissingFileError, match="no such file"):
        CodeIndex.open(tmp_path / "nothing")
    with pytest.raises(ForeignFileError, match="is a folder"):
        CodeIndex.open(tmp_path)
    for content in (b"x", b"{}" * 10_000, b"\0" * 8192, b"DIMCO" * 3000):
        (tmp_path / "other").write_bytes(content)
        with pytest.raises(ForeignFileError, match="is not a dimco index file"):
            CodeIndex.open(tmp_path / "other")
        assert not is_index(tmp_path / "other")
    (tmp_path / "empty").touch()
    with pytest.raises(DamagedFileError, match="only 0 bytes"):
        CodeIndex.open(tmp_path / "empty")
    assert is_index(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_a_foreign_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ForeignFileError, match="is not a regular file"):
        CodeIndex.open(tmp_path / "pipe")


def test_a_later_format_is_a_foreign_file(path):
    data = bytearray(path.read_bytes())
    for start in (0, SLOT):
        data[start + 8] = 2
        data[start + SLOT - 4 : start + SLOT] = zlib.crc32(data[start : start + SLOT - 4]).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(ForeignFileError, match=r"expected index file format 1; .* has 2"):
        CodeIndex.open(path)


def test_the_check_finds_an_id_that_two_segments_have(tmp_path):
    one, other = CodeIndex(CodeSpec(5, 3)), CodeIndex(CodeSpec(5, 3))
    one.add([[0, 0, 0]] * 3, ids=[1, 5, 9])
    other.add([[0, 0, 0]] * 3, ids=[2, 5, 7])
    segments = (*one._snapshot.segments, *other._snapshot.segments)
    one._snapshot = replace(one._snapshot, segments=segments)
    one.save(tmp_path / "index")
    with pytest.raises(DamagedFileError, match="an id that another segment has too"):
        CodeIndex.check(tmp_path / "index")


def test_the_check_finds_wrong_numbers_and_symbols(tmp_path):
    index = CodeIndex(CodeSpec(5, 3))
    index.add([[0, 0, 0]] * 70)
    index.remove([1, 2])
    (segment,) = index._snapshot.segments
    for wrong, message in (
        ({"live": 69}, "segment 0 has another number of items than it says"),
        ({"blocks": segment.blocks | 7}, "segment 0 has a symbol 7 where k is 5"),
        ({"ids": 10}, "segment 0 has an id 79 at or above the next id"),
    ):
        index._snapshot = replace(index._snapshot, segments=(replace(segment, **wrong),))
        index.save(tmp_path / "index")
        with pytest.raises(DamagedFileError, match=message):
            CodeIndex.check(tmp_path / "index")
