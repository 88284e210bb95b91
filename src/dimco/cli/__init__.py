"""The command line; `main` is the program `dimco`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; without its extra, say in one line how to get it."""
    from dimco.errors import MissingExtraError
    from dimco.extras import require

    try:
        require("typer")
        require("rich")
    except MissingExtraError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(1)
    try:
        from dimco.cli.app import run
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)
    sys.exit(run(sys.argv[1:]))
