"""The trainings of table 4."""

from __future__ import annotations

from dimco.experiments.retrieval.job import RetrievalJob
from dimco.experiments.retrieval.plan import FROZEN_SETTINGS, METHODS, retrieval_jobs


def test_every_method_is_selected_once_and_trained_with_every_seed():
    names = retrieval_jobs("cub", ("dimco-infomax", "triplet"), "64x64", [3, 4], 5, frozen=False)
    jobs = [RetrievalJob.parse(name.removesuffix("+stop=best")) for name in names]
    assert [(job.method, job.stage, job.seed) for job in jobs] == [
        (method, stage, seed)
        for method in ("dimco-infomax", "triplet")
        for stage, seed in (("select", 3), ("final", 3), ("final", 4))
    ]
    assert [name.endswith("+stop=best") for name in names] == [False, True, True] * 2
    assert {job.epochs for job in jobs} == {5}
    assert [job.codes for job in jobs if job.ours] == ["64x64"] * 3


def test_frozen_features_have_settings_of_their_own():
    assert set(FROZEN_SETTINGS) >= set(METHODS)
    names = retrieval_jobs("cub-frozen", METHODS, "64x64", [0], None, frozen=True)
    for name in names:
        job = RetrievalJob.parse(name.removesuffix("+stop=best"))
        assert all(getattr(job, field) == value for field, value in FROZEN_SETTINGS[job.method].items())
