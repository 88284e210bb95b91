"""From a picture to what the model takes: the ways in which a picture can become a code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from dimco.backbones.preprocessing import Preprocessing

if TYPE_CHECKING:
    from PIL.Image import Image

_TOGETHER = 64


class Features(NamedTuple):
    """What the model takes of one picture, (1, ...), and what a person should know of how it came about."""

    values: NDArray[Any]
    note: str | None = None


class PictureRoute(Protocol):
    """A way from a picture to the model.

    Attributes
    ----------
    description : str
        What happens to the picture, in words for the page.
    """

    description: str

    def features(self, picture: Image) -> Features:
        """What the model takes of a picture."""


class Network:
    """A network of images, whose output the model takes; without one, the model takes pixels itself."""

    def __init__(self, preprocessing: Preprocessing, network: nn.Module | None = None) -> None:
        self._preprocessing, self._network = preprocessing, network
        self.description = "cut to a square" if network is None else "put through the network that made the features"

    def features(self, picture: Image) -> Features:
        cut = np.asarray(self._preprocessing.cut(picture.convert("RGB")))
        pixels = torch.from_numpy(cut.copy()).permute(2, 0, 1)[None].float()
        if self._network is None:
            return Features(pixels.numpy())
        with torch.inference_mode():
            return Features(self._network(pixels).numpy())


def batches(route: PictureRoute, pictures: Iterable[Image], most: int = _TOGETHER) -> Iterator[NDArray[Any]]:
    """What the model takes of pictures, some tens of them at a time and at most so many."""
    coming = iter(pictures)
    while some := [route.features(picture).values for picture in islice(coming, min(most, _TOGETHER))]:
        yield np.concatenate(some)


def own_route(backbone: nn.Module) -> PictureRoute | None:
    """The way into a model whose backbone takes pixels and knows how it wants them."""
    config = getattr(backbone, "config", None)
    record = config.get("preprocessing") if isinstance(config, dict) else None
    return None if record is None else Network(Preprocessing.from_record(record))
