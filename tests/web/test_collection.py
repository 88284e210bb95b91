"""Collections: which items they hold, and what does not belong together."""

from __future__ import annotations

import numpy as np
import pytest

from dimco import CodeIndex
from dimco.errors import InputError
from dimco.web.collection import Collection

NAMES = ["ash", "birch", "cedar <b>"]


def test_items_keep_their_ids_labels_and_rows(with_pictures, known):
    x, labels, model = known
    ids = np.delete(np.arange(90), [0, 17])
    np.testing.assert_array_equal(with_pictures.ids, ids)
    np.testing.assert_array_equal(with_pictures.symbols, model.encode(x[ids]).unpack())
    assert [with_pictures.label(place) for place in range(88)] == [NAMES[label] for label in labels[ids]]
    tables = with_pictures.tables(np.array([20]))
    np.testing.assert_array_equal(tables.numpy(), model.log_probs(x[ids[20]][None]).numpy())


def test_an_id_that_was_removed_has_no_place(with_pictures):
    assert [with_pictures.place(item) for item in (0, 1, 16, 17, 18, 89, 90)] == [None, 0, 15, None, 16, 87, None]


def test_the_item_that_shows_a_symbol_best_has_the_highest_probability(with_pictures, known):
    x, _, model = known
    probabilities = model.log_probs(x[with_pictures.ids]).exp().numpy()
    np.testing.assert_allclose(
        np.take_along_axis(probabilities, with_pictures.showing[None], 0)[0], probabilities.max(0), rtol=2e-3
    )


def test_without_data_every_symbol_counts_alike(codes_alone):
    assert not codes_alone.sure
    assert codes_alone.label(0) is None
    assert set(codes_alone.tables(np.arange(3)).unique().tolist()) == {0, -1}


def test_other_data_is_refused(known):
    x, labels, model = known
    index = CodeIndex(model.spec)
    index.add(model.encode(x), labels=labels)
    with pytest.raises(InputError, match="expected the data and model that the index was built from"):
        Collection(model, index, x[::-1].copy())
    with pytest.raises(InputError, match="up to 89; got 50 rows"):
        Collection(model, index, x[:50])


def test_an_empty_index_is_refused(known):
    with pytest.raises(InputError, match="it is empty"):
        Collection(known[2], CodeIndex(known[2].spec))


def test_names_that_do_not_fit_the_labels_are_left_aside(known):
    x, labels, model = known
    index = CodeIndex(model.spec)
    index.add(model.encode(x), labels=labels)
    assert Collection(model, index, x, ["only one"]).codebook.classes == [0, 1, 2]


def test_the_version_changes_with_the_codes(with_pictures, codes_alone):
    assert with_pictures.version != codes_alone.version
