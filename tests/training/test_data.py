import warnings

import numpy as np
import pytest
import torch
from torch.utils.data import IterableDataset, TensorDataset

from dimco.errors import InputError
from dimco.training import ArrayData, DatasetData

CPU = torch.device("cpu")
PLAN = [np.array([5, 0, 3]), np.array([9, 9, 1]), np.array([2])]
LABELS = np.arange(10) * 7 % 4


@pytest.fixture
def x(rng):
    return rng.normal(size=(10, 2, 3)).astype(np.float32)


@pytest.fixture
def mapped(x, tmp_path):
    np.save(tmp_path / "x.npy", x)
    return np.load(tmp_path / "x.npy", mmap_mode="r")


@pytest.mark.parametrize("kind", [np.asarray, torch.from_numpy, np.float64, np.asfortranarray])
def test_array_batches_are_the_rows_and_their_labels(x, kind):
    batches = list(ArrayData(kind(x), LABELS).batches(PLAN, CPU))
    for rows, (items, labels) in zip(PLAN, batches, strict=True):
        assert items.dtype == torch.float32
        np.testing.assert_array_equal(items, x[rows])
        np.testing.assert_array_equal(labels, LABELS[rows])


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x[:], np.asarray], ids=["map", "slice", "view"])
def test_mapped_batches_are_the_rows_in_the_order_of_the_file(x, mapped, view):
    batches = list(ArrayData(view(mapped), LABELS).batches(PLAN, CPU))
    for rows, (items, labels) in zip(PLAN, batches, strict=True):
        np.testing.assert_array_equal(items, x[sorted(rows)])
        np.testing.assert_array_equal(labels, LABELS[sorted(rows)])


def test_data_of_some_rows_counts_from_the_first_of_them(x, mapped):
    rows = np.array([1, 4, 6, 9])
    for source in (x, torch.from_numpy(x), mapped):
        data = ArrayData(source, LABELS, rows)
        np.testing.assert_array_equal(data.labels, LABELS[rows])
        ((items, labels),) = data.batches([np.array([0, 2])], CPU)
        np.testing.assert_array_equal(items, x[[1, 6]])
        np.testing.assert_array_equal(labels, LABELS[[1, 6]])


def test_arrays_that_cannot_be_written_are_read_without_a_warning(x):
    x.setflags(write=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(ArrayData(x, LABELS).batches(PLAN, CPU))


@pytest.mark.parametrize("workers", [0, 1])
def test_dataset_batches_are_its_items_with_the_labels_given(x, workers):
    dataset = TensorDataset(torch.from_numpy(x).double(), torch.full((10,), -1))
    batches = list(DatasetData(dataset, LABELS, workers).batches(PLAN, CPU))
    for rows, (items, labels) in zip(PLAN, batches, strict=True):
        assert items.dtype == torch.float32
        np.testing.assert_array_equal(items, x[rows])
        np.testing.assert_array_equal(labels, LABELS[rows])


def test_as_many_labels_as_items_are_needed(x):
    with pytest.raises(InputError, match="expected 10 labels"):
        ArrayData(x, LABELS[1:])
    with pytest.raises(InputError, match="expected 10 labels"):
        DatasetData(TensorDataset(torch.from_numpy(x)), LABELS[1:])


@pytest.mark.parametrize("shape", [(10,), (0, 3), (10, 0)])
def test_arrays_without_items_or_features_are_refused(shape):
    with pytest.raises(InputError, match="expected"):
        ArrayData(np.zeros(shape), LABELS)


def test_datasets_without_a_length_are_refused():
    class Stream(IterableDataset):
        def __iter__(self):
            return iter([])

    with pytest.raises(InputError, match="a dataset with a length"):
        DatasetData(Stream(), LABELS)
