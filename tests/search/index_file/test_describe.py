import pytest

from dimco import CodeIndex, CodeSpec
from dimco.search.index_file.check import check
from dimco.search.index_file.describe import describe


def test_a_file_is_described_without_its_sections(tmp_path, rng):
    path = tmp_path / "index"
    index = CodeIndex(CodeSpec(16, 16))
    index.add(rng.integers(0, 16, (100, 16)), labels=[f"name {n % 7}" for n in range(100)])
    index.remove([3, 4])
    index.save(path)
    expected = {
        "kind": "index",
        "code": "16x16",
        "k": 16,
        "d": 16,
        "bits": 64,
        "items": 98,
        "removed": 2,
        "labels": "str",
        "classes": 7,
        "ids": "consecutive",
        "next_id": 100,
        "index_bytes": 2 * 64 * 8,
        "packed_bytes": 98 * 8,
        "segments": 1,
        "generation": 1,
    }
    found = describe(path)
    assert {name: found[name] for name in expected} == expected
    assert found["unused_bytes"] < 64 * 5
    checked = check(path)
    assert checked.pop("checked_bytes") > 1024 + 400
    assert checked == found


@pytest.mark.parametrize(
    ("ids", "kind"), [([], "none"), ([[4]], "consecutive"), ([[4, 9]], "given"), ([[4, 9], range(20, 90)], "mixed")]
)
def test_ids_are_consecutive_given_or_mixed(tmp_path, ids, kind):
    index = CodeIndex(CodeSpec(16, 1))
    for some in reversed(ids):
        index.add([[0]] * len(some), ids=some)
    index.save(tmp_path / "index")
    assert describe(tmp_path / "index")["ids"] == kind


def test_unused_bytes_grow_with_what_is_replaced(tmp_path, rng):
    index, path = CodeIndex(CodeSpec(16, 16)), tmp_path / "index"
    for _ in range(3):
        index.add(rng.integers(0, 16, (1000, 16)))
        index.save(path)
    assert describe(path)["unused_bytes"] > 8000
    index.compact()
    index.save(path)
    assert describe(path)["unused_bytes"] < 100
