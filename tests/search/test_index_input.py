"""What a caller may pass wrong: each gives one line and leaves the index as it was."""

import numpy as np
import pytest
import torch

from dimco import CodeIndex, Codes, CodeSpec, Where
from dimco.errors import InputError

SPEC = CodeSpec(5, 3)
FINE = np.zeros((3, 5), dtype=np.float32)


@pytest.fixture
def index():
    index = CodeIndex(SPEC)
    index.add([[0, 1, 2], [3, 4, 0]], labels=["a", "b"])
    return index


def with_entry(value):
    table = FINE.copy()
    table[1, 2] = value
    return table


@pytest.mark.parametrize(
    ("log_probs", "message"),
    [
        (np.zeros((3, 4)), r"expected log probabilities of shape \(3, 5\) or \(Q, 3, 5\) for 5x3; got \(3, 4\)"),
        (np.zeros((1, 1, 3, 5)), r"got \(1, 1, 3, 5\)"),
        (np.zeros(5), r"got \(5,\)"),
        (np.zeros((0, 3, 5)), "at least one query"),
        (with_entry(np.nan), "finite or -infinity; got NaN"),
        (with_entry(np.inf), r"finite or -infinity; got \+infinity"),
        (with_entry(0).astype(np.float64) + 1e300, r"got \+infinity"),
        (np.array([["a"] * 5] * 3), "as numbers; got <U1"),
        (FINE.astype(np.complex64), "as numbers; got complex64"),
    ],
)
def test_log_probs(index, log_probs, message):
    with pytest.raises(InputError, match=message):
        index.search(log_probs)
    if log_probs.dtype.kind == "f":
        with pytest.raises(InputError, match=message):
            index.search(torch.tensor(log_probs))


def test_rows_of_different_lengths(index):
    for wrong in (lambda: index.search([[0.0], [0.0, 1.0]]), lambda: index.add([[0, 1, 2], [0]])):
        with pytest.raises(InputError, match="got rows of different lengths"):
            wrong()
    with pytest.raises(InputError, match="expected ids as an array; got rows of different lengths"):
        index.remove([[0], [0, 1]])


def test_minus_infinity_is_allowed_and_ranks_last(index):
    found = index.search(np.where(np.arange(5) == 3, -np.inf, FINE))
    assert found.ids.tolist() == [0, 1]
    assert found.scores.tolist() == [0, -np.inf]


@pytest.mark.parametrize("n", [0, -1, 1.0, True, "3", None])
def test_n(index, n):
    with pytest.raises(InputError, match="expected n to be an integer of at least 1"):
        index.search(FINE, n)


def test_numpy_integers_are_integers(index):
    assert len(index.search(FINE, np.int32(1)).ids) == 1


def test_a_kernel_that_does_not_exist(index):
    with pytest.raises(InputError, match="kernel"):
        index.search(FINE, kernel="abacus")


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([[0, 1]], r"expected symbols of shape \(N, 3\) for 5x3; got \(1, 2\)"),
        ([0, 1, 2], r"got \(3,\)"),
        ([[0, 1, 5]], "expected symbols from 0 to 4; got 0 to 5"),
        ([[0, -1, 2]], "got -1 to 2"),
        ([[0.0, 1.0, 2.0]], "expected integer symbols; got float64"),
        (Codes([[0, 1, 2]], CodeSpec(6, 3)), "expected codes of 5x3, as in the index; got 6x3"),
    ],
)
def test_codes(index, codes, message):
    with pytest.raises(InputError, match=message):
        index.add(codes, labels=["a"])
    with pytest.raises(InputError, match=message):
        index.update([0], codes)
    assert len(index) == 2


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([7], "expected 2 ids, one an item; got 1"),
        ([7, 7], "expected every id once; got 7 more than once"),
        ([7, 1], "holds an item with id 1"),
        ([7, -1], "expected ids from 0 to"),
        ([7, 2**63 - 1], "expected ids from 0 to"),
        ([7, 2**64], "ids"),
        ([7.0, 8.0], "expected ids as a list of integers; got float64"),
        ([[7, 8]], r"of shape \(1, 2\)"),
        (["7", "8"], "got <U1"),
        ([True, False], "got bool"),
    ],
)
def test_ids(index, ids, message):
    with pytest.raises(InputError, match=message):
        index.add([[0, 0, 0], [1, 1, 1]], ids=ids, labels=["a", "b"])
    assert len(index) == 2
    assert index.add([[0, 0, 0]], labels=["a"]).tolist() == [2]


@pytest.mark.parametrize("change", ["remove", "update", "reconstruct"])
def test_unknown_ids(index, change):
    arguments = [[1, 9], [[0, 0, 0]] * 2] if change == "update" else [[1, 9]]
    with pytest.raises(InputError, match="it holds no item with id 9"):
        getattr(index, change)(*arguments)
    assert len(index) == 2


def test_an_item_cannot_be_removed_or_updated_twice_in_one_call(index):
    with pytest.raises(InputError, match="every id once; got 1"):
        index.remove([1, 1])
    with pytest.raises(InputError, match="every id once; got 0"):
        index.update([0, 0], [[0, 0, 0], [1, 1, 1]])


def test_an_item_is_removed_once(index):
    index.remove([1])
    with pytest.raises(InputError, match="no item with id 1"):
        index.remove([1])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"], r"expected 2 labels, one an item; got shape \(1,\)"),
        ([["a"], ["b"]], "expected labels that are all integers or all strings; got list"),
        (["a", 1], "all integers or all strings; got int and str"),
        ([1, None], "got NoneType and int"),
        ([True, False], "got bool"),
        ([1.5, 2.5], "got float"),
        (np.array([1.5, 2.5]), "expected labels that are integers or strings; got float64"),
        (np.array([1, 2**64 - 1], dtype=np.uint64), "at most 64 bits"),
        ([1, 2**70], "at most 64 bits"),
        ([1, 2], "expected labels of type str, as the items in the index have; got type int"),
        (None, "expected labels of type str, as the items in the index have; got none"),
    ],
)
def test_labels(index, labels, message):
    with pytest.raises(InputError, match=message):
        index.add([[0, 0, 0], [1, 1, 1]], labels=labels)
    assert len(index) == 2


def test_labels_for_some_items_only():
    plain = CodeIndex(SPEC)
    plain.add([[0, 0, 0]])
    with pytest.raises(InputError, match="expected no labels, as the items in the index have; got type str"):
        plain.add([[0, 0, 0]], labels=["a"])


def test_an_index_that_became_empty_takes_labels_of_another_type(index):
    index.remove([0, 1])
    index.add([[0, 0, 0]], labels=[3])
    assert index.labels.tolist() == [3]


def test_nothing_may_be_added(index):
    assert index.add(np.empty((0, 3), int)).tolist() == []
    assert index.add([], ids=[], labels=[]).tolist() == []
    index.remove([])
    index.update([], [])
    assert len(index) == 2


@pytest.mark.parametrize("condition", [{"ids": [1.5]}, {"not_ids": ["a"]}, {"ids": [-1]}, {"labels": [1.5]}])
def test_filters(condition):
    with pytest.raises(InputError, match="expected"):
        Where(**condition)


def test_a_filter_by_labels_of_another_type(index):
    with pytest.raises(InputError, match="it has labels of type str; got type int"):
        index.search(FINE, where=Where(labels=3))
    plain = CodeIndex(SPEC)
    plain.add([[0, 0, 0]])
    with pytest.raises(InputError, match="it has no labels; got type str"):
        plain.search(FINE, where=Where(labels="a"))
