"""Encoding collections here: the codes of one model call, part by part, gone on with where a run was interrupted."""

import os
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dimco import CodeModel
from dimco.cluster.encoding.run import Encoded, encode_collection
from dimco.cluster.encoding.work import plan_work
from dimco.datasets import ImageFolder
from dimco.errors import ClusterError, DamagedFileError, FileError, InputError
from dimco.picture_routes import batches, own_route

COLUMNS = {"features": ["embedding"], "ids": "key", "labels": "label"}


def _table(folder):
    return pa.concat_tables([pq.read_table(file) for file in sorted(folder.glob("*.parquet"))])


def _bytes(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture
def work(tmp_path, model, collection, small_parts):
    return plan_work(tmp_path / "model", collection[0], **COLUMNS)


def test_codes_ids_and_labels_are_those_of_one_call_of_the_model(work, model, collection, tmp_path):
    done = encode_collection(work, tmp_path / "codes", engine="local")
    assert done == Encoded(items=221, parts=8, items_kept=0, parts_kept=0, skipped=[])
    table, whole = _table(tmp_path / "codes"), pa.concat_tables(collection[1].values())
    symbols = model.encode(np.stack(whole["embedding"].to_numpy())).unpack()
    np.testing.assert_array_equal(np.stack(table["code"].to_numpy()), symbols)
    assert table["id"].to_pylist() == whole["key"].to_pylist()
    assert table["label"].to_pylist() == whole["label"].to_pylist()


def test_progress_counts_items_up_to_all(work, tmp_path):
    seen = []
    encode_collection(work, tmp_path / "codes", engine="local", on_items=seen.append)
    assert seen == np.cumsum(work.source.sizes).tolist()


def test_parts_that_are_there_are_kept_and_the_rest_is_written_as_before(work, tmp_path):
    encode_collection(work, tmp_path / "codes", engine="local")
    before = _bytes(tmp_path / "codes")
    kept = tmp_path / "codes" / "part-00000003.parquet"
    for file in tmp_path.glob("codes/part-*"):
        if file != kept:
            file.unlink()
    (tmp_path / "codes" / ".part-00000001.parquet.abc.tmp").write_bytes(b"half")
    written = kept.stat().st_mtime_ns
    seen = []
    done = encode_collection(work, tmp_path / "codes", engine="local", on_items=seen.append)
    assert (done.items_kept, done.parts_kept) == (32, 1)
    assert kept.stat().st_mtime_ns == written
    assert _bytes(tmp_path / "codes") == before
    assert seen[-1] == 221


def test_a_killed_run_is_gone_on_with(work, collection, tmp_path):
    encode_collection(work, tmp_path / "whole", engine="local")
    script = """if True:
        import sys, time
        from pathlib import Path
        from dimco.cluster.encoding import parquet_source
        from dimco.cluster.encoding.run import encode_collection
        from dimco.cluster.encoding.work import plan_work

        parquet_source.BATCH = parquet_source.ParquetSource.batch_size = 16
        parquet_source._MOST_ITEMS = 32
        model, data, output = map(Path, sys.argv[1:])
        work = plan_work(model, data, features=["embedding"], ids="key", labels="label")
        encode_collection(work, output, engine="local", on_items=lambda _: time.sleep(0.2))
    """
    arguments = [tmp_path / "model", collection[0], tmp_path / "codes"]
    with subprocess.Popen([sys.executable, "-c", script, *map(str, arguments)]) as process:
        while len(list(tmp_path.glob("codes/part-*"))) < 3:
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    kept = len(list(tmp_path.glob("codes/part-*")))
    done = encode_collection(work, tmp_path / "codes", engine="local")
    assert done.parts_kept == kept >= 3
    assert _bytes(tmp_path / "codes") == _bytes(tmp_path / "whole")


def test_work_of_another_model_or_collection_is_refused_in_the_same_folder(work, model, collection, tmp_path):
    encode_collection(work, tmp_path / "codes", engine="local")
    before = _bytes(tmp_path / "codes")
    CodeModel(model.backbone, model.head, {"of": "another day"}).save(tmp_path / "other")
    with pytest.raises(InputError, match=r'expected model "\w+", as in the work begun in .*codes; got "\w+"'):
        encode_collection(plan_work(tmp_path / "other", collection[0], **COLUMNS), tmp_path / "codes", engine="local")
    columns = {**COLUMNS, "ids": None}
    with pytest.raises(InputError, match=r'expected source ids "key", as in the work begun in .*; got null'):
        encode_collection(plan_work(tmp_path / "model", collection[0], **columns), tmp_path / "codes", engine="local")
    assert _bytes(tmp_path / "codes") == before


def test_files_written_anew_since_are_refused(work, collection, photos, tmp_path):
    pictures = plan_work(photos[1], photos[0])
    for some, name in ((work, "codes"), (pictures, "photo_codes")):
        encode_collection(some, tmp_path / name, engine="local")
    for file in (collection[0] / "b.parquet", photos[0] / "cats" / "03.png"):
        os.utime(file, (1, 1))
    again = plan_work(tmp_path / "model", collection[0], **COLUMNS)
    for some, name, difference in (
        (again, "codes", r"source files 1 changed \d+, as in the work begun in .*codes; got 1000000000"),
        (plan_work(photos[1], photos[0]), "photo_codes", r'source names_sizes_and_times "\w+", as in'),
    ):
        with pytest.raises(InputError, match=f"expected {difference}"):
            encode_collection(some, tmp_path / name, engine="local")


def test_a_collection_that_cannot_be_read_leaves_the_parts_before_it(work, collection, tmp_path):
    (collection[0] / "b.parquet").write_bytes(b"something else by now")
    with pytest.raises(DamagedFileError, match=r"b\.parquet cannot be read as parquet"):
        encode_collection(work, tmp_path / "codes", engine="local")
    assert len(list(tmp_path.glob("codes/part-*"))) == 5


def test_a_part_that_nothing_wrote_is_noticed(work, tmp_path):
    source = work.source
    tasks = source.tasks
    source.tasks = lambda finished: tasks(finished | {2})
    with pytest.raises(ClusterError, match="expected 8 parts; 1 were not written"):
        encode_collection(work, tmp_path / "codes", engine="local")


def test_where_no_cluster_answers_nothing_is_written(work, tmp_path):
    pytest.importorskip("ray", reason="needs Ray: pip install 'dimco[ray]'")
    with pytest.raises(ClusterError, match=r"no Ray cluster answers at 127\.0\.0\.1:1"):
        encode_collection(work, tmp_path / "codes", address="127.0.0.1:1")
    assert not (tmp_path / "codes").exists()


def test_pictures_have_the_codes_and_labels_that_an_index_of_them_has(photos, small_parts, tmp_path):
    folder, file = photos
    done = encode_collection(plan_work(file, folder), tmp_path / "codes", engine="local")
    assert (done.items, done.parts) == (21, 3)
    table, model, images = _table(tmp_path / "codes"), CodeModel.load(file), ImageFolder(folder)
    pictures = (ImageFolder.decode(name) for name in images.files)
    expected = [model.encode(x).unpack() for x in batches(own_route(model.backbone), pictures, 4)]
    np.testing.assert_array_equal(np.stack(table["code"].to_numpy()), np.concatenate(expected))
    assert table["id"].to_pylist() == list(range(21))
    assert table["file"].to_pylist() == [str(name.relative_to(folder)) for name in images.files]
    assert table["label"].to_pylist() == [images.classes[label] for label in images.labels]


def test_pictures_that_cannot_be_read_end_the_run_or_are_passed_over(photos, small_parts, tmp_path):
    folder, file = photos
    whole = plan_work(file, folder)
    encode_collection(whole, tmp_path / "whole", engine="local")
    for name in ("birds/03.png", *(f"cats/{number:02}.png" for number in range(3, 8))):
        (folder / name).write_bytes(b"no picture")
    with pytest.raises(DamagedFileError, match=r"birds/03\.png cannot be read as an image"):
        encode_collection(plan_work(file, folder), tmp_path / "none", engine="local")
    done = encode_collection(plan_work(file, folder, skip_damaged=True), tmp_path / "rest", engine="local")
    assert [line.partition(" ")[0] for line in done.skipped] == [
        str(folder / name) for name in ("birds/03.png", *(f"cats/{number:02}.png" for number in range(3, 8)))
    ]
    rest = [number for number in range(21) if number not in (3, *range(16, 21))]
    assert _table(tmp_path / "rest").equals(_table(tmp_path / "whole").take(rest))


def test_other_folders_and_files_are_left_alone(work, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    (tmp_path / "file").write_text("")
    for place, error, message in (
        ("full", InputError, "expected a new or empty folder, .*; .*full holds other files"),
        ("file", InputError, "expected a folder to write the codes to; .*file is a file"),
        ("no/codes", FileError, "cannot write .*codes: no folder .*no"),
    ):
        with pytest.raises(error, match=message):
            encode_collection(work, tmp_path / place, engine="local")
    assert [entry.name for entry in (tmp_path / "full").iterdir()] == ["letter.txt"]


def test_one_run_at_a_time_writes_a_folder(work, tmp_path):
    def second(items):
        if items < 221:
            with pytest.raises(FileError, match="another process or thread is writing it"):
                encode_collection(work, tmp_path / "codes", engine="local")

    encode_collection(work, tmp_path / "codes", engine="local", on_items=second)


def test_an_engine_of_another_name_is_wrong_use(work, tmp_path):
    with pytest.raises(InputError, match='expected "local" or "ray" as the engine; got \'spark\''):
        encode_collection(work, tmp_path / "codes", engine="spark")
    assert not (tmp_path / "codes").exists()
