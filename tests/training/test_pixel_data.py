"""PixelData."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dimco.errors import InputError
from dimco.training.augmentation import Augmentation
from dimco.training.data import DeviceData
from dimco.training.pixel_data import PixelData

CPU = torch.device("cpu")


@pytest.fixture
def pixels(rng):
    return rng.integers(0, 256, (10, 3, 6, 6), dtype=np.uint8)


LABELS = np.arange(10) % 3


@pytest.mark.parametrize("kind", ["array", "tensor", "memory-mapped", "every other row"])
def test_batches_are_the_pixels_at_the_indices_with_their_labels(kind, pixels, tmp_path):
    np.save(tmp_path / "x.npy", pixels)
    given = {
        "array": pixels,
        "tensor": torch.from_numpy(pixels),
        "memory-mapped": np.load(tmp_path / "x.npy", mmap_mode="r"),
        "every other row": np.repeat(pixels, 2, axis=0)[::2],
    }[kind]
    plan = [np.array([3, 1, 1]), np.array([9])]
    found = list(PixelData(given, LABELS).batches(plan, CPU))
    for (x, labels), indices in zip(found, plan, strict=True):
        np.testing.assert_array_equal(x.numpy(), pixels[indices].astype(np.float32))
        assert x.dtype == torch.float32
        np.testing.assert_array_equal(labels.numpy(), LABELS[indices])


def test_batches_are_augmented_anew_each_time(pixels):
    data = PixelData(pixels, LABELS, Augmentation(5, 2, 0.4))
    (first, _), (second, _) = data.batches([np.arange(4)] * 2, CPU)
    assert first.shape == second.shape == (4, 3, 5, 5)
    assert not torch.equal(first, second)


def test_the_global_seed_decides_the_augmentation(pixels):
    data, batches = PixelData(pixels, LABELS, Augmentation(5, 2, 0.4)), []
    for _ in range(2):
        torch.manual_seed(3)
        batches.append(next(iter(data.batches([np.arange(4)], CPU)))[0])
    assert torch.equal(*batches)


def test_it_stays_on_the_device_as_a_captured_step_needs_it(pixels):
    data = PixelData(pixels, LABELS)
    assert isinstance(data, DeviceData)
    x, labels = data.gather(torch.tensor([2, 5]))
    assert data.gather(torch.tensor([2, 5]))[0].equal(x)
    assert labels.tolist() == [2, 2]


def test_anything_but_bytes_of_images_with_labels_is_refused(pixels):
    for given in (pixels[:, :1], pixels[0], pixels.astype(np.float32), torch.zeros(10, 3, 6, 6)):
        with pytest.raises(InputError, match=r"pixels of shape \(N, 3, height, width\), uint8; got"):
            PixelData(given, LABELS)
    with pytest.raises(InputError, match=r"expected 10 labels, one an item; got shape \(9,\)"):
        PixelData(pixels, LABELS[:9])
