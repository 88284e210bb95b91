"""One writer at a time: an advisory lock on the file itself, where the system has one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dimco.errors import FileError

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(path: str, flags: int) -> Iterator[int | None]:
    """A descriptor of a file, locked against other writers; None if there is no such file."""
    if not Path(path).is_file():
        yield None
        return
    descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    try:
        if fcntl is not None:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise FileError(f"cannot write {path}: another process or thread is writing it") from None
        yield descriptor
    finally:
        os.close(descriptor)


def is_still(descriptor: int, path: str) -> bool:
    """Whether a path still names the file that a descriptor was opened from."""
    try:
        return os.path.samestat(os.fstat(descriptor), Path(path).stat())
    except FileNotFoundError:
        return False
