"""Codes of a training, kept for their time."""

from __future__ import annotations

import numpy as np
import torch

from dimco.experiments.retrieval.job import RetrievalJob
from dimco.experiments.retrieval.learned_codes import LearnedCodes
from dimco.experiments.retrieval.train import RetrievalRun
from dimco.spec import CodeSpec


def test_the_first_codes_of_each_spec_are_kept(features_set, monkeypatch):
    quick = {"epochs": 1, "batch_size": 32, "classes_a_batch": 8}
    monkeypatch.setattr("dimco.experiments.retrieval.learned_codes.QUERIES", 7)
    kept, runs = LearnedCodes(), []
    for settings in ({"codes": "4x6,2x8"}, {"codes": "4x6", "seed": 1}, {"method": "triplet", "width": 8}):
        runs.append(RetrievalRun(RetrievalJob(**quick, **settings), features_set, torch.device("cpu")))
        kept.take(runs[-1])
    assert set(kept.of) == {CodeSpec(4, 6), CodeSpec(2, 8)}
    found, run = kept.of[CodeSpec(4, 6)], runs[0]
    assert found.name == "tiny"
    np.testing.assert_array_equal(found.symbols, run.exported()["test_4x6"])
    np.testing.assert_array_equal(found.tables.argmax(-1), found.symbols[:7])
    np.testing.assert_allclose(np.exp(found.tables).sum(-1), 1, rtol=1e-5)
