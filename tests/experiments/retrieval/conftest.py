import numpy as np
import pytest

from dimco.experiments.retrieval.data import RetrievalSet


@pytest.fixture
def features_set():
    """Twenty classes of features, ten of them for training; a class is a direction with noise around it."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(20, 24))
    labels = np.repeat(np.arange(20), 16)
    x = (centres[labels] + 0.6 * rng.normal(size=(320, 24))).astype(np.float32)
    return RetrievalSet("tiny", x, labels.astype(np.int64), 10)


@pytest.fixture
def picture_set():
    """Six classes of pictures of 40 x 40, each of one colour with noise."""
    rng = np.random.default_rng(0)
    colours = rng.integers(0, 256, (6, 3, 1, 1))
    labels = np.repeat(np.arange(6), 4)
    x = np.clip(colours[labels] + rng.normal(0, 20, (24, 3, 40, 40)), 0, 255).astype(np.uint8)
    return RetrievalSet("tiny-pictures", x, labels.astype(np.int64), 4)
