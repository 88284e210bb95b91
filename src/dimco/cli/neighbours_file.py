"""Neighbours of many queries as a file: .npz, .parquet or .json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dimco.atomic import atomic_path, write_text
from dimco.cli.output import check_writable
from dimco.errors import InputError
from dimco.extras import require
from dimco.search.neighbours import Neighbours

_KINDS = (".npz", ".parquet", ".json")


def check_output(output: Path | None, *read: Path | None) -> None:
    """Raise before any work unless neighbours can be written under that name, beside what is read."""
    if output is None:
        return
    if output.suffix not in _KINDS:
        raise InputError(f"expected .npz, .parquet or .json to write neighbours to; got {output.name}")
    check_writable(output, "neighbours", *read)
    if output.suffix == ".parquet":
        require("pyarrow")


class Seen(NamedTuple):
    """What is known of queries that are pictures.

    Attributes
    ----------
    files : list of str, one a query
    agree : ndarray of shape (Q, n, d), bool
        The positions where the codes of a query and its neighbour have the same symbol.
    """

    files: list[str]
    agree: NDArray[np.bool_]


def records(found: Neighbours, seen: Seen | None = None) -> Iterator[dict[str, Any]]:
    """One record a neighbour: query, rank from 1, id, label if there are any, score; a score of -inf is None.

    Of pictures it has the file as well, and the positions that agree.
    """
    labels = None if found.labels is None else found.labels.tolist()
    for query, (ids, scores) in enumerate(zip(found.ids.tolist(), found.scores.tolist(), strict=True)):
        for place, (item, score) in enumerate(zip(ids, scores, strict=True)):
            label = {} if labels is None else {"label": labels[query][place]}
            finite = score if score > float("-inf") else None
            picture = {} if seen is None else {"picture": seen.files[query]}
            agree = {} if seen is None else {"agree": np.flatnonzero(seen.agree[query, place]).tolist()}
            yield {"query": query, **picture, "rank": place + 1, "id": item, **label, "score": finite, **agree}


def write_neighbours(output: Path, found: Neighbours, seen: Seen | None = None) -> None:
    """Write them all: arrays `ids`, `scores` and `labels` of shape (Q, n), or a record a neighbour.

    Of pictures there are `pictures` of shape (Q,) and `agree` of shape (Q, n, d) as well.
    """
    if output.suffix == ".npz":
        more: Any = {} if found.labels is None else {"labels": found.labels}
        if seen is not None:
            more |= {"pictures": np.array(seen.files), "agree": seen.agree}
        with atomic_path(output) as temporary, temporary.open("wb") as file:
            np.savez(file, ids=found.ids, scores=found.scores, **more)
    elif output.suffix == ".json":
        write_text(output, json.dumps({"neighbours": list(records(found, seen))}) + "\n")
    else:
        _write_parquet(output, found, seen)


def _write_parquet(output: Path, found: Neighbours, seen: Seen | None) -> None:
    arrow, parquet = require("pyarrow"), require("pyarrow.parquet")
    queries, n = found.ids.shape
    columns: dict[str, Any] = {
        "query": np.repeat(np.arange(queries), n),
        "rank": np.tile(np.arange(1, n + 1), queries),
        "id": found.ids.reshape(-1),
    }
    if found.labels is not None:
        columns["label"] = found.labels.reshape(-1)
    columns["score"] = found.scores.reshape(-1)
    if seen is not None:
        columns["picture"] = np.repeat(np.array(seen.files), n)
        columns["agree"] = [np.flatnonzero(row).tolist() for row in seen.agree.reshape(queries * n, -1)]
    with atomic_path(output) as temporary:
        parquet.write_table(arrow.table(columns), temporary)
