"""Our objectives in the trainers of pytorch-metric-learning."""

import pytest
import torch
from pytorch_metric_learning import trainers
from torch.utils.data import TensorDataset

from dimco.baselines.metric import AsMetricLoss
from dimco.errors import InputError
from dimco.heads import LinearHead
from dimco.objectives import ClassInfomax, DecoderInfomax, Infomax
from dimco.spec import CodeSpec

SPEC = CodeSpec(k=4, d=3)
LABELS = torch.tensor([0, 0, 1, 1, 2, 2, 2, 1])


def trained_by_the_library(loss, blobs, width):
    torch.manual_seed(0)
    trunk = torch.nn.Linear(6, width)
    with torch.no_grad():
        trunk.weight.mul_(0.1)
    optimizers = {"trunk_optimizer": torch.optim.Adam(trunk.parameters(), lr=0.05)}
    if loss.head is not None:
        optimizers["metric_loss_optimizer"] = torch.optim.Adam(loss.parameters(), lr=0.05)
    trainer = trainers.MetricLossOnly(
        models={"trunk": trunk},
        optimizers=optimizers,
        batch_size=20,
        loss_funcs={"metric_loss": loss},
        dataset=TensorDataset(torch.from_numpy(blobs.x), torch.from_numpy(blobs.labels)),
        data_device=torch.device("cpu"),
        dtype=torch.float32,
        dataloader_num_workers=0,
    )
    trainer.train(num_epochs=30)
    return trunk


def information(logits, labels):
    return float(Infomax(independence=0)(logits, torch.from_numpy(labels)).information)


def test_the_library_trains_the_logits_of_codes_with_infomax(blobs):
    loss = AsMetricLoss(Infomax(independence=0), SPEC)
    trunk = trained_by_the_library(loss, blobs, SPEC.d * SPEC.k)
    with torch.no_grad():
        logits = trunk(torch.from_numpy(blobs.x)).view(-1, SPEC.d, SPEC.k)
    assert information(logits, blobs.labels) > 0.8 * SPEC.d * torch.tensor(3.0).log()


def test_the_library_trains_a_code_head_with_the_network(blobs):
    head = LinearHead(5, SPEC)
    loss = AsMetricLoss(Infomax(independence=0), head)
    before = [parameter.clone() for parameter in head.parameters()]
    trunk = trained_by_the_library(loss, blobs, 5)
    with torch.no_grad():
        logits = head(trunk(torch.from_numpy(blobs.x)))
    assert information(logits, blobs.labels) > 0.8 * SPEC.d * torch.tensor(3.0).log()
    assert all(not torch.equal(old, new) for old, new in zip(before, head.parameters(), strict=True))


@pytest.mark.parametrize(
    ("objective", "spec"),
    [
        (Infomax(pairs=3), SPEC),
        (DecoderInfomax(SPEC, 3), SPEC),
        (ClassInfomax(4), CodeSpec(k=4, d=1)),
    ],
    ids=["infomax", "decoder", "classes"],
)
def test_the_loss_is_the_objective_of_the_logits(objective, spec):
    embeddings = torch.randn(8, spec.d * spec.k)
    expected = objective(embeddings.view(8, spec.d, spec.k), LABELS).total
    torch.testing.assert_close(AsMetricLoss(objective, spec)(embeddings, LABELS), expected)


def test_reference_embeddings_are_more_items_of_the_batch():
    embeddings = torch.randn(8, 12)
    loss = AsMetricLoss(Infomax(), SPEC)
    together = loss(embeddings, LABELS)
    apart = loss(embeddings[:5], LABELS[:5], ref_emb=embeddings[5:], ref_labels=LABELS[5:])
    torch.testing.assert_close(apart, together)


def test_the_same_seed_draws_the_same_groups():
    embeddings, labels = torch.randn(8, 24), LABELS

    def found(seed):
        loss = AsMetricLoss(Infomax(group=2, independence=0), CodeSpec(k=4, d=6), seed)
        return [float(loss(embeddings, labels)) for _ in range(4)]

    assert found(1) == found(1)
    assert found(1) != found(2)
    assert len(set(found(1))) > 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"indices_tuple": (LABELS, LABELS, LABELS)}, "expected no indices_tuple"),
        ({"labels": None}, "expected a label for every embedding; got none"),
        ({"ref_emb": torch.zeros(2, 12)}, "ref_emb and ref_labels together"),
        ({"embeddings": torch.zeros(8, 10)}, r"expected embeddings of shape \(N, 12\); got \(8, 10\)"),
    ],
)
def test_what_information_cannot_use_is_refused(arguments, message):
    loss = AsMetricLoss(Infomax(), SPEC)
    with pytest.raises(InputError, match=message):
        loss(**{"embeddings": torch.zeros(8, 12), "labels": LABELS, **arguments})


def test_a_code_has_to_be_given():
    with pytest.raises(InputError, match="expected a CodeSpec or a code head; got int"):
        AsMetricLoss(Infomax(), 12)
