"""A small report."""

import numpy as np
import pytest

from dimco.reports.page import collect_report


@pytest.fixture
def make_report(coded, images):
    """A report of the code on blobs whose classes are named; one in four is stored, the others are asked for."""
    model, blobs = coded
    names = np.array(["ash", "<birch>", "cedar & co"])[blobs.labels]
    stored = np.arange(60) % 4 == 0

    def make(pictured=True, **metadata):
        model.metadata |= metadata
        support, query = (blobs.x[stored], names[stored]), (blobs.x[~stored], names[~stored])
        facts = {"command": "dimco x", "versions": {"torch": "9.9"}, "machine": {"processor": "a <fast> one"}}
        chosen = images[~stored] if pictured else None
        return collect_report(model, support, query, title="Trees <b>", neighbours=5, images=chosen, facts=facts)

    return make
