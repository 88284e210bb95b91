"""A small codebook to draw."""

import numpy as np
import pytest

from dimco.backbones import Standardize
from dimco.codebook import Codebook
from dimco.heads import LinearHead
from dimco.model import CodeModel
from dimco.spec import CodeSpec


@pytest.fixture
def coded(blobs):
    """An untrained 4x3 code, in which symbol 1 of position 2 is dead, and its items."""
    model = CodeModel(Standardize(6).fit(blobs.x), LinearHead(6, CodeSpec(4, 3)))
    model.head.layers[1].bias.data[9] = -1e6
    return model, blobs


@pytest.fixture
def codebook(coded):
    """What the code means on the blobs, three classes of trees."""
    model, blobs = coded
    return Codebook(model, blobs.x, blobs.labels, ["ash", "birch", "cedar"])


@pytest.fixture
def unlabelled(coded):
    return Codebook(coded[0], coded[1].x)


@pytest.fixture
def images(rng):
    """A picture for each of the 60 blobs."""
    return rng.integers(256, size=(60, 6, 8, 3), dtype=np.uint8)
