import json

import numpy as np
import pytest

from dimco.errors import InputError, MissingFileError
from dimco.experiments.retrieval.data import RetrievalSet, load_arrays


def test_the_first_half_of_the_classes_trains_and_the_other_is_measured_on(features_set):
    learned, measured = features_set.split("final")
    assert set(features_set.labels[learned]) == set(range(10))
    assert set(features_set.labels[measured]) == set(range(10, 20))
    assert len(learned) + len(measured) == len(features_set.x)


def test_to_select_the_last_fifth_of_the_training_classes_is_measured_on_and_no_test_class_is_seen(features_set):
    learned, measured = features_set.split("select")
    assert set(features_set.labels[learned]) == set(range(8))
    assert set(features_set.labels[measured]) == {8, 9}


def test_arrays_are_read_from_a_folder(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((4, 3, 2, 2), np.uint8))
    np.save(tmp_path / "a.labels.npy", np.array([0, 1, 2, 3]))
    with pytest.raises(MissingFileError, match=r"a\.classes\.json"):
        load_arrays(tmp_path, "a")
    (tmp_path / "a.classes.json").write_text(json.dumps(list("wxyz")))
    found = load_arrays(tmp_path, "a")
    assert found.images
    assert found.training_classes == 2
    np.save(tmp_path / "a.labels.npy", np.array([0, 1, 2]))
    with pytest.raises(InputError, match="expected 4 labels"):
        load_arrays(tmp_path, "a")


def test_a_set_without_test_classes_is_refused():
    with pytest.raises(InputError, match="others to measure on; none has 3 classes"):
        RetrievalSet("none", np.zeros((3, 2)), np.arange(3), 3).split("final")
