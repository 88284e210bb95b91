"""Leaving out what the machine has no memory for, before it is tried."""

from __future__ import annotations

from pathlib import Path

_MEMORY = Path("/proc/meminfo")
_LEFT_FREE = 1 << 30


class Unfit(Exception):  # noqa: N818
    """A peer cannot be measured here; the message says why."""


def need_memory(needed: int) -> None:
    """Raise `Unfit` where that many bytes are not free; says nothing where the system does not tell."""
    free = _available()
    if free is not None and needed > free - _LEFT_FREE:
        raise Unfit(f"needs {needed / 1e9:.1f} GB of memory; {free / 1e9:.1f} GB are free")


def _available() -> int | None:
    if _MEMORY.exists():
        for line in _MEMORY.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    return None
