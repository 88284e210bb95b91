"""Augmentation, against one image at a time and one pixel at a time."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dimco.errors import InputError
from dimco.training.augmentation import Augmentation, Draws


def images(count, height, width):
    return torch.randint(0, 256, (count, 3, height, width), dtype=torch.uint8)


def slow(pixels, draws, size, padding):
    """Each image by itself: crop, brightness, contrast, saturation, mirror image."""
    results = []
    for image, top, left, mirrored, brightness, contrast, saturation in zip(pixels.numpy(), *draws, strict=True):
        bordered = np.pad(image.astype(np.float64), ((0, 0), (padding, padding), (padding, padding)))
        crop = bordered[:, int(top) : int(top) + size, int(left) : int(left) + size]
        crop = np.clip(crop * float(brightness), 0, 255)
        mean = np.mean([0.299 * r + 0.587 * g + 0.114 * b for r, g, b in crop.reshape(3, -1).T])
        crop = np.clip(float(contrast) * crop + (1 - float(contrast)) * mean, 0, 255)
        grey = 0.299 * crop[0] + 0.587 * crop[1] + 0.114 * crop[2]
        crop = np.clip(float(saturation) * crop + (1 - float(saturation)) * grey, 0, 255)
        results.append(crop[:, :, ::-1] if mirrored else crop)
    return torch.from_numpy(np.stack(results)).float()


@pytest.mark.parametrize(
    ("height", "width", "size", "padding"), [(12, 12, 12, 3), (10, 14, 8, 0), (6, 9, 8, 1), (5, 5, 5, 0)]
)
def test_each_image_is_cut_coloured_and_mirrored_by_its_own_draws(height, width, size, padding):
    augmentation, pixels = Augmentation(size, padding, jitter=0.4), images(40, height, width)
    draws = augmentation.draw(pixels)
    found = augmentation.apply(pixels, draws)
    torch.testing.assert_close(found, slow(pixels, draws, size, padding), rtol=0, atol=2e-3)
    assert found.shape == (40, 3, size, size)


def test_draws_fill_their_ranges_evenly():
    augmentation = Augmentation(8, padding=2, jitter=0.4)
    draws = augmentation.draw(images(20_000, 10, 8))
    for places, room in ((draws.top, 6), (draws.left, 4)):
        shares = torch.bincount(places, minlength=room + 1) / 20_000
        assert shares.tolist() == pytest.approx([1 / (room + 1)] * (room + 1), abs=0.015)
    for factors in draws[3:]:
        assert 0.6 <= float(factors.min()) < 0.61
        assert 1.39 < float(factors.max()) <= 1.4
        assert float(factors.mean()) == pytest.approx(1, abs=0.01)
    assert float(draws.mirrored.float().mean()) == pytest.approx(0.5, abs=0.02)
    assert abs(float(torch.corrcoef(torch.stack(draws[3:]))[0, 1])) < 0.03


def test_draws_that_change_nothing_give_the_same_pixels():
    pixels = images(3, 6, 6)
    ones, zeros = torch.ones(3), torch.zeros(3, dtype=torch.int64)
    draws = Draws(zeros, zeros, zeros.bool(), ones, ones, ones)
    torch.testing.assert_close(Augmentation(6, jitter=0.4).apply(pixels, draws), pixels.float(), rtol=0, atol=1e-3)


def test_without_jitter_or_flip_only_the_crop_remains():
    pixels = images(50, 9, 9)
    found = Augmentation(5, jitter=0, flip=False)(pixels)
    for image, crop in zip(pixels.float(), found, strict=True):
        corners = [(top, left) for top in range(5) for left in range(5)]
        assert any(torch.equal(image[:, top : top + 5, left : left + 5], crop) for top, left in corners)


def test_evaluation_takes_the_middle():
    pixels = images(2, 10, 13)
    assert torch.equal(Augmentation(6, padding=4, jitter=0.4).centre(pixels), pixels[:, :, 2:8, 3:9].float())


def test_the_seed_decides_and_the_global_generator_too():
    augmentation, pixels = Augmentation(8, 2, 0.4), images(5, 8, 8)
    with torch.random.fork_rng():
        first, second, third = (augmentation(pixels, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
        torch.manual_seed(5)
        globally = augmentation(pixels)
        torch.manual_seed(5)
        assert torch.equal(augmentation(pixels), globally)
    assert torch.equal(first, second)
    assert not torch.equal(first, third)


def test_no_number_is_read_back_from_the_device():
    """As a CUDA graph needs it; a tensor on "meta" has no numbers to read."""
    pixels = torch.empty(4, 3, 8, 8, dtype=torch.uint8, device="meta")
    assert Augmentation(8, 2, 0.4)(pixels).shape == (4, 3, 8, 8)


def test_impossible_settings_are_refused():
    for size, padding, jitter, message in [
        (0, 0, 0.0, "size of at least 1"),
        (8, -1, 0.0, "padding of at least 0"),
        (8, 0, 1.5, "jitter from 0 to 1; got 1.5"),
    ]:
        with pytest.raises(InputError, match=message):
            Augmentation(size, padding, jitter)
    with pytest.raises(InputError, match="images to cut 12 x 12 from; got 8 x 9"):
        Augmentation(12, padding=1)(images(1, 8, 9))
    with pytest.raises(InputError, match="images to cut 9 x 9 from; got 8 x 9"):
        Augmentation(9, padding=1).centre(images(1, 8, 9))
