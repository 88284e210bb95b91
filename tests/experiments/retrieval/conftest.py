import numpy as np
import pytest

from dimco.experiments.retrieval.data import RetrievalSet
from dimco.experiments.retrieval.job import RetrievalJob


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


@pytest.fixture
def job():
    """A job of 64x64 codes on CUB, with the settings given."""
    return lambda **settings: RetrievalJob(**{"codes": "64x64", **settings})


@pytest.fixture
def record(job):
    """The record of a job: what its codes or floats reach, and on held-out classes after each epoch."""

    def record(codes=(50.0,), curve=(1.0,), **settings):
        of_job = job(**settings)
        part, what = ("64x64", "codes") if of_job.ours else ("floats-128", "floats")
        code = {"part": part, "k": 64, "d": 64, "bits": 384}
        floats = {"part": part, "what": "floats", "k": None, "d": None, "bits": 4096, **metrics(70.0)}
        results = [floats, {**code, "what": "opq", **metrics(40.0)}]
        if of_job.ours:
            results += [{**code, "what": what, **metrics(value)} for value in codes]
        points = [{"epoch": n + 1, "recall@1": value, f"{part}:{what}": value} for n, value in enumerate(curve)]
        found = {"job": of_job.as_record(), "complete": True, "curve": points, "results": results}
        if of_job.stage == "select":
            found["best_epoch"] = max(points, key=lambda point: point["recall@1"])["epoch"]
        return found

    return record


def metrics(value):
    return {"recall@1": value, "recall@2": value + 1, "recall@4": value + 2, "recall@8": value + 3, "map@r": value / 2}
