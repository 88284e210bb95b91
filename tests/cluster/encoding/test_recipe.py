"""Recipes: encoders from the bytes of files, and networks before the model as in the embedding of pictures."""

import numpy as np
import pytest
import torch

from dimco import CodeModel, CodeSpec, LinearHead
from dimco.backbones import Standardize
from dimco.backbones.pretrained import PRETRAINED, load_pretrained
from dimco.cluster.encoding.recipe import Recipe
from dimco.errors import InputError, MissingFileError


@pytest.fixture
def files(tmp_path):
    """A model of the features of a network, and the weights of the network."""
    kind = PRETRAINED["resnet20-cifar10"]
    network = kind.network(preprocessing=kind.preprocessing)
    names = {ours: ours for ours in network.state_dict()}
    spoken = {kind.name_in_file(ours): network.state_dict()[ours] for ours in names}
    torch.save(spoken, tmp_path / "weights.pt")
    width = network.out_features
    CodeModel(Standardize(width), LinearHead(width, CodeSpec(4, 6))).save(tmp_path / "model")
    return tmp_path / "model", tmp_path / "weights.pt"


def test_pictures_go_through_the_network_and_then_the_model(files, rng):
    model, weights = files
    pixels = rng.integers(0, 256, (10, 3, 32, 32), dtype=np.uint8)
    encoder = Recipe.of_files(model, "resnet20-cifar10", weights).encoder("cpu", batch_size=4)
    network = load_pretrained("resnet20-cifar10", weights)
    with torch.inference_mode():
        features = torch.cat([network(torch.from_numpy(some).float()) for some in np.split(pixels, [4, 8])])
    np.testing.assert_array_equal(encoder.symbols(pixels), CodeModel.load(model).encode(features).unpack())


def test_the_record_changes_with_the_bytes_of_every_file(files, tmp_path):
    model, weights = files
    alone, both = Recipe.of_files(model, None, None), Recipe.of_files(model, "resnet20-cifar10", weights)
    weights.write_bytes(weights.read_bytes() + b" ")
    other = Recipe.of_files(model, "resnet20-cifar10", weights)
    assert len({str(recipe.record) for recipe in (alone, both, other)}) == 3


def test_files_that_are_missing_are_named(files, tmp_path):
    with pytest.raises(MissingFileError, match=r"no such file: .*none"):
        Recipe.of_files(tmp_path / "none", None, None)
    with pytest.raises(InputError, match="expected --backbone and --weights together"):
        Recipe.of_files(files[0], None, files[1])
