"""Settings of a job, and its record."""

from __future__ import annotations

import json

import pytest

from dimco.errors import InputError
from dimco.experiments.fewshot.job import FewShotJob


def test_a_job_comes_back_from_its_json():
    job = FewShotJob("pilot", "cifar-fs", "resnet12", "dimco-both", 128, 64, seed=3, lr=0.05)
    record = json.loads(json.dumps(job.as_record()))
    assert FewShotJob.from_record(record) == job
    assert FewShotJob.from_record({"k": 2, "d": 3}) == FewShotJob(k=2, d=3)
    with pytest.raises(InputError, match=r"expected settings of .*; got colour"):
        FewShotJob.from_record({"colour": 3})


def test_a_job_says_what_it_is():
    job = FewShotJob("fewshot", "cifar-fs", "conv4", "dimco-decoder", 64, 128, seed=2, classes=5, items=4)
    assert job.title == "fewshot:cifar-fs:conv4:dimco-decoder:64x128:seed2"
    assert (job.code, job.spec.bits, job.batch_size) == ("64x128", 768, 20)
    assert FewShotJob(method="triplet").title == "fewshot:miniimagenet:conv4:triplet:seed0"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "magic"}, "expected method of dimco-infomax, .*; got 'magic'"),
        ({"backbone": "vgg"}, "expected backbone of conv4, resnet12; got 'vgg'"),
        ({}, "expected k and d for dimco-decoder; got 0 and 0"),
        ({"method": "protonet", "k": 4, "d": 4}, "expected no k and d for protonet; got 4 and 4"),
        ({"k": 4, "d": 4, "steps": 0}, "expected steps of at least 1; got 0"),
    ],
)
def test_what_cannot_be_run_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        FewShotJob(**settings)


def test_every_method_has_a_code_in_the_correlation_study():
    assert FewShotJob("correlation", method="triplet", k=4, d=4).code == "4x4"
    with pytest.raises(InputError, match="expected k and d for triplet"):
        FewShotJob("correlation", method="triplet")


def test_a_batch_has_no_more_classes_than_there_are():
    job = FewShotJob(method="triplet", classes=50, items=2)
    assert job.fitting(64) == job
    fitted = job.fitting(12)
    assert (fitted.classes, fitted.items, fitted.batch_size) == (12, 8, 96)
