"""Jobs by the names that people give."""

from __future__ import annotations

import pytest

from dimco.errors import InputError
from dimco.experiments.jobs.select import select, setting


def test_a_kind_alone_is_every_cell():
    jobs = select("fewshot")
    assert len(jobs) == len(set(jobs)) == 4 * (4 * 2 + 5 + 3)
    assert {job.dataset for job in jobs} == {"miniimagenet", "cifar-fs"}
    assert {job.code for job in jobs if job.backbone == "resnet12"} == {"128x64", "128x128", ""}


def test_parts_narrow_it_down_and_a_star_does_not():
    (one,) = select("fewshot:cifar-fs:conv4:dimco-decoder:64x128")
    assert one.title == "fewshot:cifar-fs:conv4:dimco-decoder:64x128:seed0"
    assert [job.shots for job in select("fewshot:miniimagenet:conv4:protonet")] == [5, 1]
    assert len(select("fewshot:*:resnet12:dimco-infomax")) == 4
    assert {job.method for job in select("pilot:miniimagenet:conv4:dimco-both")} == {"dimco-both"}


def test_settings_come_after_a_plus():
    (job,) = select("fewshot:cifar-fs:conv4:dimco-infomax:64x64+lr=0.3+steps=77+optimizer=adam+k=16")
    assert (job.lr, job.steps, job.optimizer, job.code) == (0.3, 77, "adam", "16x64")
    assert len(select("fewshot:cifar-fs:conv4:protonet+shots=3")) == 1, "what has become the same is run once"
    assert select("fewshot:cifar-fs:conv4:triplet+k=16")[0].k == 0


def test_the_studies_have_their_runs():
    correlation = select("correlation:cifar-fs")
    assert len(correlation) == 8 * 4
    assert {(job.k, job.d, job.validations) for job in correlation} == {(64, 64, 20)}
    small = select("small-train")
    assert {job.method for job in small if job.images_a_class == 1} == {"dimco-infomax"}
    assert all(1e-7 <= job.lr <= 1e-3 for job in small)
    (speed,) = select("throughput")
    assert (speed.experiment, speed.backbone, speed.dataset) == ("throughput", "conv4", "miniimagenet")


def test_a_folder_of_ones_own_is_a_data_set():
    assert select("fewshot:photos:conv4:triplet")[0].dataset == "photos"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("magic", "expected jobs as KIND:DATASET:BACKBONE:METHOD:CODE, of fewshot"),
        ("fewshot:a:b:c:d:e", "expected jobs as KIND"),
        ("fewshot:cifar-fs:vgg", "expected a backbone of conv4, resnet12; got 'vgg'"),
        ("fewshot:cifar-fs:conv4:magic", "expected a method and a code that fewshot has"),
        ("fewshot:cifar-fs:conv4:protonet+steps", "expected a setting NAME=VALUE"),
        ("fewshot:cifar-fs:conv4:protonet+steps=many", "expected a whole number for steps; got 'many'"),
        ("fewshot:cifar-fs:conv4:protonet+lr=x", "expected a number for lr; got 'x'"),
        ("fewshot:cifar-fs:conv4:protonet+method=r2d2", "expected a setting NAME=VALUE"),
    ],
)
def test_what_names_nothing_is_said_in_a_line(text, message):
    with pytest.raises(InputError, match=message):
        select(text)


def test_a_setting_has_the_type_of_its_field():
    assert setting("lr=1e-3") == ("lr", 0.001)
    assert setting("classes=64") == ("classes", 64)
