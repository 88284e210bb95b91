"""Files of embeddings."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dimco.datasets import load_data
from dimco.embedding_file import embedding_file
from dimco.errors import InputError

ABOUT = {"classes": ["cat", "dog"], "backbone": "toy"}


@pytest.fixture
def parts(rng):
    return [(rng.normal(size=(n, 3)).astype(np.float32), rng.integers(0, 2, n)) for n in (4, 1, 6)]


@pytest.mark.parametrize("name", ["e.npy", "e.npz"])
def test_both_kinds_read_back_with_their_labels(tmp_path, parts, name):
    with embedding_file(tmp_path / name, 3, "float32", ABOUT) as append:
        for rows, labels in parts:
            append(rows, labels)
    data = load_data(tmp_path / name)
    np.testing.assert_array_equal(data.x, np.concatenate([rows for rows, _ in parts]))
    np.testing.assert_array_equal(data.labels(), np.concatenate([labels for _, labels in parts]))
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == (["e.json", "e.labels.npy", "e.npy"] if name == "e.npy" else ["e.npz"])


def test_the_record_says_what_the_rows_are(tmp_path, parts):
    with embedding_file(tmp_path / "e.npy", 3, "float16", ABOUT) as append:
        append(*parts[0])
    facts = json.loads((tmp_path / "e.json").read_text())
    assert facts == {"kind": "embeddings", **ABOUT, "items": 4, "features": 3, "dtype": "float16"}
    with embedding_file(tmp_path / "e.npz", 3, "float16", ABOUT) as append:
        append(*parts[0])
    with np.load(tmp_path / "e.npz") as archive:
        assert archive["classes"].tolist() == ["cat", "dog"]
        assert archive["x"].dtype == np.float16


@pytest.mark.parametrize("name", ["e.npy", "e.npz"])
def test_an_error_leaves_nothing(tmp_path, parts, name):
    def interrupted():
        with embedding_file(tmp_path / name, 3, "float16", ABOUT) as append:
            append(*parts[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not list(tmp_path.iterdir())


def test_other_outputs_are_refused(tmp_path):
    for name, message in (("e.csv", "expected .npy or .npz"), ("no/e.npy", "there is no .*no")):
        with pytest.raises(InputError, match=message), embedding_file(tmp_path / name, 3, "float16", ABOUT):
            pass
