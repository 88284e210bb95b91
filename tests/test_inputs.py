import numpy as np
import pytest
import torch

from dimco.errors import InputError
from dimco.inputs import check_features, check_finite, check_labels, check_shape, encode_labels, float_tensor


def test_good_features_pass(tmp_path, rng):
    x = rng.normal(size=(10, 3))
    np.save(tmp_path / "x.npy", x)
    for good in (x, x.astype(np.float16), x.astype(int), x > 0, torch.from_numpy(x), np.load(tmp_path / "x.npy", "r")):
        check_features(good, 3)
    check_features(x.reshape(5, 2, 3))


@pytest.mark.parametrize("kind", [np.asarray, torch.as_tensor])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_the_first_bad_row_is_named_wherever_it_is(monkeypatch, kind, value):
    monkeypatch.setattr("dimco.inputs._CHECKED_ROWS", 4)
    x = np.zeros((11, 2, 2))
    x[9:, 1, 0] = value
    with pytest.raises(InputError, match="row 9 holds NaN or infinity"):
        check_features(kind(x))


def test_rows_are_counted_from_the_first_row_given():
    with pytest.raises(InputError, match="row 101"):
        check_finite(np.array([[0.0], [np.nan]]), first_row=100)


@pytest.mark.parametrize(
    ("x", "features", "message"),
    [
        (np.zeros(3), None, r"shape \(N, ...\); got shape \(3,\)"),
        (np.zeros(3), 3, r"shape \(N, 3\); got shape \(3,\)"),
        (np.zeros((3, 2, 2)), 4, r"shape \(N, 4\); got shape \(3, 2, 2\)"),
        (np.zeros((0, 3)), None, "at least one item and one feature"),
        (np.zeros((3, 0)), None, "at least one item and one feature"),
        (np.zeros((3, 128)), 64, "expected 64 features, as in training; got 128"),
        (np.array([["a"]]), None, "expected real numbers as features"),
        (np.array([[None]]), None, "expected real numbers as features; got object"),
        (np.array([[1j]]), None, "expected real numbers as features; got complex128"),
        (torch.tensor([[1j]]), None, "expected real numbers as features; got torch.complex64"),
        (np.array([["2020-01-01"]], "M8[D]"), None, "expected real numbers as features; got datetime64"),
    ],
)
def test_shapes_and_types_that_do_not_fit_are_refused(x, features, message):
    with pytest.raises(InputError, match=message):
        check_shape(x, features)


@pytest.mark.parametrize("rows", [np.array([[1.5, 2]]), np.array([[1.5, 2]], np.float16), torch.tensor([[1.5, 2]])])
def test_rows_become_single_precision(rows):
    tensor = float_tensor(rows, torch.device("cpu"))
    assert tensor.dtype == torch.float32
    assert tensor.tolist() == [[1.5, 2]]


@pytest.mark.parametrize("kind", [np.asarray, torch.as_tensor])
def test_bytes_are_finite_and_keep_their_values(kind):
    rows = kind(np.array([[0, 255], [7, 128]], np.uint8))
    check_finite(rows)
    tensor = float_tensor(rows, torch.device("cpu"))
    assert (tensor.dtype, tensor.tolist()) == (torch.float32, [[0, 255], [7, 128]])


@pytest.mark.parametrize(
    ("y", "classes", "indices"),
    [
        ([3, -1, 3], [-1, 3], [1, 0, 1]),
        (["b", "a", "b"], ["a", "b"], [1, 0, 1]),
        ([2.0, 0.0, 1.0], [0, 1, 2], [2, 0, 1]),
        (np.array(["b", "a", "b"], dtype=object), ["a", "b"], [1, 0, 1]),
        (torch.tensor([5, 4, 5]), [4, 5], [1, 0, 1]),
        ([True, False, True], [False, True], [1, 0, 1]),
    ],
)
def test_labels_become_places_in_the_sorted_classes(y, classes, indices):
    found, places = encode_labels(y, 3)
    assert found.tolist() == classes
    assert places.tolist() == indices
    assert places.dtype == np.int64


@pytest.mark.parametrize(
    ("y", "length", "message"),
    [
        ([1, 2], 3, "expected 3 labels, one an item"),
        ([[1], [2]], 2, r"got shape \(2, 1\)"),
        ([1, np.nan], 2, "expected a label for every item; got NaN"),
        ([1, np.inf], 2, "expected a label for every item"),
        (["a", None], 2, "expected a label for every item; got None"),
        (np.array(["a", np.nan], dtype=object), 2, "expected a label for every item"),
        ([1.0, 2.5], 2, "continuous values such as 2.5"),
    ],
)
def test_labels_that_are_missing_or_continuous_are_refused(y, length, message):
    with pytest.raises(InputError, match=message):
        check_labels(y, length)


def test_fewer_than_two_classes_cannot_be_learned():
    with pytest.raises(InputError, match=r"at least 2 classes; got one class only: 7$"):
        encode_labels([7, 7], 2)
    with pytest.raises(InputError, match="at least 2 classes; got no labels"):
        encode_labels([], 0)
