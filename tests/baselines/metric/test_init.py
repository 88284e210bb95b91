"""What all losses on embeddings have in common."""

import pytest
import torch

from dimco.baselines.metric import BinomialDeviance, CrossEntropy, NPairLoss, ProxyAnchor, ProxyNCA, TripletLoss

LOSSES = {
    "semihard": TripletLoss,
    "hard": lambda: TripletLoss(mining="hard"),
    "n-pair": lambda: NPairLoss(3),
    "cross-entropy": lambda: CrossEntropy(4, 7),
    "binomial deviance": BinomialDeviance,
    "proxy-nca": lambda: ProxyNCA(7, 4),
    "proxy-nca of the paper": lambda: ProxyNCA(7, 4, own=False),
    "proxy-anchor": lambda: ProxyAnchor(7, 4),
}
each_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())


@each_loss
def test_a_training_step_reads_no_value_so_it_can_be_captured(loss):
    """Tensors of the device "meta" have shapes and no values: reading one would fail."""
    embeddings = torch.zeros(15, 4, device="meta", requires_grad=True)
    loss().to("meta")(embeddings, torch.zeros(15, dtype=torch.int64, device="meta")).total.backward()
    assert embeddings.grad.shape == (15, 4)


@each_loss
def test_gradients_are_finite_where_embeddings_vanish_or_coincide(loss):
    embeddings = torch.zeros(12, 4)
    embeddings[6:] = 1
    embeddings.requires_grad_()
    total = loss()(embeddings, torch.arange(3).repeat(4)).total
    total.backward()
    assert torch.isfinite(total)
    assert torch.isfinite(embeddings.grad).all()


@each_loss
def test_settings_rebuild_the_loss(loss):
    built = loss()
    again = type(built)(**built.config)
    again.load_state_dict(built.state_dict())
    embeddings, labels = torch.randn(12, 4), torch.arange(3).repeat(4)
    assert torch.equal(built(embeddings, labels).total, again(embeddings, labels).total)
