"""What weights expect of an image."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from PIL import Image

from dimco.backbones.preprocessing import Pixels, Preprocessing
from dimco.errors import InputError

IMAGENET = Preprocessing(256, 224, 1.0, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def test_the_middle_of_the_resized_picture_is_cut_out(rng):
    picture = Image.fromarray(rng.integers(0, 256, (200, 300, 3), dtype=np.uint8))
    expected = picture.resize((384, 256), Image.Resampling.BILINEAR).crop((80, 16, 304, 240))
    np.testing.assert_array_equal(np.array(IMAGENET.cut(picture)), np.array(expected))


@pytest.mark.parametrize("size", [(224, 500), (1, 1), (3000, 10), (256, 256)])
def test_every_picture_comes_out_in_one_size(size):
    assert IMAGENET.cut(Image.new("RGB", size)).size == (224, 224)


def test_a_picture_of_the_right_size_is_left_alone(rng):
    pixels = rng.integers(0, 256, (32, 32, 3), dtype=np.uint8)
    cut = Preprocessing(32, 32, 255.0, (1.0, 2.0, 3.0)).cut(Image.fromarray(pixels))
    np.testing.assert_array_equal(np.array(cut), pixels)


def test_pixels_become_scaled_centred_numbers():
    pixels = torch.tensor([255.0, 0.0, 51.0]).view(1, 3, 1, 1)
    found = Pixels(IMAGENET)(pixels).flatten().tolist()
    assert found == pytest.approx([(1 - 0.485) / 0.229, -0.456 / 0.224, (0.2 - 0.406) / 0.225], abs=1e-5)
    centred = Pixels(Preprocessing(256, 224, 255.0, (123.68, 116.779, 103.939)))(pixels).flatten().tolist()
    assert centred == pytest.approx([255 - 123.68, -116.779, 51 - 103.939], abs=1e-4)
    assert Pixels(None)(pixels) is pixels


def test_it_survives_json_and_is_no_weight():
    layer = Pixels(IMAGENET)
    assert Pixels(json.loads(json.dumps(layer.record))).preprocessing == IMAGENET
    assert not layer.state_dict()


def test_impossible_records_are_refused():
    with pytest.raises(InputError, match="expected a crop from 1 to the size 32; got 33"):
        Preprocessing(32, 33, 1.0, (0.0, 0.0, 0.0))
    with pytest.raises(InputError, match="expected 3 means and 3 deviations above 0"):
        Preprocessing(32, 32, 1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 1.0))


def test_that_of_pixels_has_their_means_and_deviations(rng):
    pixels = rng.integers(0, 256, (1_100, 3, 5, 5), dtype=np.uint8)
    pixels[:, 1] //= 2
    found = Preprocessing.of_pixels(pixels)
    assert (found.size, found.crop, found.scale) == (5, 5, 255.0)
    assert found.mean == pytest.approx(pixels.mean((0, 2, 3)).tolist(), abs=6e-4)
    assert found.std == pytest.approx(pixels.std((0, 2, 3)).tolist(), abs=6e-4)
    normal = Pixels(found)(torch.from_numpy(pixels).float())
    torch.testing.assert_close(normal.mean((0, 2, 3)), torch.zeros(3), rtol=0, atol=1e-4)
    torch.testing.assert_close(normal.std((0, 2, 3)), torch.ones(3), rtol=0, atol=1e-3)


@pytest.mark.parametrize("shape", [(0, 3, 5, 5), (2, 1, 5, 5), (2, 3, 5, 6), (3, 5, 5)])
def test_that_of_anything_but_square_images_is_refused(shape):
    with pytest.raises(InputError, match=r"square images of shape \(N, 3, size, size\)"):
        Preprocessing.of_pixels(np.zeros(shape, np.uint8))
