"""Small collections, and models of them; parts are made small, so that there are several."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from dimco import CodeModel, CodeSpec, LinearHead
from dimco.backbones import Conv4, Standardize
from dimco.backbones.preprocessing import Preprocessing
from dimco.cluster.encoding import parquet_source, picture_source

FEATURES = 6


@pytest.fixture
def small_parts(monkeypatch):
    """Batches of 16 rows or 4 pictures, and parts of 32 rows or 8 pictures."""
    monkeypatch.setattr(parquet_source, "BATCH", 16)
    monkeypatch.setattr(parquet_source.ParquetSource, "batch_size", 16)
    monkeypatch.setattr(parquet_source, "_MOST_ITEMS", 32)
    monkeypatch.setattr(picture_source, "BATCH", 4)
    monkeypatch.setattr(picture_source.PictureSource, "batch_size", 4)
    monkeypatch.setattr(picture_source, "_MOST_ITEMS", 8)


@pytest.fixture
def model(tmp_path):
    """A model of features, and its file."""
    made = CodeModel(Standardize(FEATURES), LinearHead(FEATURES, CodeSpec(k=8, d=5))).eval()
    made.save(tmp_path / "model")
    return made


@pytest.fixture
def table_of(rng):
    """Makes tables of rows with features as a list, ids in no order, labels and a column of other things."""

    def table_of(rows):
        x = rng.normal(size=(rows, FEATURES)).astype(np.float32)
        return pa.table(
            {
                "key": rng.permutation(10_000)[:rows],
                "embedding": pa.FixedSizeListArray.from_arrays(pa.array(x.reshape(-1)), FEATURES),
                "label": [f"class {row % 3}" for row in range(rows)],
                "note": ["text"] * rows,
            }
        )

    return table_of


@pytest.fixture
def collection(tmp_path, table_of):
    """A folder of three parquet files, of 150, 31 and 40 rows in row groups of several sizes, and its rows."""
    folder = tmp_path / "collection"
    (folder / "below").mkdir(parents=True)
    places = {"a.parquet": (150, 40), "b.parquet": (31, 7), "below/c.parquet": (40, 100)}
    tables = {name: table_of(rows) for name, (rows, _) in places.items()}
    for name, table in tables.items():
        pq.write_table(table, folder / name, row_group_size=places[name][1])
    (folder / "_passed_over.parquet").write_text("nothing")
    return folder, tables


@pytest.fixture
def photos(tmp_path, rng):
    """A folder of 21 pictures in 2 classes, and the file of a model that takes pictures."""
    pillow = pytest.importorskip("PIL.Image")
    for name, count in (("birds", 13), ("cats", 8)):
        (tmp_path / "photos" / name).mkdir(parents=True)
        for number in range(count):
            pixels = rng.integers(0, 256, (20 + number, 24, 3), dtype=np.uint8)
            pillow.fromarray(pixels).save(tmp_path / "photos" / name / f"{number:02}.png")
    torch.manual_seed(0)
    backbone = Conv4(16, preprocessing=Preprocessing(18, 16, 255.0, (120.0, 120.0, 120.0), (60.0, 60.0, 60.0)))
    CodeModel(backbone, LinearHead(backbone.out_features, CodeSpec(4, 6))).save(tmp_path / "of_pictures")
    return tmp_path / "photos", tmp_path / "of_pictures"
