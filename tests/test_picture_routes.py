"""Networks as the way of a picture to the model."""

from __future__ import annotations

import numpy as np
import torch
from PIL import Image
from torch import nn

from dimco.backbones import ResNet20, Standardize
from dimco.backbones.preprocessing import Preprocessing
from dimco.picture_routes import Network, batches, own_route

PREPROCESSING = Preprocessing(8, 8, 255.0, (1.0, 2.0, 3.0))
PIXELS = np.random.default_rng(0).integers(0, 256, (8, 8, 3)).astype(np.uint8)


def test_a_network_gives_its_features():
    values = Network(PREPROCESSING, nn.Flatten()).features(Image.fromarray(PIXELS)).values
    np.testing.assert_array_equal(values, PIXELS.transpose(2, 0, 1).reshape(1, -1))


def test_a_model_of_pixels_is_given_them():
    route = own_route(ResNet20(PREPROCESSING))
    values = route.features(Image.fromarray(PIXELS)).values
    np.testing.assert_array_equal(values[0], PIXELS.transpose(2, 0, 1))
    with torch.inference_mode():
        assert ResNet20(PREPROCESSING).eval()(torch.from_numpy(values)).shape == (1, 64)


def test_a_model_of_vectors_has_no_way_for_pictures():
    assert own_route(Standardize(4)) is None
    assert own_route(nn.Identity()) is None
    assert own_route(ResNet20()) is None


def test_pictures_come_in_batches_in_their_order_and_no_more_are_read_than_needed():
    read = []

    def pictures():
        for value in range(5):
            read.append(value)
            yield Image.new("RGB", (8, 8), (value, 0, 0))

    coming = batches(Network(PREPROCESSING), pictures(), 2)
    assert next(coming)[:, 0, 0, 0].tolist() == [0, 1]
    assert read == [0, 1]
    assert [batch[:, 0, 0, 0].tolist() for batch in coming] == [[2, 3], [4]]
    assert list(batches(Network(PREPROCESSING), [])) == []
