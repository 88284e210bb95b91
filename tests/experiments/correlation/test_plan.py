"""The runs of the correlation study."""

from dimco.experiments.correlation.plan import correlation_jobs


def test_eight_runs_of_four_methods_with_one_code():
    jobs = correlation_jobs("miniimagenet", "conv4")
    assert len(jobs) == 32
    assert {(job.k, job.d, job.steps, job.validations) for job in jobs} == {(64, 64, 20 * 384, 20)}
    assert sorted(job.seed for job in jobs if job.method == "triplet") == list(range(8))
