"""Every rule against a slow loop that spells out its sum."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from dimco.classify import VotingCodes, knn_votes
from dimco.code_heads.distance import DistanceHead
from dimco.errors import InputError
from dimco.fewshot.rules import Rule, class_distributions, similarities
from dimco.spec import CodeSpec

WAYS, D, K = 3, 4, 5
LABELS = torch.tensor([0, 1, 1, 2, 2, 2])
NAMES = ("nearest", "product", "counts", "mean", "match", "centroid")


@pytest.fixture
def log_probs():
    """Support (6, d, k) and queries (7, d, k)."""
    drawn = torch.randn(13, D, K, generator=torch.Generator().manual_seed(0)).mul(2).log_softmax(-1)
    return drawn[:6], drawn[6:]


def flattened(log_p, temperature):
    """Probabilities (items, d, k) as lists, after the temperature."""
    found = []
    for item in log_p.tolist():
        rows = [[math.exp(value / temperature) for value in row] for row in item]
        found.append([[value / sum(row) for value in row] for row in rows])
    return found


def slow_distribution(items, classes, way, concentration, i, s):
    of_class = [item[i][s] for item, label in zip(items, classes, strict=True) if label == way]
    base = (sum(item[i][s] for item in items) + 1 / K) / (len(items) + 1)
    return (sum(of_class) + concentration * base) / (len(of_class) + concentration)


def eq8(p, code):
    return sum(math.log(p[i][code[i]]) for i in range(D))


def slow_scores(rule, support, query):
    stored, asked = flattened(support, rule.temperature), flattened(query, rule.temperature)
    codes = [[row.index(max(row)) for row in item] for item in stored]
    hard = [[[float(s == code[i]) for s in range(K)] for i in range(D)] for code in codes]
    classes = LABELS.tolist()

    def spread(way):
        members = [item for item, label in enumerate(classes) if label == way]
        lost = [eq8(stored[a], codes[a]) - eq8(stored[a], codes[b]) for a in members for b in members]
        return sum(lost) / len(lost)

    out = []
    for p in asked:
        of_items = [eq8(p, code) for code in codes]
        row = []
        for way in range(WAYS):
            mine = [score for score, label in zip(of_items, classes, strict=True) if label == way]
            items = hard if rule.name == "counts" else stored
            m = [[slow_distribution(items, classes, way, rule.concentration, i, s) for s in range(K)] for i in range(D)]
            likelihood = sum(p[i][s] * math.log(m[i][s]) for i in range(D) for s in range(K))
            row.append(
                {
                    "nearest": max(mine),
                    "product": sum(mine) / len(mine),
                    "counts": likelihood,
                    "mean": likelihood,
                    "centroid": sum(mine) / len(mine) + spread(way) / 2,
                    "match": sum(math.log(sum(p[i][s] * m[i][s] for s in range(K))) for i in range(D)),
                }[rule.name]
            )
        out.append(row)
    return out


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("concentration", "temperature"), [(1.0, 1.0), (0.2, 3.0), (5.0, 0.5)])
def test_scores_are_those_of_a_slow_loop(log_probs, name, concentration, temperature):
    support, query = log_probs
    rule = Rule(name, concentration, temperature)
    scores = rule.scores(rule.stored(support), LABELS, rule.asked(query), WAYS)
    np.testing.assert_allclose(scores.numpy(), slow_scores(rule, support, query), rtol=1e-4)


def test_centroid_is_the_distance_to_the_mean_of_what_codes_of_a_distance_head_stand_for():
    head = DistanceHead.from_features(torch.randn(300, 12, generator=torch.Generator().manual_seed(2)), CodeSpec(K, D))
    codes = torch.randint(K, (6, D), generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        support, query = head.decode(codes), torch.randn(7, 12, generator=torch.Generator().manual_seed(4))
        stored, asked = (head.logits(z).log_softmax(-1) for z in (support, query))
        beta = head.log_beta.exp()
    assert torch.equal(stored.argmax(-1), codes)
    scores = Rule("centroid").scores(stored, LABELS, asked, WAYS)
    means = torch.stack([support[way == LABELS].mean(0) for way in range(WAYS)])
    of_query = scores + beta * (query[:, None] - means).square().sum(-1)
    torch.testing.assert_close(of_query, of_query[:, :1].expand_as(of_query), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_episodes_at_once_score_as_each_alone(name):
    drawn = torch.randn(4, 13, D, K, generator=torch.Generator().manual_seed(1)).log_softmax(-1)
    rule = Rule(name)
    stored, asked = rule.stored(drawn[:, :6]), rule.asked(drawn[:, 6:])
    together = rule.scores(stored, LABELS, asked, WAYS)
    assert together.shape == (4, 7, WAYS)
    for episode in range(4):
        alone = rule.scores(stored[episode], LABELS, asked[episode], WAYS)
        torch.testing.assert_close(together[episode], alone)


def test_nearest_agrees_with_a_vote_of_one_neighbour(log_probs):
    support, query = log_probs
    rule = Rule("nearest")
    scores = rule.scores(rule.stored(support), LABELS, rule.asked(query), WAYS)
    voting = VotingCodes.from_items(support.argmax(-1).numpy(), LABELS.numpy(), WAYS)
    np.testing.assert_array_equal(scores.argmax(-1).numpy(), knn_votes(query, voting, neighbours=1).argmax(1))


def test_equal_codes_score_exactly_equal():
    generator = torch.Generator().manual_seed(2)
    log_p = torch.randn(3, 9, 33, 7, generator=generator).log_softmax(-1)
    codes = torch.randint(7, (3, 1, 33), generator=generator).expand(3, 8, 33)
    found = similarities(codes, log_p)
    assert found.shape == (3, 9, 8)
    assert (found == found[..., :1]).all()


def test_with_one_item_a_class_the_product_is_the_paper_s_rule(log_probs):
    support, query = log_probs
    labels = torch.arange(3)
    nearest, product = (
        rule.scores(rule.stored(support[:3]), labels, rule.asked(query), WAYS)
        for rule in (Rule("nearest"), Rule("product"))
    )
    torch.testing.assert_close(nearest, product)


def test_distributions_sum_to_one_and_a_strong_prior_makes_them_equal(log_probs):
    p = log_probs[0].exp()
    for concentration in (0.01, 1.0, 1e6):
        torch.testing.assert_close(class_distributions(p, LABELS, WAYS, concentration).sum(-1), torch.ones(WAYS, D))
    means = class_distributions(p, LABELS, WAYS, 1e6)
    torch.testing.assert_close(means, means[:1].expand_as(means), rtol=1e-4, atol=1e-4)


def test_several_items_of_a_class_say_more_than_the_nearest_of_them():
    """Noisy items of two classes: what is aggregated classifies better than the paper's rule."""
    rng = np.random.default_rng(0)
    prototypes = rng.normal(size=(2, 16, 4))
    labels = np.arange(4_000) % 2
    log_p = torch.from_numpy(prototypes[labels] + 2 * rng.normal(size=(4_000, 16, 4))).log_softmax(-1)
    right = {}
    for name in NAMES:
        rule, hits = Rule(name), 0
        for start in range(0, 4_000, 20):
            block = log_p[start : start + 20]
            support, query = block[:10], block[10:]
            scores = rule.scores(rule.stored(support), torch.arange(10) % 2, rule.asked(query), 2)
            hits += int((scores.argmax(-1) == torch.arange(10) % 2).sum())
        right[name] = hits / 2_000
    assert min(right[name] for name in NAMES[1:]) > right["nearest"] > 0.6


def test_codes_are_all_that_the_paper_s_rule_and_the_counts_store(log_probs):
    for name in NAMES:
        stored = Rule(name).stored(log_probs[0])
        assert stored.shape == ((6, D) if Rule(name).stores_codes else (6, D, K))
    assert [Rule(name).stores_codes for name in NAMES] == [True, True, True, False, False, False]


def test_rules_that_cannot_be_are_refused():
    with pytest.raises(
        InputError, match="expected a rule of nearest, product, counts, mean, match, centroid; got 'best'"
    ):
        Rule("best")
    with pytest.raises(InputError, match="expected a concentration above 0; got 0"):
        Rule("mean", concentration=0)
    with pytest.raises(InputError, match="expected a temperature above 0; got inf"):
        Rule("mean", temperature=float("inf"))
