"""The manifest: read back as it was written, and refused whole when a byte of it is not."""

from __future__ import annotations

import contextlib
import json

import pytest

from dimco.cluster.manifest import NAME, read_manifest, write_manifest
from dimco.cluster.splitting import split_index
from dimco.errors import DamagedFileError, DimcoError, ForeignFileError, MissingFileError


@pytest.fixture
def folder(whole_file, tmp_path):
    split_index(whole_file, 3, tmp_path / "shards")
    return tmp_path / "shards"


def test_it_is_read_back_as_it_was_written(folder, whole):
    manifest = read_manifest(folder)
    (folder / NAME).unlink()
    write_manifest(folder, manifest)
    assert read_manifest(folder) == manifest
    assert (manifest.spec, manifest.items, manifest.label_kind) == (whole.spec, len(whole), "str")


def test_a_cut_or_a_flipped_bit_is_never_another_manifest(folder, damaged_copies):
    manifest = read_manifest(folder)
    data = (folder / NAME).read_bytes()
    for what, copy in damaged_copies(folder / NAME, stride=3):
        if copy.read_bytes().strip() == data.strip():
            continue
        (folder / NAME).write_bytes(copy.read_bytes())
        with contextlib.suppress(DimcoError):
            assert read_manifest(folder) == manifest, what


def test_another_format_or_kind_is_refused(folder):
    record = json.loads((folder / NAME).read_text())
    for change, line in (({"format": 2}, "expected manifest format 1"), ({"kind": "loaves"}, "is of loaves")):
        (folder / NAME).write_text(json.dumps(record | change))
        with pytest.raises(ForeignFileError, match=line):
            read_manifest(folder)
    for change in ({"items": 5}, {"shards": []}, {"k": 8}):
        (folder / NAME).write_text(json.dumps(record | change))
        with pytest.raises(DamagedFileError, match="does not match its checksum"):
            read_manifest(folder)


def test_what_is_not_a_folder_of_shards_is_one_line(whole_file, tmp_path):
    with pytest.raises(MissingFileError, match="no such folder of shards"):
        read_manifest(tmp_path / "absent")
    with pytest.raises(ForeignFileError, match="has no manifest"):
        read_manifest(tmp_path)
    with pytest.raises(ForeignFileError, match="is a file"):
        read_manifest(whole_file)
