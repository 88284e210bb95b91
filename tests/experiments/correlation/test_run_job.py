"""A run of the correlation study, on images of a moment."""

from __future__ import annotations

import pytest
import torch

from dimco.backbones.preprocessing import Preprocessing
from dimco.experiments.correlation.network import build_correlation
from dimco.experiments.correlation.plan import METHODS
from dimco.experiments.correlation.run_job import run_job
from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.measure import Protocol

CPU = torch.device("cpu")


def tiny(method):
    settings = {"steps": 10, "classes": 8, "items": 4, "shots": 2, "lr": 0.02, "validations": 2, "k": 4, "d": 3}
    return FewShotJob("correlation", "cifar-fs", method=method, **settings)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_measured_after_every_epoch(method, few_shot_root):
    record = run_job(tiny(method), few_shot_root, CPU, Protocol(test=3))
    assert record["job"] == tiny(method).as_record()
    assert (record["steps"], record["complete"]) == (10, True)
    assert [(point["epoch"], point["step"]) for point in record["points"]] == [(1, 5), (2, 10)]
    for point in record["points"]:
        assert 0 < point["5way1shot"] <= 100
        assert 0 < point["recall@1"] <= 100
        assert 0 <= point["information_bits"] <= 3 * 2
        assert "10way1shot" not in point, "there are 6 classes"


def test_all_methods_have_the_same_network():
    preprocessing = Preprocessing(32, 32, 255.0, (0.0, 0.0, 0.0))
    shapes = []
    for method in METHODS:
        built = build_correlation(tiny(method), preprocessing, 8)
        shapes.append(sorted(tuple(p.shape) for p in built.network.parameters()))
        out = built.network(torch.zeros(2, 3, 32, 32))
        assert out.numel() == 2 * 4 * 3
        assert (built.score is None) == (method == "dimco-infomax")
    assert all(one == shapes[0] for one in shapes)
