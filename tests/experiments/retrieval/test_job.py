import pytest

from dimco.errors import InputError
from dimco.experiments.retrieval.job import RetrievalJob
from dimco.spec import CodeSpec


def test_a_job_is_named_by_its_title():
    job = RetrievalJob.parse("cars:dimco-infomax:select+epochs=5+codes=8x4,16x2+lr=0.001+pooling=mean")
    assert (job.dataset, job.method, job.stage, job.epochs, job.lr) == ("cars", "dimco-infomax", "select", 5, 0.001)
    assert job.specs == [CodeSpec(8, 4), CodeSpec(16, 2)]
    assert RetrievalJob.parse(job.title) == job


def test_a_value_may_hold_a_plus():
    assert RetrievalJob.parse("cub:triplet:final+pooling=mean+max+seed=3").pooling == "mean+max"


def test_losses_have_no_codes():
    assert RetrievalJob.parse("cub:proxy-nca").specs == []


def test_it_ends_at_the_epoch_it_is_told_or_at_its_last():
    assert RetrievalJob(epochs=9, stop=4).last_epoch == 4
    assert RetrievalJob(epochs=9).last_epoch == 9


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cub:pq", "expected a method of dimco-infomax"),
        ("cub:triplet:test", "expected a stage of select, final"),
        ("cub:triplet:final+epoch=3", "expected settings NAME=VALUE"),
        ("cub:triplet:final+epochs=many", "expected a number for epochs"),
        ("cub:triplet:final+epochs=1+warmup=2", "warmup within 1 epochs"),
        ("cub:triplet:final+batch_size=100", "whole classes in batches of 100"),
    ],
)
def test_what_no_job_has_is_refused(text, said):
    with pytest.raises(InputError, match=said):
        RetrievalJob.parse(text)
