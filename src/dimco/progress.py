"""Progress of work on many items: a bar on a terminal, a line for each tenth elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def items_bar(total: int, noun: str) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of items done so far; it writes to standard error."""
    if not sys.stderr.isatty():
        yield _Lines(total, noun)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(noun), MofNCompleteColumn(), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=total)
        yield lambda done: progress.update(task, completed=done)


class _Lines:
    """A line each time another tenth is done."""

    def __init__(self, total: int, noun: str) -> None:
        self._total, self._noun, self._tenths = total, noun, 0

    def __call__(self, done: int) -> None:
        tenths = 10 * done // self._total
        if tenths > self._tenths:
            self._tenths = tenths
            sys.stderr.write(f"{done:,} of {self._total:,} {self._noun}\n")
