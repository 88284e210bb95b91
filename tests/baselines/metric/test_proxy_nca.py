"""Proxy-NCA against pytorch-metric-learning, and against the paper's formula by loops."""

import pytest
import torch
from pytorch_metric_learning import losses

from dimco.baselines.metric import ProxyNCA
from dimco.errors import InputError


@pytest.mark.parametrize("scale", [1.0, 9.0])
def test_value_and_gradients_are_those_of_the_library(batch, assert_same_loss, scale):
    embeddings, labels = batch
    ours, theirs = ProxyNCA(6, 5, scale).double(), losses.ProxyNCALoss(6, 5, softmax_scale=scale).double()
    theirs.load_state_dict(ours.state_dict())
    assert_same_loss(lambda x: ours(x, labels).total, lambda x: theirs(x, labels), embeddings)
    torch.testing.assert_close(ours.proxies.grad, theirs.proxies.grad)


def test_without_its_own_proxy_the_sum_is_the_formula_of_the_paper(batch, assert_same_loss):
    embeddings, labels = batch
    loss = ProxyNCA(6, 5, scale=1.0, own=False).double()

    def by_loops(x):
        units, proxies = (rows / rows.norm(dim=1, keepdim=True) for rows in (x, loss.proxies))
        found = []
        for unit, label in zip(units, labels, strict=True):
            near = [(-(unit - proxy).square().sum()).exp() for proxy in proxies]
            found.append(-(near[label] / sum(n for c, n in enumerate(near) if c != label)).log())
        return sum(found) / len(found)

    assert_same_loss(lambda x: loss(x, labels).total, by_loops, embeddings)


def test_scale_9_is_vectors_of_length_3(batch):
    embeddings, labels = batch
    loss = ProxyNCA(6, 5).double()
    units, proxies = (3 * torch.nn.functional.normalize(rows, dim=1) for rows in (embeddings, loss.proxies))
    expected = torch.nn.functional.cross_entropy(-(torch.cdist(units, proxies) ** 2), labels)
    torch.testing.assert_close(loss(embeddings, labels).total, expected)


def test_wrong_settings_are_named():
    with pytest.raises(InputError, match="at least 2 classes and a width of 1; got 1 and 4"):
        ProxyNCA(1, 4)
