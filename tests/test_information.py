import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import mutual_info_score

from dimco.errors import InputError
from dimco.information import (
    class_means,
    code_entropy,
    conditional_entropy,
    entropy,
    information_of_means,
    joint_information,
    label_entropy,
    mutual_information,
    pairwise_dependence,
    safe_log,
)

DIRECTIONS = ["joint", "product", "both"]


@st.composite
def batches(draw):
    """Probabilities from flat to one-hot, and labels, of 1 to 12 items."""
    n, d, k = draw(st.integers(1, 12)), draw(st.integers(1, 4)), draw(st.integers(2, 5))
    logits = draw(arrays(np.float64, (n, d, k), elements=st.floats(-3, 3)))
    sharpness = draw(st.sampled_from([0.0, 1.0, 1e4]))
    labels = draw(arrays(np.int64, n, elements=st.integers(-2, 3)))
    return torch.from_numpy(sharpness * logits).softmax(-1), torch.from_numpy(labels)


def random_batch(rng, n=30, d=3, k=4, classes=3):
    logits = torch.from_numpy(rng.normal(size=(n, d, k)) * 2)
    return logits.softmax(-1), torch.from_numpy(rng.integers(0, classes, n))


def one_hot_batch(rng, n=30, d=3, k=4, classes=3):
    symbols = rng.integers(0, k, (n, d))
    return torch.from_numpy(np.eye(k)[symbols]), symbols, torch.from_numpy(rng.integers(0, classes, n))


def slow_entropy(distribution):
    return -sum(value * math.log(value) for value in distribution if value > 0)


def slow_mean(p, items, position):
    return [sum(p[n][position][s] for n in items) / len(items) for s in range(len(p[0][position]))]


def slow_conditional_entropy(p, labels, position):
    total = 0.0
    for label in set(labels):
        items = [n for n in range(len(p)) if labels[n] == label]
        total += len(items) / len(p) * slow_entropy(slow_mean(p, items, position))
    return total


def slow_joint_information(p, labels):
    """sum p(c, y) log p(c, y) / p(c) p(y) over every codeword c and class y."""
    n, d, k = p.shape
    total = 0.0
    for codeword in itertools.product(range(k), repeat=d):
        given_item = [math.prod(p[item, i, codeword[i]].item() for i in range(d)) for item in range(n)]
        p_code = sum(given_item) / n
        for label in set(labels.tolist()):
            members = [item for item in range(n) if labels[item] == label]
            both = sum(given_item[item] for item in members) / n
            if both > 0:
                total += both * math.log(both / (p_code * len(members) / n))
    return total


def slow_dependence(p, direction):
    """KL between the joint and the product of the marginals, for each pair in order."""
    n, d, k = p.shape
    values = []
    for i, j in itertools.combinations(range(d), 2):
        joint_to_product = product_to_joint = 0.0
        for a, b in itertools.product(range(k), repeat=2):
            joint = sum(p[item, i, a].item() * p[item, j, b].item() for item in range(n)) / n
            product = p[:, i, a].mean().item() * p[:, j, b].mean().item()
            joint_to_product += joint * math.log(joint / product)
            product_to_joint += product * math.log(product / joint)
        both = (joint_to_product + product_to_joint) / 2
        values.append({"joint": joint_to_product, "product": product_to_joint, "both": both}[direction])
    return values


@given(batches())
def test_entropies_are_those_of_a_slow_loop(batch):
    p, labels = batch
    rows, classes = p.tolist(), labels.tolist()
    positions = range(p.shape[1])
    expected = [slow_entropy(slow_mean(rows, range(len(rows)), i)) for i in positions]
    conditional = [slow_conditional_entropy(rows, classes, i) for i in positions]
    np.testing.assert_allclose(code_entropy(p), expected, atol=1e-9)
    np.testing.assert_allclose(conditional_entropy(p, labels), conditional, atol=1e-9)
    information = pytest.approx(sum(expected) - sum(conditional), abs=1e-9)
    assert mutual_information(p, labels).item() == information
    assert information_of_means(*class_means(p, labels)).item() == information


def test_information_of_certain_codes_is_that_of_their_symbols(rng):
    p, symbols, labels = one_hot_batch(rng)
    expected = sum(mutual_info_score(labels, symbols[:, i]) for i in range(3))
    assert mutual_information(p, labels).item() == pytest.approx(expected)
    whole = np.unique(symbols, axis=0, return_inverse=True)[1].reshape(-1)
    assert joint_information(p, labels).item() == pytest.approx(mutual_info_score(labels, whole))


def test_class_means_are_averages_within_each_class(rng):
    p, labels = random_batch(rng)
    means, weights = class_means(p, labels * 10 - 7)
    for index, label in enumerate(labels.unique()):
        np.testing.assert_allclose(means[index], p[labels == label].mean(0))
        assert weights[index].item() == pytest.approx((labels == label).double().mean().item())


def test_label_entropy_is_that_of_the_frequencies():
    labels = torch.tensor([5, 5, 5, -1])
    assert label_entropy(labels).item() == pytest.approx(slow_entropy([0.75, 0.25]))
    assert label_entropy(torch.tensor([2, 2])).item() == 0


def test_entropy_runs_along_any_dimension(rng):
    p = torch.from_numpy(rng.dirichlet(np.ones(5), size=3))
    np.testing.assert_allclose(entropy(p.t(), dim=0), [slow_entropy(row) for row in p.tolist()])


@given(batches())
def test_information_is_at_least_nothing_and_at_most_what_code_and_labels_hold(batch):
    p, labels = batch
    d, k = p.shape[1:]
    information = mutual_information(p, labels).item()
    assert -1e-9 <= information <= min(d * math.log(k), d * label_entropy(labels).item()) + 1e-6
    assert -1e-9 <= joint_information(p, labels).item() <= label_entropy(labels).item() + 1e-6


@given(batches(), st.integers(0, 2**32 - 1))
def test_names_of_classes_and_symbols_and_order_of_items_do_not_matter(batch, seed):
    p, labels = batch
    n, d, k = p.shape
    rng = np.random.default_rng(seed)
    items = rng.permutation(n)
    symbols = np.stack([rng.permutation(k) for _ in range(d)])
    moved = p[items][:, np.arange(d)[:, None], symbols]
    renamed = torch.from_numpy(rng.permutation(1_000)[:6])[labels[items] + 2]
    for measure in (mutual_information, joint_information):
        assert measure(moved, renamed).item() == pytest.approx(measure(p, labels).item(), abs=1e-9)


def test_independent_labels_tell_nothing_when_there_are_many_items(rng):
    for p, _ in (random_batch(rng, 20_000), one_hot_batch(rng, 20_000)[:2]):
        labels = torch.from_numpy(rng.integers(0, 3, 20_000))
        assert 0 <= mutual_information(p, labels).item() < 2e-3


@given(batches())
def test_joint_information_is_that_of_all_codewords_enumerated(batch):
    p, labels = batch
    assert joint_information(p, labels).item() == pytest.approx(slow_joint_information(p, labels), abs=1e-9)


def test_joint_information_of_one_position_is_mutual_information(rng):
    p, labels = random_batch(rng, d=1)
    assert joint_information(p, labels).item() == pytest.approx(mutual_information(p, labels).item())


def test_positions_that_repeat_each_other_count_twice_in_the_sum_only():
    labels = torch.tensor([0, 1, 0, 1])
    p = torch.eye(2)[torch.stack([labels, labels], dim=1)]
    assert mutual_information(p, labels).item() == pytest.approx(2 * math.log(2))
    assert joint_information(p, labels).item() == pytest.approx(math.log(2))


def test_positions_that_only_together_tell_the_label_count_in_the_joint_only():
    symbols = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]])
    labels = symbols[:, 0] ^ symbols[:, 1]
    p = torch.eye(2)[symbols]
    assert mutual_information(p, labels).item() == pytest.approx(0, abs=1e-6)
    assert joint_information(p, labels).item() == pytest.approx(math.log(2))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_dependence_is_that_of_a_slow_loop_over_pairs(rng, direction):
    p, _ = random_batch(rng, n=7, d=4, k=3)
    np.testing.assert_allclose(pairwise_dependence(p, direction=direction), slow_dependence(p, direction))


def test_dependence_of_certain_codes_is_the_information_between_their_positions(rng):
    p, symbols, _ = one_hot_batch(rng, n=60)
    expected = [mutual_info_score(symbols[:, i], symbols[:, j]) for i, j in [(0, 1), (0, 2), (1, 2)]]
    np.testing.assert_allclose(pairwise_dependence(p), expected)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_dependence_of_one_item_is_nothing(rng, direction):
    p, _ = random_batch(rng, n=1)
    np.testing.assert_allclose(pairwise_dependence(p, direction=direction), np.zeros(3), atol=1e-12)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_drawn_pairs_are_distinct_pairs_of_all(rng, direction):
    p, _ = random_batch(rng, d=5)
    everything = pairwise_dependence(p, direction=direction).numpy()
    drawn = pairwise_dependence(p, 6, direction, torch.Generator().manual_seed(1)).numpy()
    nearest = np.abs(drawn[:, None] - everything).argmin(1)
    np.testing.assert_allclose(drawn, everything[nearest])
    assert len(set(nearest)) == 6


def test_drawn_pairs_depend_on_the_generator_alone(rng):
    p, _ = random_batch(rng, d=6)
    state = torch.get_rng_state()
    draws = [pairwise_dependence(p, 3, generator=torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)]
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])
    assert torch.equal(torch.get_rng_state(), state)


def test_more_pairs_than_there_are_gives_all(rng):
    p, _ = random_batch(rng)
    assert torch.equal(pairwise_dependence(p, 100), pairwise_dependence(p))
    assert pairwise_dependence(p[:, :1]).shape == (0,)


MEASURES = {
    "mutual": mutual_information,
    "joint": joint_information,
    "code": lambda p, _: code_entropy(p).sum(),
    "conditional": lambda p, labels: conditional_entropy(p, labels).sum(),
    **{name: lambda p, _, name=name: pairwise_dependence(p, direction=name).sum() for name in DIRECTIONS},
    "drawn": lambda p, _: pairwise_dependence(p, 2, "both", torch.Generator().manual_seed(0)).sum(),
}
measures = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES.keys())


@measures
def test_gradients_are_the_numerical_ones(rng, measure):
    labels = torch.from_numpy(rng.integers(0, 3, 6))
    logits = torch.from_numpy(rng.normal(size=(6, 3, 3))).requires_grad_()
    assert torch.autograd.gradcheck(lambda logits: measure(logits.softmax(-1), labels), logits)


@measures
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("labels", [[0, 0, 1, 1, 1], [0, 1, 2, 3, 4], [0, 0, 0, 0, 1], [3, 3, 3, 3, 3], [2]], ids=str)
def test_certain_codes_give_finite_values_and_gradients(rng, measure, dtype, labels):
    labels = torch.tensor(labels)
    p = one_hot_batch(rng, n=len(labels))[0].to(dtype).requires_grad_()
    logits = (1e4 * torch.from_numpy(rng.normal(size=p.shape))).to(dtype).requires_grad_()
    for leaf, value in ((p, measure(p, labels)), (logits, measure(logits.softmax(-1), labels))):
        value.backward()
        assert value.isfinite()
        assert leaf.grad.isfinite().all()


def test_log_of_zero_is_finite_with_gradient_zero():
    p = torch.tensor([0.0, 0.5], requires_grad=True)
    safe_log(p).sum().backward()
    assert safe_log(p)[0].item() == pytest.approx(math.log(torch.finfo(torch.float32).tiny))
    assert p.grad.tolist() == [0, 2]


@pytest.mark.parametrize("shape", [(3, 2), (0, 2, 2), (1, 3, 2, 2)])
def test_probabilities_of_another_shape_are_refused(shape):
    for measure in MEASURES.values():
        with pytest.raises(InputError, match=r"shape \(N, d, k\)"):
            measure(torch.ones(shape), torch.zeros(shape[0]))


def test_wrong_labels_directions_and_sizes_are_refused(rng):
    p, labels = random_batch(rng)
    for measure in (mutual_information, joint_information, conditional_entropy, class_means):
        with pytest.raises(InputError, match="expected 30 labels"):
            measure(p, labels[1:])
    with pytest.raises(InputError, match="expected direction"):
        pairwise_dependence(p, direction="up")
    with pytest.raises(InputError, match="expected at least 1 pair"):
        pairwise_dependence(p, 0)
    with pytest.raises(InputError, match=r"at most 63 codewords to enumerate; got 4\*\*3"):
        joint_information(p, labels, max_codewords=63)
