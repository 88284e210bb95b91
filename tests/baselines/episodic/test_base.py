"""Tasks cut from balanced batches."""

import json

import pytest
import torch
from torch.nn.functional import one_hot

from dimco.baselines.episodic import R2D2, MatchingNet, ProtoNet, RelationNet
from dimco.baselines.episodic.base import EpisodicLearner, class_means
from dimco.errors import InputError


class Recorder(EpisodicLearner):
    """Gives uniform scores and keeps what it was asked."""

    def scores(self, support, labels, query, ways):
        self.asked = support, labels, query, ways
        return query.new_zeros(1, query.shape[1], ways)


LEARNERS = [
    ProtoNet,
    MatchingNet,
    R2D2,
    lambda shots, ways=None: RelationNet(4, shots, ways),
    lambda shots, ways=None: RelationNet((4, 1, 1), shots, ways),
]
each_learner = pytest.mark.parametrize(
    "learner", LEARNERS, ids=["protonet", "matching", "r2d2", "relation", "relation of maps"]
)


@pytest.mark.parametrize("ways", [2, None])
def test_the_first_items_of_each_class_are_the_support_and_the_rest_the_queries(ways):
    labels = torch.tensor([8, 3, 8, 3, 3, 8, 8, 3])
    recorder = Recorder(shots=1, ways=ways)
    total = recorder(torch.arange(8.0)[:, None], labels).total
    support, known, query, asked_ways = recorder.asked
    assert support.flatten().tolist() == [1, 0]
    assert known.tolist() == [0, 1]
    assert query.flatten().tolist() == [3, 4, 7, 2, 5, 6]
    assert asked_ways == 2
    torch.testing.assert_close(total, torch.tensor(2.0).log())


@each_learner
def test_the_loss_is_that_of_the_scores_a_user_asks_for(learner):
    torch.manual_seed(1)
    learner = learner(2)
    labels = torch.arange(3).repeat(5)
    embeddings = torch.randn(15, 4)
    by_class = embeddings.view(5, 3, 4).transpose(0, 1)
    support, query = by_class[:, :2].reshape(1, 6, 4), by_class[:, 2:].reshape(1, 9, 4)
    scores = learner.scores(support, torch.tensor([0, 0, 1, 1, 2, 2]), query, 3)[0]
    truth = torch.tensor([0] * 3 + [1] * 3 + [2] * 3)
    if isinstance(learner, RelationNet):
        expected = (scores.sigmoid() - one_hot(truth, 3)).square().mean()
    else:
        expected = -scores.log_softmax(1)[torch.arange(9), truth].mean()
    torch.testing.assert_close(learner(embeddings, labels).total, expected)


@each_learner
def test_training_lowers_the_loss_of_new_batches(learner):
    learner = learner(3, 4)
    network = torch.nn.Linear(6, 4)
    optimizer = torch.optim.Adam([*network.parameters(), *learner.parameters()], lr=0.02)
    centres = torch.randn(4, 6) * 0.7
    found = []
    for step in range(120):
        labels = torch.randperm(24) % 4
        total = learner(network(centres[labels] + 0.5 * torch.randn(24, 6)), labels).total
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        found.append(float(total))
        assert step or all(p.grad is not None for p in network.parameters())
    assert sum(found[-20:]) < 0.7 * sum(found[:20])


@each_learner
def test_tasks_are_scored_each_by_itself(learner):
    learner = learner(2).eval()
    support, query = torch.randn(3, 6, 4), torch.randn(3, 5, 4)
    labels = torch.tensor([2, 0, 1, 1, 0, 2])
    together = learner.scores(support, labels, query, 3)
    assert together.shape == (3, 5, 3)
    for task in range(3):
        alone = learner.scores(support[task : task + 1], labels, query[task : task + 1], 3)
        torch.testing.assert_close(together[task : task + 1], alone)


@each_learner
def test_the_order_of_the_support_does_not_matter(learner):
    learner = learner(2).eval()
    support, query = torch.randn(1, 6, 4), torch.randn(1, 5, 4)
    labels, order = torch.tensor([0, 0, 1, 1, 2, 2]), torch.randperm(6)
    scores = learner.scores(support, labels, query, 3)
    torch.testing.assert_close(learner.scores(support[:, order], labels[order], query, 3), scores)


@each_learner
def test_a_training_step_reads_no_value_so_it_can_be_captured(learner):
    """Tensors of the device "meta" have shapes and no values: reading one would fail."""
    embeddings = torch.zeros(15, 4, device="meta", requires_grad=True)
    labels = torch.zeros(15, dtype=torch.int64, device="meta")
    learner(2, 3).to("meta")(embeddings, labels).total.backward()
    assert embeddings.grad.shape == (15, 4)


@each_learner
def test_settings_are_json_and_rebuild_the_learner(learner):
    built = learner(2, 3)
    config = json.loads(json.dumps(built.config))
    assert config == built.config
    again = type(built)(**config)
    again.load_state_dict(built.state_dict())
    embeddings, labels = torch.randn(12, 4), torch.arange(3).repeat(4)
    assert torch.equal(built(embeddings, labels).total, again(embeddings, labels).total)


def test_class_means_weigh_the_items_of_a_class_alike():
    support = torch.tensor([[[1.0], [2.0], [6.0], [4.0]]])
    assert class_means(support, torch.tensor([1, 0, 1, 1]), 2).flatten().tolist() == pytest.approx([2, 11 / 3])


def test_a_batch_without_queries_is_refused():
    with pytest.raises(InputError, match="more than 5 items of each class, for queries; got 5"):
        ProtoNet(5)(torch.zeros(10, 2), torch.arange(2).repeat(5))


def test_wrong_settings_are_named():
    with pytest.raises(InputError, match="at least 1 shot; got 0"):
        ProtoNet(0)
    with pytest.raises(InputError, match="at least 2 ways; got 1"):
        ProtoNet(1, 1)
