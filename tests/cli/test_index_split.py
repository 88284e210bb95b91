"""dimco index split, and what check and info say of its folder."""

from __future__ import annotations

from dimco import CodeIndex
from dimco.cluster.manifest import read_manifest


def test_an_index_is_split_and_stays(index, as_json, tmp_path):
    before = index.read_bytes()
    result = as_json("index", "split", index, "--shards", 4, "-o", tmp_path / "shards")
    facts = {name: result[name] for name in ("shards", "items", "code", "largest_items")}
    assert facts == {"shards": 4, "items": 300, "code": "4x3", "largest_items": 75}
    assert result["largest_bytes"] == max(path.stat().st_size for path in (tmp_path / "shards").glob("*.index"))
    ids = [item for shard in read_manifest(tmp_path / "shards").shards for item in CodeIndex.open(shard.path).ids]
    assert ids == CodeIndex.open(index).ids.tolist()
    assert index.read_bytes() == before


def test_a_folder_of_shards_is_described_and_checked(index, as_json, error_of, tmp_path):
    as_json("index", "split", index, "--shards", 2, "-o", tmp_path / "shards")
    size = sum(path.stat().st_size for path in (tmp_path / "shards").glob("*.index"))
    described = as_json("info", tmp_path / "shards")
    assert (described["kind"], described["shards"], described["items"], described["file_bytes"]) == (
        "shards",
        2,
        300,
        size,
    )
    checked = as_json("check", tmp_path / "shards")
    assert (checked["kind"], checked["whole"], checked["file_bytes"]) == ("shards", True, size)
    shard = tmp_path / "shards" / "shard-1.index"
    shard.write_bytes(shard.read_bytes()[:-1])
    code, line = error_of("check", tmp_path / "shards")
    assert (code, "shard-1.index is damaged" in line) == (1, True)


def test_wrong_use_exits_with_2_and_one_line(trained, index, error_of, tmp_path):
    cases = {
        ("split", index, "--shards", 2, "-o", tmp_path): "not there yet, or empty",
        ("split", index, "--shards", 301, "-o", tmp_path / "a"): "at least 301 items for 301 shards",
        ("split", index, "--shards", 0, "-o", tmp_path / "a"): "--shards",
        ("split", tmp_path / "absent", "--shards", 2, "-o", tmp_path / "a"): "no such file",
        ("split", trained / "codes", "--shards", 2, "-o", tmp_path / "a"): "is not a dimco index file",
    }
    for arguments, message in cases.items():
        code, line = error_of("index", *arguments)
        assert (code, message in line) == (2, True), line
    assert not (tmp_path / "a").exists()
