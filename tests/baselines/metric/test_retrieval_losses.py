"""The losses of the retrieval table, by name."""

import pytest
import torch

from dimco.baselines.metric.retrieval_losses import RETRIEVAL_LOSSES, build
from dimco.errors import InputError


@pytest.mark.parametrize("name", RETRIEVAL_LOSSES)
def test_each_loss_brings_the_items_of_a_class_together(name):
    labels = torch.arange(4).repeat_interleave(4)
    built = build(name, classes=4, width=8)
    embeddings = torch.randn(16, 8, requires_grad=True)
    optimizer = torch.optim.Adam(
        [{"params": [embeddings], "lr": 0.02}, {"params": built.loss.parameters(), "lr": 0.02}]
    )

    def gap():
        rows = torch.nn.functional.normalize(embeddings.detach(), dim=1) if built.normalized else embeddings.detach()
        similarity, same = rows @ rows.t(), labels[:, None] == labels
        return similarity[same].mean() - similarity[~same].mean()

    before = gap()
    for _ in range(100):
        optimizer.zero_grad()
        built.loss(embeddings, labels).total.backward()
        optimizer.step()
    assert gap() > before + 0.25


def test_only_losses_with_parameters_of_their_own_ask_for_another_learning_rate():
    for name in RETRIEVAL_LOSSES:
        built = build(name, 4, 8)
        assert (built.lr_factor != 1) == any(True for _ in built.loss.parameters())


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(InputError, match=r"binomial-deviance, triplet, proxy-nca, n-pair, proxy-anchor; got 'contrast"):
        build("contrastive", 4, 8)
