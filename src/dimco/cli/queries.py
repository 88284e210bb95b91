"""What is searched for: rows of features, or pictures on their way to the model."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from dimco.backbones.pretrained import PRETRAINED, load_pretrained
from dimco.datasets import load_data
from dimco.datasets.picture_file import names_pictures, picture_files, read_picture
from dimco.errors import InputError
from dimco.model import CodeModel
from dimco.picture_routes import Network, PictureRoute, batches, own_route
from dimco.progress import items_bar

_TABLE_ENTRIES = 1 << 24


@dataclass(frozen=True)
class Queries:
    """What is searched for.

    Attributes
    ----------
    count : int
    files : list of Path, or None
        The pictures; None for rows of features.
    batches : callable
        Gives an iterator over what the model takes, so many rows at a time as it is told at most.
    """

    count: int
    files: list[Path] | None
    batches: Callable[[int], Iterator[Any]]


def read_queries(sources: Sequence[Path], model: CodeModel, backbone: str | None, weights: Path | None) -> Queries:
    """A file of features, or pictures and folders of pictures; `InputError` for both together."""
    if (backbone is None) != (weights is None):
        raise InputError("expected --backbone and --weights together; got one of them")
    pictures = [names_pictures(source) for source in sources]
    if not any(pictures):
        if len(sources) > 1:
            raise InputError(f"expected one file of features, or pictures; got {len(sources)} files")
        x = load_data(sources[0]).x
        return Queries(len(x), None, lambda most: (x[first : first + most] for first in range(0, len(x), most)))
    if not all(pictures):
        raise InputError(f"expected pictures alone, or features alone; got both, {sources[pictures.index(False)]} too")
    route = _route(model, backbone, weights)
    files = picture_files(sources)
    return Queries(len(files), files, lambda most: batches(route, map(read_picture, files), most))


def tables(model: CodeModel, queries: Queries, quiet: bool) -> Iterator[Tensor]:
    """log p of the queries, so many at a time that their tables take a bounded memory."""
    step = max(1, _TABLE_ENTRIES // (model.spec.d * model.spec.k))
    few = quiet or (queries.count <= step and queries.files is None)
    with contextlib.nullcontext(lambda _: None) if few else items_bar(queries.count, "queries") as on_queries:
        done = 0
        for x in queries.batches(step):
            yield model.log_probs(x)
            done += len(x)
            on_queries(done)


def _route(model: CodeModel, backbone: str | None, weights: Path | None) -> PictureRoute:
    """The way of a picture into the model."""
    if backbone is not None and weights is not None:
        network = load_pretrained(backbone, weights)
        return Network(PRETRAINED[backbone].preprocessing, network)
    own = own_route(model.backbone)
    if own is None:
        raise InputError(
            "expected features, as this model takes no pictures; name the network that made its features with "
            "--backbone and --weights to search with pictures"
        )
    return own
