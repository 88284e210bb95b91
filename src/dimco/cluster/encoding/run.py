"""Encode a collection into a folder of codes: here, or on a Ray cluster; an interrupted run is gone on with."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from dimco.cluster.connecting import connected
from dimco.cluster.encoding.parts import check_folder, finished_parts, opened_folder, write_part
from dimco.cluster.encoding.ray_data import encode_on_ray, workers_of
from dimco.cluster.encoding.recipe import Encoder, Recipe
from dimco.cluster.encoding.rows import Source, Task, Written
from dimco.cluster.encoding.work import Work
from dimco.cluster.versions import refuse_other_versions
from dimco.errors import ClusterError, InputError
from dimco.training.loop import pick_device

Engine = Literal["local", "ray"]
OnItems = Callable[[int], None]


class Encoded(NamedTuple):
    """What a run did.

    Attributes
    ----------
    items, parts : int
        Of the whole collection.
    items_kept, parts_kept : int
        Those that an earlier run had finished.
    skipped : list of str
        A line for each item that this run passed over.
    """

    items: int
    parts: int
    items_kept: int
    parts_kept: int
    skipped: list[str]


def encode_collection(
    work: Work,
    output: Path,
    *,
    engine: Engine = "ray",
    address: str | None = None,
    device: str = "auto",
    workers: int | None = None,
    on_items: OnItems | None = None,
) -> Encoded:
    """Write the codes of a collection as parquet, with ids and labels; the same bytes whatever encodes them.

    Parameters
    ----------
    work : Work
    output : Path
        A folder: new, empty, or that of the same work, interrupted, whose finished parts are kept.
    engine : {"local", "ray"}
        This process, or processes of a Ray cluster, whose machines all reach the collection and the folder.
    address : str, optional
        Of the cluster; see `dimco.cluster.connecting.connect`.
    device : str
        With Ray, "auto" is CUDA if the cluster has any.
    workers : int, optional
        Processes that encode on the cluster; by default one for each GPU, or processor.
    on_items : callable, optional
        Called after each part with the number of items done.
    """
    source, record = work.source, work.record
    check_folder(output, record)
    if output.is_dir() and len(finished_parts(output, len(source.sizes))) == len(source.sizes):
        return Encoded(source.items, len(source.sizes), source.items, len(source.sizes), [])
    with _engine(engine, work.recipe, source.batch_size, output, address, device, workers) as encode:
        with opened_folder(output, record):
            kept = finished_parts(output, len(source.sizes))
            written = _written(source, kept, encode, on_items)
            missing = set(range(len(source.sizes))) - kept - {part.part for part in written}
        if missing:
            raise ClusterError(f"expected {len(source.sizes)} parts; {len(missing)} were not written: run it again")
    skipped = [line for part in written for line in part.skipped]
    return Encoded(source.items, len(source.sizes), sum(source.sizes[part] for part in kept), len(kept), skipped)


def _written(
    source: Source, kept: set[int], encode: Callable[[list[Task]], Iterator[Written]], on_items: OnItems | None
) -> list[Written]:
    """Encode the parts that are not there yet, and give them."""
    tasks, written = source.tasks(kept), []
    done = sum(source.sizes[part] for part in kept)
    for part in encode(tasks) if tasks else ():
        written.append(part)
        done += source.sizes[part.part]
        if on_items is not None:
            on_items(done)
    return written


@contextlib.contextmanager
def _engine(
    engine: Engine,
    recipe: Recipe,
    batch_size: int,
    output: Path,
    address: str | None,
    device: str,
    workers: int | None,
) -> Iterator[Callable[[list[Task]], Iterator[Written]]]:
    """What encodes and writes the parts of tasks, and gives each part once it is there."""
    if engine == "ray":
        with connected(address) as ray:
            refuse_other_versions(ray)
            used = workers_of(ray, device, workers)
            yield lambda tasks: encode_on_ray(ray, tasks, recipe, batch_size, output, used)
    elif engine == "local":
        encoder = recipe.encoder(str(pick_device(device)), batch_size)
        yield lambda tasks: _encode_here(tasks, encoder, output)
    else:
        raise InputError(f'expected "local" or "ray" as the engine; got {engine!r}')


def _encode_here(tasks: Sequence[Task], encoder: Encoder, output: Path) -> Iterator[Written]:
    for task in tasks:
        for rows in task.read():
            write_part(output, rows.part, encoder.spec, rows.kept, encoder.symbols(rows.x))
            yield Written(rows.part, rows.skipped)
