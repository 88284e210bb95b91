import numpy as np
import pytest
import torch

from dimco.errors import DamagedFileError
from dimco.search.labels import LabelNames, read_labels


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([1, 2], "int"),
        ((np.int8(1), 2), "int"),
        (np.array([1, 2], dtype=np.uint16), "int"),
        (np.array([1, 2], dtype=object), "int"),
        (torch.tensor([1, 2]), "int"),
        ([2**63 - 1, -(2**63)], "int"),
        (["a", "b"], "str"),
        (np.array(["a", "b"]), "str"),
        (np.array(["a", "b"], dtype=object), "str"),
        ([np.str_("a"), "b"], "str"),
    ],
)
def test_labels_are_integers_or_strings(labels, kind):
    found, array = read_labels(labels)
    assert found == kind
    assert array.tolist() == list(labels if not isinstance(labels, torch.Tensor) else labels.tolist())
    assert array.dtype == np.int64 or kind == "str"


def test_names_keep_their_places():
    names = LabelNames()
    assert names.added(np.array(["b", "a", "b"])).tolist() == [1, 0, 1]
    assert names.added(np.array(["c", "a"])).tolist() == [2, 0]
    assert names.found(np.array(["c", "unknown", "a"])).tolist() == [0, 2]
    assert names.decoded(np.array([[2, 0], [1, 1]], dtype=np.int32)).tolist() == [["c", "a"], ["b", "b"]]
    places = np.arange(300).reshape(3, 100) % 3
    assert names.decoded(places.astype(np.int32)).tolist() == [["abc"[place] for place in row] for row in places]
    assert list(names.since(1)) == ["b", "c"]
    assert len(names) == 3


def test_names_are_loaded_when_first_needed():
    loads = []
    names = LabelNames(lambda: loads.append(1) or ["x", "y"])
    assert loads == []
    assert names.decoded(np.array([1, 0], dtype=np.int32)).tolist() == ["y", "x"]
    assert names.added(np.array(["z", "x"])).tolist() == [2, 0]
    assert loads == [1]


def test_a_place_without_a_name_is_damage():
    with pytest.raises(DamagedFileError, match="no name"):
        LabelNames().decoded(np.array([0], dtype=np.int32))
    with pytest.raises(DamagedFileError, match="no name"):
        LabelNames(lambda: ["a"]).decoded(np.array([-1], dtype=np.int32))
