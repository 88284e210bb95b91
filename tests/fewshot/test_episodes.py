"""Episodes: what is drawn, and that it is the same for everybody."""

import numpy as np
import pytest

from dimco.errors import InputError
from dimco.fewshot.episodes import draw_episodes

LABELS = np.random.default_rng(1).permutation(np.repeat([3, 5, 7, 11, 13, 17], 9))


def test_support_and_query_are_different_items_of_the_episode_s_classes():
    episodes = draw_episodes(LABELS, ways=4, shots=3, queries=5, episodes=50)
    assert (len(episodes), episodes.ways, episodes.shots) == (50, 4, 3)
    for support, query in zip(episodes.support, episodes.query, strict=True):
        assert len(set(support) | set(query)) == 4 * (3 + 5)
        of_ways = LABELS[support].reshape(4, 3)
        assert (of_ways == of_ways[:, :1]).all()
        assert len(set(of_ways[:, 0])) == 4
        np.testing.assert_array_equal(LABELS[query].reshape(4, 5), np.repeat(of_ways[:, :1], 5, 1))
        np.testing.assert_array_equal(LABELS[support], of_ways[:, 0][episodes.support_ways])
        np.testing.assert_array_equal(LABELS[query], of_ways[:, 0][episodes.query_ways])


def test_every_class_and_every_item_has_its_turn():
    episodes = draw_episodes(LABELS, ways=3, shots=1, queries=2, episodes=600)
    drawn = np.bincount(np.concatenate([episodes.support, episodes.query], 1).reshape(-1), minlength=len(LABELS))
    expected = 600 * 3 * 3 / len(LABELS)
    assert 0.6 * expected < drawn.min() < drawn.max() < 1.4 * expected


def test_the_same_arguments_draw_the_same_episodes():
    first, again, other = (draw_episodes(LABELS, 3, 2, 4, 20, seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first.support, again.support)
    np.testing.assert_array_equal(first.query, again.query)
    assert (first.support != other.support).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ways": 7}, "expected at least 7 classes for 7-way episodes; got 6"),
        ({"shots": 4, "queries": 6}, r"expected 4 \+ 6 items of each class; the smallest has 9"),
        ({"ways": 1}, "expected ways of at least 2; got 1"),
        ({"shots": 0}, "expected shots of at least 1; got 0"),
        ({"episodes": 0}, "expected episodes of at least 1; got 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        draw_episodes(LABELS, **{"ways": 3, "shots": 1, "queries": 2, **arguments})
