"""Progress of training: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from dimco.training.history import EpochRecord


def describe(record: EpochRecord) -> str:
    """The loss, its parts and the information of an epoch in a line."""
    named = {"loss" if name == "total" else name: value for name, value in record.parts.items()}
    parts = "  ".join(f"{name} {value:.3f}" for name, value in named.items() if name != "information")
    information = "" if record.information_bits is None else f"  I {record.information_bits:.3f} bits"
    held_out = "" if record.held_out_bits is None else f"  held out {record.held_out_bits:.3f} bits"
    validated = "" if record.validated is None else f"  validated {record.validated:.4g}"
    return f"{parts}{information}{held_out}{validated}"


def print_epoch(record: EpochRecord) -> None:
    """One line on standard error."""
    sys.stderr.write(f"epoch {record.epoch}/{record.epochs}  {describe(record)}  {record.seconds:.1f} s\n")


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[EpochRecord], None]]:
    """A callback for `train`: a bar on standard error if that is a terminal, else a line an epoch."""
    if not sys.stderr.isatty():
        yield print_epoch
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("epoch {task.completed}/{task.total}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, TextColumn("{task.description}"), console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=None)

        def show(record: EpochRecord) -> None:
            progress.update(task, completed=record.epoch, total=record.epochs, description=describe(record))

        yield show
