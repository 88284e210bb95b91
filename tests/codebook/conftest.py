"""A small model, and items of three classes."""

import numpy as np
import pytest

from dimco.backbones import Standardize
from dimco.fitting import FitSettings, fit_code
from dimco.heads import LinearHead
from dimco.model import CodeModel
from dimco.spec import CodeSpec


@pytest.fixture
def model(blobs):
    """An untrained 4x3 code of the blobs' features."""
    return CodeModel(Standardize(6).fit(blobs.x), LinearHead(6, CodeSpec(4, 3)))


@pytest.fixture
def fitted(blobs):
    """A 4x2 code learned from the blobs."""
    return fit_code(blobs.x, blobs.labels, 3, FitSettings(k=4, d=2, epochs=60, device="cpu")).model


@pytest.fixture
def names():
    return np.array(["ash", "birch", "cedar"])
