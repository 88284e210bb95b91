"""Losses of the parts against their definition."""

import pytest
import torch

from dimco.baselines.metric import ProxyAnchor, TripletLoss
from dimco.experiments.retrieval.job import RetrievalJob
from dimco.experiments.retrieval.parts import build_parts, mixtures
from dimco.objectives import Infomax

CODES = "8x3,4x6"


@pytest.fixture
def batch(features_set):
    return torch.from_numpy(features_set.x), torch.from_numpy(features_set.labels)


def test_each_code_has_a_part_that_starts_as_product_quantization(batch):
    x, labels = batch
    parts = build_parts(RetrievalJob(codes=CODES), x, labels)
    assert [str(part.spec) for part in parts] == ["8x3", "4x6"]
    for part in parts:
        z = part.head.embed(x).view(len(x), part.spec.d, -1)
        distances = (z[:, :, None] - part.head.centroids[None]).square().sum(-1)
        assert torch.equal(part.logits(x).argmax(-1), distances.argmin(-1))


def test_proxies_start_as_the_mean_of_each_class(batch):
    x, labels = batch
    part = build_parts(RetrievalJob(codes="8x3"), x, labels)[0]
    expected = torch.stack([part.head.embed(x)[labels == c].mean(0) for c in range(20)])
    torch.testing.assert_close(part.proxies.proxies, expected)


def test_the_loss_of_a_code_is_the_sum_of_its_terms(batch):
    x, labels = batch
    job = RetrievalJob(codes="8x3", metric=0.5, decoded=2.0, information=3.0, mixtures=0)
    part = build_parts(job, x, labels)[0]
    found = part.loss(x, labels, torch.Generator().manual_seed(0))
    z = part.head.embed(x)
    rebuilt = part.head.decode(part.logits(x).argmax(-1))
    objective = Infomax()(part.logits(x), labels, torch.Generator().manual_seed(0)).total
    distortion = part.head.log_beta.exp() * (z - rebuilt).square().sum(1).mean()
    expected = 0.5 * part.proxies(z, labels).total + 2 * part.proxies(rebuilt, labels).total
    torch.testing.assert_close(found.total, expected + (3 * objective + distortion) / 3)


def test_centroids_go_to_the_embeddings_and_are_not_moved_by_the_metric_loss(batch):
    x, labels = batch
    part = build_parts(RetrievalJob(codes="8x3", information=0, mixtures=0), x, labels)[0]
    part.loss(x, labels, torch.Generator()).total.backward()
    symbols = part.logits(x).argmax(-1)
    z = part.head.embed(x).detach().view(len(x), 3, -1)
    factor = 2 * part.head.log_beta.detach().exp() / 3 / len(x)
    for s in range(8):
        own = z[symbols[:, 0] == s, 0]
        expected = factor * (part.head.centroids[0, s].detach() - own).sum(0)
        torch.testing.assert_close(part.head.centroids.grad[0, s], expected, atol=1e-5, rtol=1e-4)


def test_what_a_code_stands_for_teaches_the_projection(batch):
    x, labels = batch
    part = build_parts(RetrievalJob(codes="8x3", metric=0, information=0), x, labels)[0]
    part.loss(x, labels, torch.Generator()).total.backward()
    assert float(part.head.projection.weight.grad.abs().max()) > 0


def test_refitting_keeps_the_angles_between_items_and_proxies(batch):
    x, labels = batch
    part = build_parts(RetrievalJob(codes="8x3"), x, labels)[0]
    before = float(part.proxies(part.head.embed(x), labels).total)
    turned = part.head.embed(x).detach().clone()
    part.refit(x[:100], torch.Generator().manual_seed(3))
    assert not torch.allclose(part.head.embed(x), turned, atol=0.1)
    assert float(part.proxies(part.head.embed(x), labels).total) == pytest.approx(before, rel=1e-3)


def test_mixtures_lie_between_items_and_are_as_long():
    z = torch.nn.functional.normalize(torch.randn(50, 4), dim=1) * 2
    mixed = mixtures(z, torch.Generator().manual_seed(0), 2)
    assert mixed.shape == (150, 4)
    assert torch.equal(mixed[:50], z)
    torch.testing.assert_close(mixed.norm(dim=1), torch.full((150,), 2.0))
    assert torch.equal(mixtures(z, torch.Generator(), 0), z)


def test_a_baseline_is_a_linear_layer_with_its_loss(batch):
    x, labels = batch
    part = build_parts(RetrievalJob(method="triplet", width=8), x, labels)[0]
    torch.testing.assert_close(
        part.loss(x, labels, torch.Generator()).total, TripletLoss()(part.layer(x), labels).total
    )
    torch.testing.assert_close(part.embed(x).norm(dim=1), torch.ones(len(x)))
    proxies = build_parts(RetrievalJob(method="proxy-anchor", width=8), x, labels)[0].proxies
    assert isinstance(proxies, ProxyAnchor)


def test_a_linear_head_compares_its_hidden_layer(batch):
    x, labels = batch
    part = build_parts(RetrievalJob(codes="8x3", head="linear"), x, labels)[0]
    assert part.embed(x).shape == (len(x), 128)
    torch.testing.assert_close(part.logits(x), part.head(x))
