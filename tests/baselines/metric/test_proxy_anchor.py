"""Proxy-Anchor against pytorch-metric-learning."""

import pytest
import torch
from pytorch_metric_learning import losses

from dimco.baselines.metric import ProxyAnchor
from dimco.errors import InputError


@pytest.mark.parametrize(("margin", "alpha"), [(0.1, 32.0), (0.3, 4.0)])
def test_value_and_gradients_are_those_of_the_library(batch, unbalanced, assert_same_loss, margin, alpha):
    for embeddings, labels in (batch, unbalanced):
        ours = ProxyAnchor(7, 5, margin, alpha).double()
        theirs = losses.ProxyAnchorLoss(7, 5, margin, alpha).double()
        theirs.load_state_dict(ours.state_dict())
        assert_same_loss(
            lambda x, y=labels, loss=ours: loss(x, y).total, lambda x, y=labels, loss=theirs: loss(x, y), embeddings
        )
        torch.testing.assert_close(ours.proxies.grad, theirs.proxies.grad)


def test_wrong_settings_are_named():
    with pytest.raises(InputError, match="at least 2 classes and a width of 1; got 3 and 0"):
        ProxyAnchor(3, 0)
