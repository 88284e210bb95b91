import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec, Where

SPEC = CodeSpec(4, 3)
NAMES = [f"name {number}" for number in range(30)]


@pytest.fixture(params=["int", "str"])
def filled(request, rng, slow_index):
    """An index of several segments, with items removed, and its slow twin."""
    index = CodeIndex(SPEC)
    for first, size in ((0, 200), (1000, 90), (5000, 1)):
        ids = first + rng.permutation(3 * size)[:size]
        symbols, numbers = rng.integers(0, 4, (size, 3)), rng.integers(0, 30, size)
        labels = numbers.tolist() if request.param == "int" else [NAMES[number] for number in numbers]
        index.add(symbols, ids, labels)
        slow_index.add(symbols, ids, labels)
    gone = index.ids[::7]
    index.remove(gone)
    slow_index.remove(gone)
    return index, slow_index, (lambda numbers: numbers if request.param == "int" else [NAMES[n] for n in numbers])


@pytest.mark.parametrize("ids", [None, range(0, 2000, 3), [7, 7, 123456], []])
@pytest.mark.parametrize("labels", [None, [3], [1, 2, 28, 5], range(0, 30, 2), []])
@pytest.mark.parametrize("not_ids", [None, range(0, 700), []])
def test_all_conditions_hold(filled, draw_log_probs, ids, labels, not_ids):
    index, slow, named = filled
    names = None if labels is None else named(list(labels))

    def allowed(item, label):
        return (
            (ids is None or item in ids)
            and (names is None or label in names)
            and (not_ids is None or item not in not_ids)
        )

    log_probs = draw_log_probs(3, 4, tied=True)
    found = index.search(log_probs, 50, where=Where(ids=ids, labels=names, not_ids=not_ids))
    expected_ids, expected_scores = slow.search(log_probs, 50, allowed)
    assert found.ids.tolist() == expected_ids
    assert found.scores.tolist() == expected_scores
    assert found.labels.tolist() == [slow.labels[item] for item in expected_ids]


def test_a_single_label_needs_no_list(filled, draw_log_probs):
    index, _, named = filled
    one = named([3])[0]
    log_probs = draw_log_probs(3, 4)
    assert set(index.search(log_probs, where=Where(labels=one)).labels.tolist()) == {one}


def test_labels_the_index_does_not_hold_match_nothing(filled, draw_log_probs):
    index, _, named = filled
    unknown = "nobody" if isinstance(named([0])[0], str) else 999
    assert index.search(draw_log_probs(3, 4), where=Where(labels=unknown)).ids.tolist() == []


def test_a_filter_does_not_stay_with_the_index(filled, draw_log_probs):
    index, _, _ = filled
    log_probs = draw_log_probs(3, 4)
    before = index.search(log_probs).ids
    index.search(log_probs, where=Where(ids=[1]))
    assert np.array_equal(index.search(log_probs).ids, before)


def test_a_numpy_string_or_integer_is_one_label(filled, draw_log_probs):
    index, _, named = filled
    one = np.array(named([3]))[0]
    assert set(index.search(draw_log_probs(3, 4), where=Where(labels=one)).labels.tolist()) == {one.item()}
