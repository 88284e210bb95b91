"""Scores by matrix products against distances and eq. 8 written out."""

import numpy as np
import pytest
import torch

from dimco.baselines import SignQuantizer
from dimco.code_heads.distance import DistanceHead
from dimco.code_heads.linear import LinearHead
from dimco.code_heads.product import product_code
from dimco.experiments.retrieval.job import RetrievalJob
from dimco.experiments.retrieval.measure import (
    float_scores,
    measure_part,
    measure_quantizers,
    measure_scores,
    rebuilt,
    recall_at_1,
    table_scores,
)
from dimco.experiments.retrieval.parts import CodePart, build_parts
from dimco.retrieval.metrics import recall_at
from dimco.similarity import code_scores
from dimco.spec import CodeSpec

SPEC = CodeSpec(k=4, d=3)


def rank(scores):
    return scores.argsort(dim=1, descending=True, stable=True)


def test_float_scores_rank_as_euclidean_distances():
    z, stored = torch.randn(10, 4), torch.randn(7, 4)
    assert torch.equal(rank(torch.cat(list(float_scores(z, stored)))), rank(-torch.cdist(z, stored)))


def test_table_scores_are_those_of_equation_8():
    tables, symbols = torch.randn(9, 3, 4), torch.randint(4, (9, 3))
    assert torch.equal(torch.cat(list(table_scores(tables, symbols))), code_scores(tables, symbols))


def test_metrics_are_percent_and_leave_the_query_out():
    found = measure_scores(iter([torch.eye(4)]), np.array([0, 0, 1, 1]))
    assert found["recall@1"] == pytest.approx(100 / 3)


@pytest.mark.parametrize("kind", ["distance", "linear"])
def test_codes_of_a_part_are_measured_by_equation_8(features_set, kind):
    x, labels = torch.from_numpy(features_set.x), features_set.labels
    head = DistanceHead.from_features(x, SPEC, 12, normalized=True) if kind == "distance" else LinearHead(24, SPEC)
    part = CodePart(RetrievalJob(codes="4x3"), SPEC, head, 12 if kind == "distance" else 128, 20)
    floats, codes = measure_part(part, x, labels)
    tables = head(x).log_softmax(-1).detach()
    expected = recall_at(code_scores(tables, tables.argmax(-1)), labels, labels, own=np.arange(len(labels)))
    assert codes["recall@1"] == pytest.approx(100 * expected[1], abs=0.5)
    assert (codes["bits"], codes["what"], floats["what"]) == (6, "codes", "floats")
    assert 0 < codes["nmi"] <= 100
    assert recall_at_1([floats, codes]) == codes["recall@1"]


def test_rebuilt_embeddings_hold_the_nearest_centroid_of_each_part():
    z, centroids = torch.randn(9, 6), torch.randn(3, 4, 2)
    found = rebuilt(z, centroids)
    for item in range(9):
        for i in range(3):
            part = z[item, 2 * i : 2 * i + 2]
            nearest = min(centroids[i], key=lambda c, part=part: float((part - c).square().sum()))
            assert torch.equal(found[item, 2 * i : 2 * i + 2], nearest)


def test_quantizers_of_the_floats_are_learned_from_training_items_and_asked_asymmetrically(features_set):
    spec, job = CodeSpec(8, 4), RetrievalJob(method="triplet", width=8)
    (learned, classes), (measured, labels) = (
        (torch.from_numpy(features_set.x[rows]), features_set.labels[rows]) for rows in features_set.split("final")
    )
    part = build_parts(job, learned, torch.from_numpy(classes))[0]
    records = measure_quantizers(part, learned, measured, labels, [spec], seed=0)
    assert [(one["what"], one["bits"]) for one in records] == [("pq", 12), ("opq", 12), ("opq-mixed", 12), ("sign", 12)]
    z, asked = part.embed(learned).detach(), part.embed(measured).detach()
    code = product_code(z, spec, torch.Generator().manual_seed(0), rotated=False)
    scores = -torch.cdist(asked, rebuilt(asked, code.centroids)).square()
    expected = recall_at(scores.round(decimals=4), labels, labels, own=np.arange(len(labels)))
    assert records[0]["recall@1"] == pytest.approx(100 * expected[1], abs=1)
    signs = SignQuantizer(CodeSpec(2, 12), 0).fit(z)
    scores = signs.scores(asked, signs.encode(asked))
    expected = recall_at(scores.round(decimals=4), labels, labels, own=np.arange(len(labels)))
    assert records[3]["recall@1"] == pytest.approx(100 * expected[1], abs=1)
