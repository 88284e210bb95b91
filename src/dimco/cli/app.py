"""The command groups put together, and one place where errors become one line and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from dimco._version import __version__
from dimco.cli.bench import bench
from dimco.cli.bound import bound
from dimco.cli.check import check
from dimco.cli.database import database
from dimco.cli.demo import demo
from dimco.cli.embed import embed
from dimco.cli.encode import encode
from dimco.cli.evaluate import evaluate
from dimco.cli.export import export
from dimco.cli.fewshot import fewshot
from dimco.cli.fit import fit
from dimco.cli.gallery import gallery
from dimco.cli.index import index
from dimco.cli.info import info
from dimco.cli.report import report
from dimco.cli.reproduce import reproduce
from dimco.cli.search import search
from dimco.cli.serve import serve
from dimco.errors import DimcoError, ForeignFileError, InputError, MissingFileError

WRONG_USE, FAILURE, INTERRUPTED = 2, 1, 130

app = typer.Typer(
    name="dimco",
    help="Compact discrete codes learned from labels.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = (embed, fit, encode, evaluate, fewshot, search, serve, gallery, report, export, info, check, bound, demo)
for command in COMMANDS:
    app.command()(command)
for group in (index, database, bench, reproduce):
    app.add_typer(group)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Compact discrete codes learned from labels."""


def run(arguments: Sequence[str]) -> int:
    """Run a command line and give its exit code: 2 for wrong use, 1 for failure, 130 when interrupted."""
    try:
        outcome = typer.main.get_command(app).main(args=list(arguments), prog_name="dimco", standalone_mode=False)
        return outcome if isinstance(outcome, int) else 0
    except (InputError, MissingFileError, ForeignFileError) as error:
        return _fail(str(error), WRONG_USE)
    except DimcoError as error:
        return _fail(str(error), FAILURE)
    except (OSError, MemoryError) as error:
        return _fail(_system_line(error), FAILURE)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except Exception as error:
        message = getattr(error, "format_message", None)
        if message is None:
            raise
        return _fail(message(), getattr(error, "exit_code", WRONG_USE)) if str(error) else WRONG_USE


def _system_line(error: OSError | MemoryError) -> str:
    """What the system refused, and of which file."""
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}" if str(error) else "not enough memory"
    reason = error.strerror or str(error) or type(error).__name__
    return f"cannot use {error.filename}: {reason}" if error.filename else reason


def _fail(message: str, code: int) -> int:
    line = " ".join(message.replace("Value error, ", "").split())
    sys.stderr.write(f"error: {line}\n")
    return code
