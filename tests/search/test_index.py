import doctest

import numpy as np
import pytest
import torch

import dimco.search.index
import dimco.search.where
from dimco import CodeIndex, Codes, CodeSpec, Where
from dimco.errors import InputError

SPEC = CodeSpec(5, 3)


def test_the_examples_run():
    for module in (dimco.search.index, dimco.search.where):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("code", ["2x9", "3x4", "16x4", "64x3", "256x2", "1000x2"])
@pytest.mark.parametrize("tied", [True, False])
def test_a_search_finds_what_the_slow_index_finds(rng, slow_index, draw_log_probs, code, tied):
    spec = CodeSpec.parse(code)
    index = CodeIndex(spec)
    for size in (1, 70, 130, 3):
        symbols = rng.integers(0, spec.k, (size, spec.d))
        index.add(symbols)
        slow_index.add(symbols)
    index.remove([0, 50, 203])
    slow_index.remove([0, 50, 203])
    log_probs = draw_log_probs(4, spec.d, spec.k, tied=tied)
    for n in (1, 7, 300):
        found = index.search(log_probs, n)
        for query in range(4):
            ids, scores = slow_index.search(log_probs[query], n)
            assert found.ids[query].tolist() == ids
            assert found.scores[query].tolist() == scores
    assert found.ids.shape == found.scores.shape == (4, 201)


def test_one_query_gives_flat_results(rng, draw_log_probs):
    index = CodeIndex(SPEC)
    index.add(rng.integers(0, 5, (20, 3)), labels=[7] * 20)
    log_probs = draw_log_probs(3, 5)
    one, many = index.search(log_probs, 4), index.search(log_probs[None], 4)
    assert one.ids.shape == one.scores.shape == one.labels.shape == (4,)
    assert np.array_equal(one.ids, many.ids[0])
    assert np.array_equal(one.labels, [7] * 4)


def test_queries_may_be_tensors_arrays_or_lists(rng, draw_log_probs):
    index = CodeIndex(SPEC)
    index.add(rng.integers(0, 5, (20, 3)))
    log_probs = draw_log_probs(2, 3, 5)
    expected = index.search(log_probs)
    for same in (torch.tensor(log_probs, requires_grad=True), log_probs.astype(np.float64), log_probs.tolist()):
        assert np.array_equal(index.search(same).scores, expected.scores)
    assert index.search(torch.tensor(log_probs).bfloat16()).ids.shape == (2, 10)
    assert index.search(np.asfortranarray(log_probs)).ids.tolist() == expected.ids.tolist()


def test_an_empty_index_finds_nothing(draw_log_probs):
    index = CodeIndex(SPEC)
    found = index.search(draw_log_probs(2, 3, 5))
    assert found.ids.shape == found.scores.shape == (2, 0)
    assert found.labels is None
    assert index.search(draw_log_probs(3, 5), where=Where(ids=[3], labels="a", not_ids=[2])).ids.shape == (0,)
    assert len(index) == 0
    assert index.ids.tolist() == []
    assert index.labels is None
    index.compact()
    assert len(index) == 0


def test_codes_and_arrays_add_the_same(rng):
    symbols = rng.integers(0, 5, (100_001, 3))
    packed, plain = CodeIndex(SPEC), CodeIndex(SPEC)
    order = rng.permutation(100_001)
    packed.add(Codes(symbols, SPEC), ids=order)
    plain.add(symbols, ids=order)
    assert np.array_equal(packed.reconstruct(order), symbols)
    assert np.array_equal(plain.reconstruct(order), symbols)


def test_ids_are_consecutive_after_the_largest_ever_used():
    index = CodeIndex(SPEC)
    assert index.add(np.zeros((2, 3), int)).tolist() == [0, 1]
    assert index.add(np.zeros((1, 3), int), ids=[40]).tolist() == [40]
    index.remove([40])
    assert index.add(np.zeros((2, 3), int)).tolist() == [41, 42]
    index.add(np.zeros((1, 3), int), ids=[2**63 - 2])
    with pytest.raises(InputError, match="none are left"):
        index.add(np.zeros((1, 3), int))


def test_a_removed_id_may_be_used_again():
    index = CodeIndex(SPEC)
    index.add([[1, 1, 1], [2, 2, 2]])
    index.remove([0])
    index.add([[3, 3, 3]], ids=[0])
    assert index.reconstruct([0, 1]).tolist() == [[3, 3, 3], [2, 2, 2]]


def test_an_update_keeps_the_labels_unless_others_are_given():
    index = CodeIndex(SPEC)
    index.add([[1, 1, 1], [2, 2, 2], [3, 3, 3]], labels=["a", "b", "c"])
    index.update([2, 0], [[4, 4, 4], [0, 0, 0]])
    assert index.reconstruct([0, 1, 2]).tolist() == [[0, 0, 0], [2, 2, 2], [4, 4, 4]]
    assert index.labels.tolist() == ["a", "b", "c"]
    index.update([0, 1, 2], [[1, 1, 1]] * 3, ["x", "y", "z"])
    assert index.labels.tolist() == ["x", "y", "z"]


def test_reconstruct_gives_one_codeword_or_many():
    index = CodeIndex(SPEC)
    index.add([[1, 2, 3], [4, 0, 1]])
    assert index.reconstruct(1).tolist() == [4, 0, 1]
    assert index.reconstruct([1, 0]).tolist() == [[4, 0, 1], [1, 2, 3]]
    assert index.reconstruct([]).shape == (0, 3)


@pytest.mark.parametrize("labels", [["a", "é", ""], [3, -(2**40), 3], None])
def test_a_merge_adds_all_items_with_their_ids_and_labels(slow_index, labels):
    first, second = CodeIndex(SPEC), CodeIndex(SPEC)
    for index, ids in ((first, [1, 5, 3]), (second, [2, 9, 4])):
        codes = [[item % 5] * 3 for item in ids]
        index.add(codes, ids, labels if labels is None else labels[::-1])
        slow_index.add(codes, ids, labels if labels is None else labels[::-1])
    second.remove([9])
    slow_index.remove([9])
    first.merge(second)
    slow_index.same_as(first)
    assert first.add([[0, 0, 0]], labels=labels and labels[:1]).tolist() == [10]


def test_a_merge_with_items_that_share_ids_or_differ_in_kind_changes_nothing():
    first, second, labelled = CodeIndex(SPEC), CodeIndex(SPEC), CodeIndex(SPEC)
    first.add([[1, 1, 1]])
    second.add([[1, 1, 1]])
    labelled.add([[1, 1, 1]], ids=[7], labels=["a"])
    with pytest.raises(InputError, match="holds an item with id 0"):
        first.merge(second)
    with pytest.raises(InputError, match="expected no labels"):
        first.merge(labelled)
    with pytest.raises(InputError, match="expected an index of 5x3; got one of 5x2"):
        first.merge(CodeIndex(CodeSpec(5, 2)))
    assert len(first) == 1


def test_compaction_keeps_all_items_in_one_segment(rng, slow_index):
    index = CodeIndex(SPEC)
    for size in (300, 40, 1):
        symbols, ids = rng.integers(0, 5, (size, 3)), rng.permutation(10_000)[:size] + 10_000 * size
        labels = [f"label {item % 9}" for item in ids]
        index.add(symbols, ids, labels)
        slow_index.add(symbols, ids, labels)
    gone = index.ids[::3]
    index.remove(gone)
    slow_index.remove(gone)
    before = index.nbytes
    index.compact()
    slow_index.same_as(index)
    assert index.nbytes < before
    assert len(index._snapshot.segments) == 1


def test_nbytes_counts_what_items_take(rng):
    index = CodeIndex(CodeSpec(16, 16))
    index.add(rng.integers(0, 16, (6400, 16)))
    assert index.nbytes == 6400 * 8
    assert repr(index) == "CodeIndex(6400 items of 16x16, 51200 bytes)"


def test_many_single_adds_make_few_segments():
    index = CodeIndex(CodeSpec(2, 1))
    for _ in range(1000):
        index.add([[1]])
    assert len(index._snapshot.segments) <= 10


@pytest.mark.parametrize("kind", [None, "int", "str"])
@pytest.mark.parametrize("seed", range(6))
def test_any_sequence_of_changes_gives_what_the_slow_index_holds(tmp_path, slow_index, kind, seed):
    rng = np.random.default_rng(seed)
    index, path = CodeIndex(SPEC), tmp_path / "index"

    def labels(count):
        numbers = rng.integers(0, 30, count)
        return {None: None, "int": numbers.tolist(), "str": [f"name {number}" for number in numbers]}[kind]

    for _ in range(60):
        held = np.array(sorted(slow_index.codes), dtype=np.int64)
        some = rng.permutation(held)[: rng.integers(0, len(held) // 2 + 1)]
        count = int(rng.choice([0, 1, 3, 64, 100]))
        symbols, given = rng.integers(0, 5, (count, 3)), labels(count)
        match rng.choice(["add", "add ids", "remove", "update", "compact", "save", "open"]):
            case "add":
                index.add(symbols, labels=given)
                slow_index.add(symbols, labels=given)
            case "add ids":
                ids = np.setdiff1d(rng.permutation(5000), held)[: len(symbols)]
                index.add(symbols[: len(ids)], rng.permutation(ids), given)
                slow_index.add([index.reconstruct(item) for item in ids], ids, _by_id(index, ids))
            case "remove":
                index.remove(some)
                slow_index.remove(some)
            case "update":
                other = rng.integers(0, 5, (len(some), 3))
                kept = _by_id(index, some)
                index.update(some, other)
                slow_index.add(other, some, kept)
            case "compact":
                index.compact()
            case "save":
                index.save(path)
            case "open":
                index.save(path)
                index = CodeIndex.open(path)
        slow_index.same_as(index)


def _by_id(index, ids):
    if index.labels is None:
        return None
    labels = dict(zip(index.ids.tolist(), index.labels.tolist(), strict=True))
    return [labels[item] for item in ids]
