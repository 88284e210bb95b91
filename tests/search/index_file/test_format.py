"""The reader printed in docs/index-file.md, which uses nothing of dimco, reads what dimco writes."""

from pathlib import Path

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec

PAGE = Path(__file__).parents[3] / "docs" / "index-file.md"


@pytest.fixture(scope="module")
def read_index():
    code = PAGE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    assert "dimco" not in code.replace("DIMCOIDX", "")
    names = {}
    exec(code, names)
    return names["read_index"]


@pytest.mark.parametrize("code", ["2x9", "3x3", "4x5", "5x1", "16x4", "17x3", "256x2", "257x2", "65536x3"])
@pytest.mark.parametrize("kind", [None, "int", "str"])
def test_the_printed_reader_reads_the_same(tmp_path, rng, read_index, code, kind):
    spec, path = CodeSpec.parse(code), tmp_path / "index"
    index = CodeIndex(spec)
    expected = {}
    for first in (0, 1000, 2000):
        ids = first + (np.arange(130) if first == 1000 else rng.permutation(200)[:130])
        symbols, numbers = rng.integers(0, spec.k, (130, spec.d)), rng.integers(-5, 5, 130)
        labels = {None: [None] * 130, "int": numbers.tolist(), "str": [f"é{first + n}" for n in numbers]}[kind]
        index.add(symbols, ids, labels if kind else None)
        expected.update(zip(ids.tolist(), zip(symbols.tolist(), labels, strict=True), strict=True))
        gone = ids[::40]
        index.remove(gone)
        for item in gone.tolist():
            del expected[item]
        index.save(path)
    assert read_index(path) == [(item, *expected[item]) for item in sorted(expected)]


def test_every_mib_of_a_section_has_its_own_checksum(tmp_path, read_index):
    index = CodeIndex(CodeSpec(256, 4096))
    index.add(np.full((700, 4096), 7))
    index.save(tmp_path / "index")
    assert len(read_index(tmp_path / "index")) == 700
