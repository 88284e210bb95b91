"""Room in a cluster: the memory that shards take, reserved before any of them starts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from dimco.cluster.manifest import ShardFile
from dimco.errors import ClusterError
from dimco.extras import require

PROCESS_BYTES = 1 << 28
"""What a process takes beside the file it maps: Python, numpy and torch."""

_SECONDS_TO_PLACE = 10.0


def bytes_needed(file: ShardFile) -> int:
    """The memory of one process with a shard."""
    return file.bytes + PROCESS_BYTES


def reserve(files: Sequence[ShardFile], replicas: int) -> list[Any]:
    """A placement group of Ray for each shard, with a bundle of memory for each replica, on nodes apart if it can be.

    Raises
    ------
    ClusterError
        There is not enough memory for all of them; none is then reserved.
    """
    nodes = [node["Resources"].get("memory", 0.0) for node in require("ray").nodes() if node["Alive"]]
    refuse_impossible(files, replicas, nodes)
    made = [group_for(file, replicas) for file in files]
    end = time.monotonic() + _SECONDS_TO_PLACE
    if not all(group.wait(max(0.0, end - time.monotonic())) for group in made):
        release(made)
        raise no_room(files, replicas, nodes, free_bytes())
    return made


def group_for(file: ShardFile, replicas: int) -> Any:
    """A placement group of Ray for the replicas of a shard, which need not have its room yet."""
    bundles = [{"memory": bytes_needed(file)}] * replicas
    return require("ray.util.placement_group").placement_group(bundles, strategy="SPREAD")


def release(groups: Sequence[Any]) -> None:
    """Give back what was reserved, with the processes in it."""
    remove = require("ray.util.placement_group").remove_placement_group
    for group in groups:
        remove(group)


def free_bytes() -> float:
    """The memory that nobody has reserved, on all nodes together."""
    return float(require("ray").available_resources().get("memory", 0.0))


def refuse_impossible(files: Sequence[ShardFile], replicas: int, nodes: Sequence[float]) -> None:
    """Raise `ClusterError` if shards would not fit into nodes of so much memory each, were they empty."""
    if replicas * sum(map(bytes_needed, files)) > sum(nodes) or max(map(bytes_needed, files)) > max(nodes, default=0.0):
        raise no_room(files, replicas, nodes)


def no_room(
    files: Sequence[ShardFile], replicas: int, nodes: Sequence[float], free: float | None = None
) -> ClusterError:
    """What is needed, and what there is."""
    needed, largest = replicas * sum(map(bytes_needed, files)), max(map(bytes_needed, files))
    counted = f"{len(nodes)} node{'' if len(nodes) == 1 else 's'}"
    left = "" if free is None else f", {in_gib(free)} of it free"
    return ClusterError(
        f"expected {in_gib(needed)} of memory for {len(files)} shards with {replicas} of each, the largest "
        f"{in_gib(largest)}; the cluster has {in_gib(sum(nodes))} on {counted}, the largest of "
        f"{in_gib(max(nodes, default=0.0))}{left}"
    )


def in_gib(size: float) -> str:
    """Bytes as people read them."""
    return f"{size / (1 << 30):,.2f} GiB"
