import math
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dimco.errors import InputError
from dimco.information import (
    code_entropy,
    conditional_entropy,
    joint_information,
    mutual_information,
    pairwise_dependence,
)
from dimco.objectives import ClassInfomax, DecoderInfomax, Infomax, straight_through
from dimco.spec import CodeSpec


@pytest.fixture
def logits(rng):
    return torch.from_numpy(rng.normal(size=(20, 4, 3)).astype(np.float32))


@pytest.fixture
def labels(rng):
    return torch.from_numpy(rng.integers(0, 3, 20))


def counted_information(symbols, labels):
    """I(X; Y) of stored codes, by counting the codewords of each class."""
    pairs = Counter(zip(map(tuple, symbols), labels, strict=True))
    codes, classes, n = Counter(map(tuple, symbols)), Counter(labels), len(labels)
    return sum(c / n * math.log(c * n / (codes[code] * classes[label])) for (code, label), c in pairs.items())


def test_infomax_parts_are_the_information_functions_of_the_softmax(logits, labels):
    p = logits.softmax(-1)
    parts = Infomax(independence=0.7)(logits, labels)
    torch.testing.assert_close(parts.information, mutual_information(p, labels))
    torch.testing.assert_close(parts.code_entropy, code_entropy(p).sum())
    torch.testing.assert_close(parts.conditional_entropy, conditional_entropy(p, labels).sum())
    torch.testing.assert_close(parts.total, -parts.information + 0.7 * parts.dependence)


@pytest.mark.parametrize("direction", ["joint", "product", "both"])
@pytest.mark.parametrize(("reduction", "factor"), [("mean", 1), ("position", 4), ("sum", 6)])
def test_reductions_scale_the_mean_over_pairs(logits, labels, direction, reduction, factor):
    mean = pairwise_dependence(logits.softmax(-1), direction=direction).mean()
    parts = Infomax(reduction=reduction, direction=direction)(logits, labels)
    torch.testing.assert_close(parts.dependence, factor * mean)


def test_position_reduction_sums_each_positions_mean_dependence_on_the_others(logits, labels):
    values = iter(pairwise_dependence(logits.softmax(-1)))
    table = torch.zeros(4, 4)
    for i in range(4):
        for j in range(i + 1, 4):
            table[i, j] = table[j, i] = next(values)
    torch.testing.assert_close(Infomax()(logits, labels).dependence, (table.sum(1) / 3).sum())


def test_sum_reduction_of_drawn_pairs_estimates_the_sum_of_all(logits, labels):
    objective = Infomax(pairs=2, reduction="sum")
    drawn = [objective(logits, labels, torch.Generator().manual_seed(seed)).dependence for seed in range(600)]
    everything = pairwise_dependence(logits.softmax(-1)).sum()
    assert torch.stack(drawn).mean().item() == pytest.approx(everything.item(), rel=0.03)


@pytest.mark.parametrize(("d", "k", "expected"), [(3, 4, 3), (10, 4, 45), (16, 64, 120), (16, 65, 16)])
def test_auto_takes_all_pairs_while_the_code_is_small(monkeypatch, d, k, expected):
    taken = []

    def spy(p, pairs, *_):
        taken.append(pairs)
        return p.new_zeros(1)

    monkeypatch.setattr("dimco.objectives.pairwise_dependence", spy)
    Infomax()(torch.zeros(2, d, k), torch.tensor([0, 1]))
    assert taken == [expected]


def test_without_weight_or_pairs_there_is_no_dependence(logits, labels):
    assert Infomax(independence=0)(logits, labels).dependence == 0
    assert Infomax()(logits[:, :1], labels).dependence == 0


@pytest.mark.parametrize("independence", [0.0, 1.0])
def test_a_group_of_all_positions_gives_the_information_in_the_whole_codeword(logits, labels, independence):
    d = logits.shape[1]
    for group in (d, d + 5):
        parts = Infomax(independence, group=group)(logits, labels)
        torch.testing.assert_close(parts.information, joint_information(logits.softmax(-1), labels))
        assert parts.dependence == 0, "nothing is left to be independent"


def test_groups_are_drawn_and_their_informations_summed(rng):
    p = torch.from_numpy(rng.dirichlet(np.ones(3), (40, 4))).float()
    labels = torch.from_numpy(rng.integers(0, 3, 40))

    def together(*positions):
        return joint_information(p[:, positions], labels).item()

    partitions = {
        round(together(*a) + together(*b), 4)
        for a, b in (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
    }  # fmt: skip
    objective = Infomax(group=2)
    seen = {
        round(objective(p.log(), labels, torch.Generator().manual_seed(seed)).information.item(), 4)
        for seed in range(40)
    }
    assert seen == partitions


def test_positions_left_over_by_the_groups_are_made_up_for(rng):
    p = torch.from_numpy(rng.dirichlet(np.ones(3), (40, 3))).float()
    labels = torch.from_numpy(rng.integers(0, 3, 40))
    pairs = {round(1.5 * joint_information(p[:, list(pair)], labels).item(), 4) for pair in ((0, 1), (0, 2), (1, 2))}
    seen = {
        round(Infomax(group=2)(p.log(), labels, torch.Generator().manual_seed(seed)).information.item(), 4)
        for seed in range(40)
    }
    assert seen == pairs


def test_groups_see_what_positions_tell_only_together():
    first, second = torch.tensor([0, 0, 1, 1]), torch.tensor([0, 1, 0, 1])
    certain = 50.0 * torch.nn.functional.one_hot(torch.stack([first, second], 1), 2)
    labels = first ^ second
    assert Infomax(group=1)(certain, labels).information.item() == pytest.approx(0, abs=1e-6)
    assert Infomax(group=2)(certain, labels).information.item() == pytest.approx(math.log(2))


def test_half_precision_logits_are_measured_in_single_precision(logits, labels):
    half = logits.bfloat16()
    assert Infomax()(half, labels).total.dtype == torch.float32
    assert Infomax()(half, labels).total == Infomax()(half.float(), labels).total


def objectives(classes):
    return [Infomax(), Infomax(pairs=2, direction="both"), DecoderInfomax(CodeSpec(3, 4), classes)]


@pytest.mark.parametrize("which", range(3))
def test_objectives_train_with_one_example_a_class(which, rng):
    objective = objectives(9)[which]
    logits = torch.from_numpy(rng.normal(size=(9, 4, 3)).astype(np.float32)).requires_grad_()
    optimizer = torch.optim.Adam([logits, *objective.parameters()], lr=0.1)
    history = []
    for _ in range(60):
        parts = objective(logits, torch.arange(9), torch.Generator().manual_seed(0))
        optimizer.zero_grad()
        parts.total.backward()
        optimizer.step()
        history.append(parts.information.item())
    assert np.isfinite(history).all()
    assert history[-1] > history[0] + 0.5


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("labels", [[0], [1, 1, 1], [0, 1, 2]], ids=str)
def test_huge_logits_and_small_batches_give_finite_gradients(which, labels, rng):
    logits = torch.from_numpy(1e4 * rng.normal(size=(len(labels), 4, 3)).astype(np.float32)).requires_grad_()
    parts = objectives(3)[which](logits, torch.tensor(labels))
    parts.total.backward()
    assert all(part.isfinite() for part in parts)
    assert logits.grad.isfinite().all()


def test_decoder_parts_add_up(logits, labels):
    parts = DecoderInfomax(CodeSpec(3, 4), 3, prior=[2, 1, 1])(logits, labels)
    torch.testing.assert_close(parts.information, parts.label_entropy - parts.cross_entropy)
    assert parts.total == -parts.information
    assert parts.label_entropy.item() == pytest.approx(1.5 * math.log(2))


def test_decoder_posterior_is_bayes_rule_on_the_stored_code(logits):
    decoder = DecoderInfomax(CodeSpec(3, 4), 2, prior=[3, 1])
    table = decoder.table.detach().softmax(-1).tolist()
    posterior = decoder.posterior(logits).softmax(-1).tolist()
    for item, codeword in enumerate(logits.argmax(-1).tolist()):
        joint = [
            prior * math.prod(table[y][i][symbol] for i, symbol in enumerate(codeword))
            for y, prior in enumerate([0.75, 0.25])
        ]
        assert posterior[item] == pytest.approx([value / sum(joint) for value in joint], rel=1e-4)


def best_table(symbols, labels, classes, d, k):
    """The factorised decoder that fits the codes best: each class's frequencies of each symbol."""
    counts = np.full((classes, d, k), 1e-6)
    for codeword, label in zip(symbols, labels, strict=True):
        counts[label, np.arange(d), codeword] += 1
    return torch.from_numpy(np.log(counts)).float()


@given(st.integers(0, 2**32 - 1), st.floats(0, 1), st.integers(1, 3), st.integers(2, 4), st.integers(2, 4))
def test_decoder_information_is_at_most_the_information_in_the_stored_codes(seed, fitted, d, k, classes):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(classes), rng.integers(0, classes, 30)])
    logits = rng.normal(size=(len(labels), d, k)) + 2 * rng.normal(size=(classes, d, k))[labels]
    symbols = logits.argmax(-1)
    decoder = DecoderInfomax(CodeSpec(k, d), classes, prior=np.bincount(labels) / len(labels))
    with torch.no_grad():
        noise = torch.from_numpy(rng.normal(size=decoder.table.shape)).float()
        decoder.table.copy_(fitted * best_table(symbols, labels, classes, d, k) + (1 - fitted) * 3 * noise)
    bound = decoder(torch.from_numpy(logits), torch.from_numpy(labels)).information.item()
    assert bound <= counted_information(symbols.tolist(), labels.tolist()) + 1e-5


def test_decoder_information_reaches_that_of_codes_which_a_factorised_decoder_can_read():
    labels = torch.arange(4).repeat(5)
    symbols = torch.stack([labels // 2, labels % 2], dim=1)
    decoder = DecoderInfomax(CodeSpec(2, 2), 4)
    with torch.no_grad():
        decoder.table.copy_(best_table(symbols.tolist(), labels.tolist(), 4, 2, 2))
    information = decoder(torch.eye(2)[symbols], labels).information.item()
    assert information == pytest.approx(math.log(4), abs=1e-4)


def test_decoder_gains_nothing_by_repeating_a_position():
    labels = torch.tensor([0, 1] * 10)
    decoder = DecoderInfomax(CodeSpec(2, 3), 2)
    with torch.no_grad():
        decoder.table.copy_(20 * torch.eye(2)[:, None, :].expand(2, 3, 2))
    logits = torch.eye(2)[labels][:, None, :].expand(20, 3, 2)
    assert decoder(logits, labels).information.item() == pytest.approx(math.log(2), abs=1e-4)
    assert Infomax()(100 * logits, labels).information.item() == pytest.approx(3 * math.log(2), abs=1e-4)


def test_straight_through_gives_the_argmax_with_the_gradient_of_p(rng):
    p = torch.from_numpy(rng.dirichlet(np.ones(3), size=(5, 2))).requires_grad_()
    weights = torch.from_numpy(rng.normal(size=(5, 2, 3)))
    stored = straight_through(p)
    (stored * weights).sum().backward()
    np.testing.assert_allclose(stored.detach(), np.eye(3)[p.detach().numpy().argmax(-1)], atol=1e-12)
    torch.testing.assert_close(p.grad, weights)


def test_decoder_learns_through_both_table_and_logits(logits, labels):
    decoder = DecoderInfomax(CodeSpec(3, 4), 3)
    leaf = logits.clone().requires_grad_()
    decoder(leaf, labels).total.backward()
    assert leaf.grad.abs().sum() > 0
    assert decoder.table.grad.abs().sum() > 0


@pytest.mark.parametrize(
    "options",
    [{"reduction": "max"}, {"pairs": 0}, {"pairs": -3}, {"group": 0}],
    ids=["reduction", "no pairs", "negative pairs", "empty groups"],
)
def test_infomax_refuses_wrong_options(options):
    with pytest.raises(InputError, match="expected"):
        Infomax(**options)


def test_infomax_refuses_wrong_labels_and_directions(logits, labels):
    with pytest.raises(InputError, match="expected 20 labels"):
        Infomax()(logits, labels[1:])
    with pytest.raises(InputError, match="expected direction"):
        Infomax(direction="up")(logits, labels)


@pytest.mark.parametrize(("classes", "prior"), [(1, None), (0, None), (3, [1, 1]), (2, [1, 0]), (2, [1, float("nan")])])
def test_decoder_refuses_wrong_classes_and_priors(classes, prior):
    with pytest.raises(InputError, match="expected"):
        DecoderInfomax(CodeSpec(3, 4), classes, prior)


def test_decoder_refuses_logits_of_another_code(logits, labels):
    with pytest.raises(InputError, match=r"expected logits of shape \(N, 4, 5\); got \(20, 4, 3\)"):
        DecoderInfomax(CodeSpec(5, 4), 3)(logits, labels)


@pytest.fixture
def class_logits(rng):
    return torch.from_numpy(rng.normal(size=(20, 1, 3)).astype(np.float32))


def slow_cross_entropy(scores, labels, smoothing=0.0):
    """The mean of -sum_c t_c log softmax(scores)_c, t being the smoothed one-hot label, item by item."""
    losses = []
    for row, label in zip(scores, labels, strict=True):
        log_sum = math.log(sum(math.exp(score) for score in row))
        target = [smoothing / len(row) + (1 - smoothing) * (c == label) for c in range(len(row))]
        losses.append(sum(t * (log_sum - score) for t, score in zip(target, row, strict=True)))
    return sum(losses) / len(losses)


def test_class_information_is_label_entropy_less_cross_entropy(class_logits, labels):
    parts = ClassInfomax(3, prior=[2, 1, 1])(class_logits, labels)
    cross_entropy = slow_cross_entropy(class_logits[:, 0].tolist(), labels.tolist())
    assert parts.cross_entropy.item() == pytest.approx(cross_entropy, rel=1e-5)
    assert parts.label_entropy.item() == pytest.approx(1.5 * math.log(2))
    assert parts.information.item() == pytest.approx(1.5 * math.log(2) - cross_entropy, rel=1e-4)
    assert parts.total == -parts.information


def test_class_information_is_all_of_the_label_for_sure_and_right_scores():
    labels = torch.arange(4).repeat(3)
    parts = ClassInfomax(4)(50 * torch.eye(4)[labels][:, None], labels)
    assert parts.information.item() == pytest.approx(math.log(4), abs=1e-5)


def test_label_smoothing_changes_the_loss_and_not_the_information(class_logits, labels):
    plain, smoothed = (ClassInfomax(3, label_smoothing=s)(class_logits, labels) for s in (0.0, 0.3))
    expected = slow_cross_entropy(class_logits[:, 0].tolist(), labels.tolist(), 0.3) - math.log(3)
    assert smoothed.total.item() == pytest.approx(expected, rel=1e-4)
    assert smoothed.total != plain.total
    assert smoothed[1:] == plain[1:]


def test_label_smoothing_of_the_decoder_is_of_its_posterior(logits, labels):
    plain, smoothed = DecoderInfomax(CodeSpec(3, 4), 3), DecoderInfomax(CodeSpec(3, 4), 3, label_smoothing=0.2)
    smoothed.load_state_dict(plain.state_dict())
    posterior = plain.posterior(logits).detach().tolist()
    expected = slow_cross_entropy(posterior, labels.tolist(), 0.2) - math.log(3)
    assert smoothed(logits, labels).total.item() == pytest.approx(expected, rel=1e-4)
    assert smoothed(logits, labels).information == plain(logits, labels).information


@pytest.mark.parametrize("objective", [ClassInfomax(3), ClassInfomax(3, label_smoothing=0.1)])
def test_class_information_is_finite_for_huge_scores(objective, rng):
    leaf = torch.from_numpy(1e4 * rng.normal(size=(3, 1, 3)).astype(np.float32)).requires_grad_()
    parts = objective(leaf, torch.tensor([0, 1, 2]))
    parts.total.backward()
    assert all(part.isfinite() for part in parts)
    assert leaf.grad.isfinite().all()


@pytest.mark.parametrize("smoothing", [-0.1, 1.0, float("nan")])
@pytest.mark.parametrize("kind", [ClassInfomax, lambda *a, **b: DecoderInfomax(CodeSpec(3, 4), *a, **b)])
def test_label_smoothing_outside_its_range_is_refused(kind, smoothing):
    with pytest.raises(InputError, match="expected label smoothing from 0 to below 1"):
        kind(3, label_smoothing=smoothing)


@pytest.mark.parametrize(("classes", "prior"), [(1, None), (3, [1, 1]), (2, [1, 0])])
def test_class_infomax_refuses_wrong_classes_and_priors(classes, prior):
    with pytest.raises(InputError, match="expected"):
        ClassInfomax(classes, prior)


def test_class_infomax_refuses_logits_and_labels_of_other_classes(logits, class_logits, labels):
    with pytest.raises(InputError, match=r"expected logits of shape \(N, 1, 3\); got \(20, 4, 3\)"):
        ClassInfomax(3)(logits, labels)
    with pytest.raises(InputError, match="expected labels from 0 to 2; got 3"):
        ClassInfomax(3)(class_logits, labels.clamp(min=1) + 1)
