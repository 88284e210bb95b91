"""From the files named on a command line to a `Collection`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dimco.backbones.pretrained import PRETRAINED, load_pretrained
from dimco.datasets import load_data
from dimco.datasets.pictures import class_names
from dimco.errors import InputError
from dimco.model import CodeModel
from dimco.picture_routes import Network, PictureRoute, own_route
from dimco.search.pair import open_pair
from dimco.search.searchable import Searchable
from dimco.web.collection import Collection
from dimco.web.grey_pixels import GreyPixels
from dimco.web.pictures import Pictures, open_pictures

_LONGEST_SIDE = 1_024


@dataclass(frozen=True)
class Sources:
    """What the explorer is to show.

    Attributes
    ----------
    model, index : Path
    data : Path, optional
        The features that the index was built from.
    images : Path, optional
        As `dimco.datasets.pictures.load_pictures` reads them.
    pixels : str, optional
        Rows x columns, such as "8x8", where features are grey pixels.
    backbone, weights : str and Path, optional
        The pretrained network that made the features of pictures.
    """

    model: Path
    index: Path
    data: Path | None = None
    images: Path | None = None
    pixels: str | None = None
    backbone: str | None = None
    weights: Path | None = None


def open_collection(
    sources: Sources, device: Any = "cpu", pair: tuple[CodeModel, Searchable] | None = None
) -> Collection:
    """Read everything, but the model and the index if they are given; `InputError` where parts do not fit together."""
    if sources.pixels is not None and (sources.data is None or sources.backbone is not None):
        raise InputError("expected --pixels with --data and without --backbone: it says what the features of data are")
    if (sources.backbone is None) != (sources.weights is None):
        raise InputError("expected --backbone and --weights together; got one of them")
    model, index = pair or open_pair(sources.model, sources.index)
    model = model.to(device)
    data = None if sources.data is None else load_data(sources.data).x
    classes = None if sources.data is None else class_names(sources.data)
    pictures: Pictures | None = None
    route: PictureRoute | None = own_route(model.backbone)
    if sources.pixels is not None and data is not None:
        grid = GreyPixels(*_sides(sources.pixels), data)
        pictures, route = Pictures(data.reshape(-1, grid.rows, grid.columns), grid.low, grid.high), grid
    if sources.backbone is not None and sources.weights is not None:
        network = load_pretrained(sources.backbone, sources.weights)
        route = Network(PRETRAINED[sources.backbone].preprocessing, network)
    if sources.images is not None:
        pictures, named = open_pictures(sources.images)
        classes = classes or named
    return Collection(model, index, data, classes, pictures, route)


def _sides(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text.strip())
    if match is None or not all(1 <= int(side) <= _LONGEST_SIDE for side in match.groups()):
        raise InputError(f'expected pixels as rows x columns, such as "8x8"; got {text!r}')
    return int(match[1]), int(match[2])
