"""Encoding collections on Ray: the bytes of the run in one process, whatever dies on the way."""

import dataclasses
import os
import platform
import signal
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from dimco.cluster import versions
from dimco.cluster.connecting import connected
from dimco.cluster.encoding import ray_data
from dimco.cluster.encoding.parts import MOST_ATTEMPTS
from dimco.cluster.encoding.run import encode_collection
from dimco.cluster.encoding.work import plan_work
from dimco.errors import ClusterError, InputError, MissingFileError

pytest.importorskip("ray", reason="needs Ray: pip install 'dimco[ray]'")


@pytest.fixture(scope="module", autouse=True)
def ray():
    """Ray with two processors."""
    with connected("local", cpus=2) as ray:
        ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
        yield ray


@dataclasses.dataclass(frozen=True)
class Dying:
    """A task whose process is killed after its first part, once."""

    task: object
    killed: Path

    @property
    def first_part(self):
        return self.task.first_part

    def read(self):
        for rows in self.task.read():
            yield rows
            if not self.killed.exists():
                self.killed.touch()
                os.kill(os.getpid(), signal.SIGKILL)


class DyingSource:
    """A collection of which one task kills its process once."""

    def __init__(self, source, killed):
        self.source, self.killed = source, killed

    def __getattr__(self, name):
        return getattr(self.source, name)

    def tasks(self, finished):
        first, *others = self.source.tasks(finished)
        return [Dying(first, self.killed), *others]


def _bytes(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture
def work(tmp_path, model, collection, small_parts):
    return plan_work(tmp_path / "model", collection[0], features=["embedding"], ids="key", labels="label")


@pytest.fixture
def expected(work, tmp_path):
    """The files that one process writes."""
    encode_collection(work, tmp_path / "expected", engine="local")
    return _bytes(tmp_path / "expected")


def test_the_files_are_those_of_one_process_though_a_worker_is_killed(work, expected, tmp_path):
    seen = []
    dying = dataclasses.replace(work, source=DyingSource(work.source, tmp_path / "killed"))
    encode_collection(dying, tmp_path / "codes", on_items=seen.append)
    assert (tmp_path / "killed").exists()
    assert _bytes(tmp_path / "codes") == expected
    assert seen[-1] == 221
    assert len(seen) == 8, "no part is counted twice"


def test_a_run_is_gone_on_with_by_either_engine(work, expected, tmp_path):
    encode_collection(work, tmp_path / "codes", engine="local")
    for part in (0, 3, 6):
        (tmp_path / "codes" / f"part-{part:08d}.parquet").unlink()
    assert encode_collection(work, tmp_path / "codes", workers=1).parts_kept == 5
    assert _bytes(tmp_path / "codes") == expected
    assert encode_collection(work, tmp_path / "codes").parts_kept == 8


def test_pictures_are_encoded_and_passed_over_as_in_one_process(photos, small_parts, tmp_path):
    (photos[0] / "cats" / "05.png").write_bytes(b"no picture")
    pictures = plan_work(photos[1], photos[0], skip_damaged=True)
    for engine in ("local", "ray"):
        done = encode_collection(pictures, tmp_path / engine, engine=engine)
        assert [line.partition(" ")[0] for line in done.skipped] == [str(photos[0] / "cats" / "05.png")]
    assert _bytes(tmp_path / "ray") == _bytes(tmp_path / "local")


def test_what_is_read_by_other_processes_is_encoded_alike(ray, work, expected, photos, tmp_path):
    import ray.data

    for number in range(3, 8):
        (photos[0] / "cats" / f"{number:02}.png").write_bytes(b"no picture in all of the last part")
    pictures = plan_work(photos[1], photos[0], skip_damaged=True)
    encode_collection(pictures, tmp_path / "of_pictures_expected", engine="local")
    for name, some, files in (
        ("codes", work, expected),
        ("of_pictures_codes", pictures, _bytes(tmp_path / "of_pictures_expected")),
    ):
        (tmp_path / name).mkdir()
        tasks = ray.data.from_items([{"task": task} for task in some.source.tasks(set())])
        outcomes = tasks.map_batches(ray_data.read_apart, batch_size=1).map_batches(
            ray_data.EncodingWorker,
            batch_size=1,
            num_cpus=0,
            concurrency=1,
            fn_constructor_args=(some.recipe, "cpu", some.source.batch_size, tmp_path / name),
        )
        assert [row["error"] for row in outcomes.iter_rows()] == [""] * len(some.source.sizes)
        assert _bytes(tmp_path / name) == {file: of for file, of in files.items() if file != "manifest.json"}


def test_a_part_at_which_workers_keep_dying_ends_the_run(work, tmp_path):
    (tmp_path / "codes").mkdir()
    worker = ray_data.EncodingWorker(work.recipe, "cpu", work.source.batch_size, tmp_path / "codes")
    task = work.source.tasks({0})[0]
    for _ in range(MOST_ATTEMPTS):
        assert next(worker({"task": [task]}))["error"][0] == "", "and then it dies"
    last = next(worker({"task": [task]}))["error"][0]
    assert last.startswith(f"ClusterError: workers died {MOST_ATTEMPTS} times at part 1: they may lack memory")


def test_an_error_in_a_worker_is_the_one_that_one_process_gives(work, collection, tmp_path):
    table = pq.read_table(collection[0] / "b.parquet")
    pq.write_table(table.set_column(1, "embedding", [[[np.nan] * 6] * 31]), collection[0] / "b.parquet")
    with pytest.raises(InputError, match=r"b\.parquet: expected finite features; row 0 holds NaN"):
        encode_collection(work, tmp_path / "codes")


def test_a_file_that_a_machine_does_not_reach_is_named_with_the_machine(work, collection, tmp_path):
    (collection[0] / "b.parquet").unlink()
    with pytest.raises(MissingFileError, match=rf"no such file: .*b\.parquet \(on {platform.node()}: every machine"):
        encode_collection(work, tmp_path / "codes")


def test_a_finished_collection_needs_no_cluster(work, tmp_path):
    encode_collection(work, tmp_path / "codes", engine="local")
    done = encode_collection(work, tmp_path / "codes", device="abacus")
    assert (done.items_kept, done.parts_kept, done.skipped) == (221, 8, [])


def test_machines_with_another_version_of_dimco_are_refused(work, tmp_path, monkeypatch):
    monkeypatch.setattr(versions, "__version__", "99.0")
    with pytest.raises(ClusterError, match=r"expected dimco 99\.0 on [\d.]+, as here; it has \d"):
        encode_collection(work, tmp_path / "codes")
    assert not (tmp_path / "codes").exists()


def test_devices_that_the_cluster_has_not_are_refused(work, tmp_path):
    with pytest.raises(InputError, match='expected a cluster with GPUs for "cuda"; it has none'):
        encode_collection(work, tmp_path / "codes", device="cuda")
    with pytest.raises(InputError, match='expected "auto", "cpu" or "cuda" as the device of workers'):
        encode_collection(work, tmp_path / "codes", device="abacus")
    assert not (tmp_path / "codes").exists()
