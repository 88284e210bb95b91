"""Losses and miners of pytorch-metric-learning in our training loop."""

import numpy as np
import pytest
import torch
from pytorch_metric_learning import losses, miners

from dimco.backbones import Standardize
from dimco.baselines.metric import FromMetricLearning
from dimco.embedding_model import EmbeddingModel
from dimco.errors import InputError
from dimco.training import ArrayData, TrainingConfig, train

OBJECTIVES = {
    "triplet with its miner": lambda: FromMetricLearning(
        losses.TripletMarginLoss(margin=0.2), miners.TripletMarginMiner(margin=0.2, type_of_triplets="all")
    ),
    "proxy-nca": lambda: FromMetricLearning(losses.ProxyNCALoss(3, 4, softmax_scale=9)),
    "proxy-anchor": lambda: FromMetricLearning(losses.ProxyAnchorLoss(3, 4)),
    "two at once": lambda: FromMetricLearning(
        losses.MultipleLosses([losses.ContrastiveLoss(), losses.ProxyAnchorLoss(3, 4)])
    ),
}


class Mixed(Standardize):
    """Features of which a third alone tells the classes apart, so that there is something to learn."""

    @property
    def out_features(self):
        return 18


def gap(embeddings, labels):
    """How much nearer items of one class are than items of two, in cosine."""
    rows = torch.nn.functional.normalize(embeddings, dim=1)
    similarity, same = rows @ rows.t(), torch.from_numpy(labels[:, None] == labels)
    return float(similarity[same].mean() - similarity[~same].mean())


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES.keys())
def test_a_model_trained_with_a_loss_of_the_library_brings_classes_together(objective, blobs, rng):
    x = np.concatenate([blobs.x, 3 * rng.normal(size=(60, 12)).astype(np.float32)], 1)
    model, loss = EmbeddingModel(Mixed(18), width=4), objective()
    before = gap(model.embed(x), blobs.labels)
    own = [parameter.clone() for parameter in loss.parameters()]
    config = TrainingConfig(epochs=20, batch_size=15, lr=0.05, balanced=3, device="cpu")
    history = train(model, loss, ArrayData(x, blobs.labels), config)
    assert gap(model.embed(x), blobs.labels) > before + 0.2
    assert history[-1].parts["total"] < history[0].parts["total"]
    assert all(not torch.equal(old, new) for old, new in zip(own, loss.parameters(), strict=True))


def test_the_loss_is_that_of_the_tuples_that_the_miner_found(batch):
    embeddings, labels = batch
    miner, loss = miners.BatchHardMiner(), losses.TripletMarginLoss()
    expected = loss(embeddings, labels, miner(embeddings, labels))
    assert FromMetricLearning(loss, miner)(embeddings, labels).total == expected
    assert FromMetricLearning(loss)(embeddings, labels).total != expected


def test_a_checkpoint_can_tell_which_loss_it_is_of():
    objective = OBJECTIVES["triplet with its miner"]()
    assert objective.config == {"loss": "TripletMarginLoss", "miner": "TripletMarginMiner"}


def test_a_class_in_place_of_a_loss_is_refused():
    with pytest.raises(InputError, match="expected the loss as a module; got type"):
        FromMetricLearning(losses.TripletMarginLoss)
