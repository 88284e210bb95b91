"""The random sweep of the study of small training sets."""

import math

import numpy as np

from dimco.experiments.small_train.plan import GRIDS, METHODS, cannot, small_train_jobs


def test_dimco_alone_trains_with_one_image_a_class():
    assert [method for method in METHODS if cannot(method, 1) is None] == ["dimco-infomax"]
    assert all(cannot(method, images) is None for method in METHODS for images in (4, 16, 64))
    assert {job.method for job in small_train_jobs("miniimagenet", "conv4") if job.images_a_class == 1} == {
        "dimco-infomax"
    }


def test_the_papers_grid_has_64_runs_of_each():
    jobs = small_train_jobs("cifar-fs", "conv4", GRIDS["paper"])
    assert GRIDS["paper"] == 64
    assert len(jobs) == 64 * (3 * 4 + 1)


def test_learning_rates_are_log_uniform_and_the_same_for_all_methods():
    jobs = small_train_jobs("cifar-fs", "conv4", 400)
    of_one = [math.log10(job.lr) for job in jobs if (job.method, job.images_a_class) == ("triplet", 4)]
    counts = np.histogram(of_one, bins=4, range=(-7, -3))[0]
    assert counts.sum() == 400
    assert counts.min() > 70
    assert of_one == [math.log10(job.lr) for job in jobs if (job.method, job.images_a_class) == ("protonet", 64)]


def test_batches_fit_the_images():
    for job in small_train_jobs("cifar-fs", "conv4", 3):
        assert job.items <= job.images_a_class
        if job.method == "protonet":
            assert job.shots < job.items
