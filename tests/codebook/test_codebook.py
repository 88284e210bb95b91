"""Codebook: what symbols mean, against loops over the items."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.metrics import mutual_info_score

from dimco.codebook import Codebook
from dimco.errors import InputError


@pytest.fixture
def codebook(model, blobs, names):
    return Codebook(model, blobs.x, blobs.labels, names)


@pytest.fixture
def symbols(model, blobs):
    return model.encode(blobs.x).unpack()


@pytest.fixture
def p(model, blobs):
    return model.log_probs(blobs.x).double().exp().numpy()


def test_the_summary_has_a_record_a_symbol(codebook, symbols, blobs, names):
    records = codebook.summary(top=2)
    assert [(record["position"], record["symbol"]) for record in records] == list(np.ndindex(3, 4))
    for record in records:
        has = symbols[:, record["position"]] == record["symbol"]
        assert (record["items"], record["usage"], record["dead"]) == (has.sum(), has.mean(), not has.any())
        assert record["information"] == pytest.approx(mutual_info_score(has, blobs.labels) / np.log(2), abs=1e-12)
        counts = {names[c]: int((blobs.labels[has] == c).sum()) for c in range(3)}
        slow = sorted((name for name in names if counts[name]), key=lambda name: -counts[name])[:2]
        assert [entry["class"] for entry in record["top_classes"]] == slow
        for entry in record["top_classes"]:
            assert entry["share"] == pytest.approx(counts[entry["class"]] / has.sum())
            assert entry["lift"] == pytest.approx(3 * entry["share"])


def test_dead_symbols_have_no_classes(model, blobs):
    model.head.layers[1].bias.data[2] = -1e6
    record = Codebook(model, blobs.x, blobs.labels).summary()[2]
    assert record == {
        "position": 0,
        "symbol": 2,
        "items": 0,
        "usage": 0.0,
        "dead": True,
        "information": 0.0,
        "top_classes": [],
    }


def test_a_symbol_shows_the_items_of_highest_probability(codebook, symbols, p, blobs, names):
    page = codebook.symbol(1, 3, top=5)
    np.testing.assert_allclose(page.probabilities, np.sort(p[:, 1, 3])[::-1][:5], rtol=2e-3)
    np.testing.assert_allclose(page.probabilities, p[page.items, 1, 3], rtol=2e-3)
    given = blobs.labels[symbols[:, 1] == 3]
    assert page.given == len(given)
    assert page.histogram == {name: n for c, name in enumerate(names) if (n := (given == c).sum())}
    assert list(page.histogram.values()) == sorted(page.histogram.values(), reverse=True)


def test_combinations_rank_by_the_sum_of_log_p(codebook, symbols, p, blobs):
    found = codebook.combine({0: 1, 2: 3}, {1: [0, 2]}, top=4)
    slow = np.log(p[:, 0, 1] * p[:, 2, 3] * (1 - p[:, 1, 0]) * (1 - p[:, 1, 2]))
    np.testing.assert_allclose(found.scores, np.sort(slow)[::-1][:4], rtol=2e-3, atol=2e-3)
    np.testing.assert_allclose(found.scores, slow[found.items], rtol=2e-3, atol=2e-3)
    match = (symbols[:, 0] == 1) & (symbols[:, 2] == 3) & ~np.isin(symbols[:, 1], [0, 2])
    assert found.matches == match.sum()
    assert sum(found.histogram.values()) == match.sum()


def test_a_combination_may_be_of_exclusions_alone(codebook, symbols, p):
    found = codebook.combine({}, {0: 2})
    assert found.matches == (symbols[:, 0] != 2).sum()
    assert (p[found.items, 0, 2] <= np.sort(p[:, 0, 2])[10]).all()


def test_examples_are_the_top_items_of_every_symbol(codebook):
    examples = codebook.examples(4)
    assert examples.shape == (3, 4, 4)
    for position, symbol in np.ndindex(3, 4):
        np.testing.assert_array_equal(examples[position, symbol], codebook.symbol(position, symbol, 4).items)


def test_learned_symbols_name_their_class(fitted, blobs, names):
    codebook = Codebook(fitted, blobs.x, blobs.labels, names)
    classes = {codebook.combine({0: a, 1: b}).purity for a, b in np.unique(codebook.codes.unpack(), axis=0)}
    assert classes == {1.0}
    assert codebook.position_information().max() > 0.9


@pytest.mark.parametrize("keep_bytes", [0, 1 << 28])
@pytest.mark.parametrize("batch_size", [7, 8_192])
def test_answers_do_not_depend_on_what_is_kept(model, blobs, codebook, keep_bytes, batch_size, tmp_path):
    np.save(tmp_path / "x.npy", blobs.x)
    x = np.load(tmp_path / "x.npy", mmap_mode="r")
    other = Codebook(model, x, blobs.labels, codebook.classes, keep_bytes=keep_bytes, batch_size=batch_size)
    assert other.codes == codebook.codes
    assert other.summary() == codebook.summary()
    np.testing.assert_array_equal(other.examples(3), codebook.examples(3))
    assert other.combine({0: 1}, {2: 2}).items.tolist() == codebook.combine({0: 1}, {2: 2}).items.tolist()


def test_without_labels_there_is_usage_alone(model, blobs):
    codebook = Codebook(model, torch.from_numpy(blobs.x))
    assert set(codebook.summary()[0]) == {"position", "symbol", "items", "usage", "dead"}
    assert codebook.symbol(0, 0).histogram == {}
    assert codebook.combine({0: 0}).histogram == {}
    assert codebook.pairwise_information().shape == (3, 3)
    with pytest.raises(InputError, match="expected labels"):
        codebook.position_information()


def test_labels_name_themselves(model, blobs, names):
    assert Codebook(model, blobs.x, names[blobs.labels]).classes == names.tolist()
    assert Codebook(model, blobs.x, blobs.labels + 5).classes == [5, 6, 7]


def test_information_is_in_bits(codebook, symbols):
    found = codebook.pairwise_information()
    assert found[0, 1] == pytest.approx(mutual_info_score(symbols[:, 0], symbols[:, 1]) / np.log(2))
    assert codebook.total_correlation().items == 60


@pytest.mark.parametrize(
    ("labels", "classes", "message"),
    [
        (np.zeros(59), None, "expected 60 labels"),
        (np.arange(60), ["a", "b"], "expected labels from 0 to 1, one for each class name; got 0 to 59"),
        (np.arange(60) - 1, list("ab"), "got -1 to 58"),
        (np.repeat("a", 60), ["a"], "got a to a"),
    ],
)
def test_labels_that_do_not_fit_are_refused(model, blobs, labels, classes, message):
    with pytest.raises(InputError, match=message):
        Codebook(model, blobs.x, labels, classes)


def test_nothing_to_show_is_refused(codebook):
    with pytest.raises(InputError, match="at least 1 item to show; got 0"):
        codebook.symbol(0, 0, top=0)
    with pytest.raises(InputError, match="at least 1 item to show; got 0"):
        codebook.examples(0)


def test_items_that_cannot_be_encoded_are_refused(model, blobs):
    with pytest.raises(InputError, match="at least one item"):
        Codebook(model, blobs.x[:0])
    with pytest.raises(InputError, match="expected 6 features, as in training; got 5"):
        Codebook(model, blobs.x[:, :5])
    blobs.x[41, 2] = np.nan
    with pytest.raises(InputError, match="row 41 holds NaN"):
        Codebook(model, blobs.x, batch_size=8)
