"""The distance head against product quantization done by hand."""

import numpy as np
import pytest
import torch

from dimco.backbones import Standardize
from dimco.code_heads.distance import DistanceHead
from dimco.errors import InputError
from dimco.model import CodeModel
from dimco.objectives import Infomax
from dimco.similarity import code_scores
from dimco.spec import CodeSpec
from dimco.training import ArrayData, TrainingConfig, train

SPEC = CodeSpec(k=8, d=3)


@pytest.fixture(scope="module")
def features():
    rng = np.random.default_rng(0)
    return torch.from_numpy((rng.normal(size=(300, 12)) @ rng.normal(size=(12, 12))).astype(np.float32))


def squared_distances(head, x):
    """(N, d, k), one subtraction at a time."""
    parts = head.embed(x).detach().double().view(len(x), SPEC.d, -1)
    centroids = head.centroids.detach().double()
    return torch.stack([(parts[:, i, None] - centroids[i][None]).square().sum(-1) for i in range(SPEC.d)], 1)


@pytest.mark.parametrize("rotated", [True, False])
def test_before_training_the_codes_are_the_assignment_of_product_quantization(features, rotated):
    head = DistanceHead.from_features(features, SPEC, rotated=rotated)
    assert torch.equal(head(features).argmax(-1), squared_distances(head, features).argmin(-1))


def test_without_rotation_the_parts_are_neighbouring_features_as_in_pq(features):
    head = DistanceHead.from_features(features, SPEC, rotated=False)
    z = head.embed(features).detach()
    part = features[:, 4:8] - features[:, 4:8].mean(0)
    assert np.corrcoef(z[:, 4:8].flatten(), part.flatten())[0, 1] == pytest.approx(1)


def test_the_similarity_is_minus_beta_times_the_asymmetric_distance_up_to_a_constant_of_the_query(features):
    head = DistanceHead.from_features(features, SPEC)
    symbols = head(features).argmax(-1)
    scores = code_scores(head(features[:20]).log_softmax(-1).detach(), symbols)
    rebuilt = head.decode(symbols).detach()
    distances = (head.embed(features[:20]).detach()[:, None] - rebuilt[None]).square().sum(-1)
    constant = scores + head.log_beta.exp().detach() * distances
    torch.testing.assert_close(constant, constant[:, :1].expand_as(constant), atol=1e-3, rtol=1e-4)


def test_normalized_embeddings_have_one_length_and_are_quantized_there(features):
    head = DistanceHead.from_features(features, SPEC, normalized=True)
    z = head.embed(features).detach()
    torch.testing.assert_close(z.norm(dim=1), torch.full((300,), 12**0.5))
    assert torch.equal(head(features).argmax(-1), squared_distances(head, features).argmin(-1))
    rebuilt = head.decode(head(features).argmax(-1)).detach()
    assert float((z - rebuilt).square().mean()) < float((z - z.mean(0)).square().mean()) / 2


def test_a_power_is_taken_of_the_size_of_every_feature(features):
    head = DistanceHead.from_features(features, SPEC, power=0.5, whitening=0.5)
    roots = torch.from_numpy(np.sign(features.numpy()) * np.sqrt(np.abs(features.numpy())))
    torch.testing.assert_close(head.embed(features), head.projection(roots), atol=0.05, rtol=0.01)
    x = torch.tensor([[0.0, 4.0, -4.0] * 4], requires_grad=True)
    head.embed(x).sum().backward()
    assert torch.isfinite(x.grad).all()
    with pytest.raises(InputError, match="expected a power above 0 and at most 1; got 2"):
        DistanceHead(12, SPEC, power=2)


def test_quantizing_again_keeps_the_distances_between_embeddings(features):
    head = DistanceHead.from_features(features, SPEC, normalized=True)
    before = torch.cdist(head.embed(features), head.embed(features)).detach()
    head.quantize(features[:100], seed=5)
    after = torch.cdist(head.embed(features), head.embed(features)).detach()
    torch.testing.assert_close(after, before, atol=1e-2, rtol=1e-3)


def test_fitting_centroids_tells_how_embeddings_were_turned(features):
    head = DistanceHead.from_features(features, SPEC)
    before = head.embed(features).detach()
    rotation = head.fit_centroids(before[:100] + 0.1)
    torch.testing.assert_close(head.embed(features).detach(), before @ rotation, atol=1e-4, rtol=1e-4)


def test_decoded_codes_are_the_centroids_side_by_side(features):
    head = DistanceHead.from_features(features, SPEC)
    symbols = torch.tensor([[0, 5, 7]])
    expected = [head.centroids[0, 0], head.centroids[1, 5], head.centroids[2, 7]]
    assert torch.equal(head.decode(symbols)[0], torch.cat(expected))


def test_the_same_seed_gives_the_same_head_and_another_seed_another(features):
    first, again, other = (DistanceHead.from_features(features, SPEC, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(first.centroids, again.centroids)
    assert not torch.equal(first.centroids, other.centroids)


def test_saved_and_loaded_it_gives_the_same_codes(features, tmp_path):
    model = CodeModel(Standardize(12), DistanceHead.from_features(features, SPEC, hidden=6))
    model.save(tmp_path / "model")
    again = CodeModel.load(tmp_path / "model")
    assert torch.equal(again.log_probs(features), model.log_probs(features))
    assert again.head.config == {"features": 12, "hidden": 6, "normalized": False, "power": 1.0}


def test_the_width_of_z_is_rounded_up_to_a_multiple_of_the_positions():
    assert DistanceHead(12, SPEC, hidden=7).embed(torch.zeros(1, 12)).shape == (1, 9)


def test_training_with_the_information_objective_gains_information(features):
    labels = np.digitize(features[:, 0].numpy(), [-2, 0, 2]).astype(np.int64)
    model = CodeModel(Standardize(12), DistanceHead.from_features(features, SPEC))
    config = TrainingConfig(epochs=15, batch_size=150, lr=1e-2, device="cpu")
    history = train(model, Infomax(), ArrayData(features, labels), config)
    assert history[-1].information_bits > history[0].information_bits + 0.2


def test_under_mixed_precision_distances_keep_float32(features):
    head = DistanceHead.from_features(features, SPEC)
    z = head.embed(features)
    with torch.autocast("cpu", torch.bfloat16):
        mixed = head.logits(z)
    assert torch.equal(mixed, head.logits(z))
