"""Joining a Ray cluster, or starting Ray on this machine."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dimco.errors import ClusterError, InputError
from dimco.extras import require

_SECONDS = 5.0
_HTTP2_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
_FRAME_HEADER, _SETTINGS = 9, 4


def connect(address: str | None = None, cpus: int | None = None, seconds: float = _SECONDS) -> Any:
    """Join a Ray cluster and give the module `ray`; where the process has joined one already, that one stays.

    Parameters
    ----------
    address : str, optional
        "HOST:PORT" of a cluster; "auto" for the one that runs on this machine; "local" for a Ray of this process alone,
        which ends with it. By default the one that RAY_ADDRESS names, else "local".
    cpus : int, optional
        Processors that a Ray of this process alone may use; by default all.
    seconds : float, default=5
        How long an address may take to answer.

    Raises
    ------
    ClusterError
        No cluster answers at the address, or it is of another version of Ray or Python.
    """
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    ray = require("ray")
    if ray.is_initialized():
        return ray
    place = address or os.environ.get("RAY_ADDRESS") or "local"
    if place == "auto":
        place = os.environ.get("RAY_ADDRESS") or _left_by_ray_start() or place
    own = place == "local"
    if not own and place != "auto":
        _refuse_silent(place, seconds)
    options = {"num_cpus": cpus, "include_dashboard": False} if own else {}
    try:
        ray.init(address=place, logging_level=logging.ERROR, log_to_driver=False, **options)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        reason = " ".join(str(error).split())[:300]
        what = "start Ray here" if own else f"join a Ray cluster at {place}"
        raise ClusterError(f"cannot {what}: {reason}") from error
    return ray


@contextlib.contextmanager
def connected(address: str | None = None, cpus: int | None = None) -> Iterator[Any]:
    """Ray for the length of a block; see `connect`. Left at the end, unless the process had joined before."""
    before = require("ray").is_initialized()
    ray = connect(address, cpus)
    try:
        yield ray
    finally:
        if not before:
            ray.shutdown()


def _left_by_ray_start() -> str | None:
    """The address of the cluster that `ray start` began on this machine last, whether or not it runs still."""
    file = Path(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir(), "ray", "ray_current_cluster")
    return file.read_text(encoding="utf-8").strip() if file.is_file() else None


def _refuse_silent(address: str, seconds: float) -> None:
    """Raise unless what listens at an address speaks HTTP/2, as Ray does; Ray itself would wait there for minutes."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdecimal():
        raise InputError(f'expected the address of a Ray cluster as HOST:PORT, "auto" or "local"; got {address!r}')
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=seconds) as connection:
            connection.settimeout(seconds)
            connection.sendall(_HTTP2_GREETING)
            answer = connection.recv(_FRAME_HEADER, socket.MSG_WAITALL)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ClusterError(f"no Ray cluster answers at {address}: {reason}") from error
    if len(answer) < _FRAME_HEADER or answer[3] != _SETTINGS:
        raise ClusterError(f"no Ray cluster answers at {address}: what listens there is something else")
