"""The speed of code search, beside faiss, usearch and numpy: results/search.json and its plots.

The same as `dimco bench search`, whose options it takes: python benchmarks/search.py --quick
"""

from __future__ import annotations

import sys

from dimco.cli.app import run

if __name__ == "__main__":
    sys.exit(run(["bench", "search", *sys.argv[1:]]))
