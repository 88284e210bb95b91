"""Parts encoded by Ray Data: read as a stream, encoded by processes that hold the model, done again where one dies.

On processors one process reads and encodes, and nothing is copied between. GPUs are fed by processes that read,
which may be on other machines.
"""

from __future__ import annotations

import logging
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dimco import errors
from dimco.cluster.encoding.parts import counted_attempt, part_file, write_part
from dimco.cluster.encoding.recipe import Recipe
from dimco.cluster.encoding.rows import Rows, Task, Written
from dimco.errors import ClusterError, DamagedFileError, DimcoError, FileError, ForeignFileError, InputError
from dimco.extras import require

Batch = dict[str, Any]


class Workers(NamedTuple):
    """Whether CUDA is used, and how many processes encode."""

    cuda: bool
    processes: int


def workers_of(ray: Any, device: str, count: int | None) -> Workers:
    """The processes that encode on a cluster.

    Parameters
    ----------
    ray : module
        Connected.
    device : {"auto", "cpu", "cuda"}
        "auto" is CUDA if the cluster has any.
    count : int, optional
        How many; by default, and at most, one for each GPU, or processor, of the cluster.
    """
    if device not in ("auto", "cpu", "cuda"):
        raise InputError(f'expected "auto", "cpu" or "cuda" as the device of workers; got {device!r}')
    resources = ray.cluster_resources()
    gpus, cpus = int(resources.get("GPU", 0)), int(resources.get("CPU", 0))
    if device == "cuda" and gpus == 0:
        raise InputError('expected a cluster with GPUs for "cuda"; it has none')
    if cpus == 0:
        raise ClusterError("expected a cluster with processors; it has none")
    cuda = gpus > 0 and device != "cpu"
    most = gpus if cuda else cpus
    return Workers(cuda, most if count is None else min(count, most))


def encode_on_ray(
    ray: Any, tasks: Sequence[Task], recipe: Recipe, batch_size: int, folder: Path, workers: Workers
) -> Iterator[Written]:
    """Encode and write parts; give each, once it is there.

    Parameters
    ----------
    ray : module
        Connected to a cluster, whose machines all reach the files and the folder.
    tasks : sequence of Task
    recipe : Recipe
    batch_size : int
        As in `Source`.
    folder : Path
        Where the parts are written.
    workers : Workers
    """
    data, cuda = require("ray.data"), workers.cuda
    _be_quiet(data)
    items = data.from_items([{"task": task} for task in tasks], override_num_blocks=len(tasks))
    pipeline = (items.map_batches(read_apart, batch_size=1, num_cpus=1) if cuda else items).map_batches(
        EncodingWorker,
        batch_size=1,
        concurrency=min(workers.processes, len(tasks)),
        num_cpus=0 if cuda else 1,
        num_gpus=1 if cuda else 0,
        fn_constructor_args=(recipe, "cuda" if cuda else "cpu", batch_size, folder.absolute()),
    )
    try:
        for row in pipeline.iter_rows():
            if row["error"]:
                raise _error(row["error"])
            yield Written(int(row["part"]), tuple(row["skipped"].splitlines()))
    except ray.exceptions.RayError as error:
        reason = " ".join(str(error).split())[-300:]
        raise ClusterError(f"the cluster gave up, and the same command goes on: {reason}") from error


class EncodingWorker:
    """A process that holds the model, encodes a part at a time and writes its file.

    Parameters
    ----------
    recipe : Recipe
    device : str
    batch_size : int
    folder : Path
    """

    def __init__(self, recipe: Recipe, device: str, batch_size: int, folder: Path) -> None:
        self._encoder, self._folder = recipe.encoder(device, batch_size), folder

    def __call__(self, batch: Batch) -> Iterator[Batch]:
        """The parts of a task, or one that was read before; an error of ours travels as a line of text."""
        first = batch["task"][0].first_part if "task" in batch else int(batch["part"][0])
        try:
            with counted_attempt(self._folder, first):
                for rows in batch["task"][0].read() if "task" in batch else [_unpacked(batch)]:
                    if not part_file(self._folder, rows.part).exists():
                        self._write(rows)
                    yield _told(rows.part, rows.skipped)
        except DimcoError as error:
            yield _told(error=_line(error))

    def _write(self, rows: Rows) -> None:
        write_part(self._folder, rows.part, self._encoder.spec, rows.kept, self._encoder.symbols(rows.x))


def read_apart(batch: Batch) -> Iterator[Batch]:
    """The parts of a task, one after the other, as rows of Ray Data."""
    try:
        for rows in batch["task"][0].read():
            yield _packed(rows)
    except DimcoError as error:
        nothing = np.zeros((1, 0), np.uint8)
        yield {"x": nothing, "kept": nothing, **_told(error=_line(error))}


def _packed(rows: Rows) -> Batch:
    arrow = require("pyarrow")
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, rows.kept.schema) as writer:
        writer.write_table(rows.kept)
    kept = np.frombuffer(sink.getvalue(), np.uint8)
    return {"x": rows.x[None], "kept": kept[None], **_told(rows.part, rows.skipped)}


def _told(part: int = -1, skipped: Sequence[str] = (), error: str = "") -> Batch:
    return {"part": np.array([part]), "skipped": np.array(["\n".join(skipped)]), "error": np.array([error])}


def _unpacked(batch: Batch) -> Rows:
    if batch["error"][0]:
        raise _error(str(batch["error"][0]))
    with require("pyarrow").ipc.open_stream(np.ascontiguousarray(batch["kept"][0])) as reader:
        skipped = tuple(str(batch["skipped"][0]).splitlines())
        return Rows(int(batch["part"][0]), batch["x"][0], reader.read_all(), skipped)


def _line(error: DimcoError) -> str:
    """An error as text; of files that cannot be reached, with the machine."""
    reached = isinstance(error, (DamagedFileError, ForeignFileError)) or not isinstance(error, FileError)
    where = "" if reached else f" (on {platform.node()}: every machine of the cluster must reach it)"
    return f"{type(error).__name__}: {error}{where}"


def _error(line: str) -> DimcoError:
    kind, _, message = line.partition(": ")
    made: DimcoError = getattr(errors, kind, ClusterError)(message)
    return made


def _be_quiet(data: Any) -> None:
    data.DataContext.get_current().enable_progress_bars = False
    for name in ("ray.data", "ray.data._internal"):
        logging.getLogger(name).setLevel(logging.ERROR)
