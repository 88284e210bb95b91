"""The known kinds of weights."""

from __future__ import annotations

import pytest
import torch

from dimco.backbones import ResNet20, ResNet50
from dimco.backbones.pretrained import PRETRAINED, load_pretrained
from dimco.errors import ForeignFileError, InputError

FILES = {
    "resnet20-cifar10": "cifar10_resnet20.safetensors",
    "resnet20-cifar100": "cifar100_resnet20.safetensors",
    "resnet50-v1": "resnet50_imagenet_v1.safetensors",
}


@pytest.mark.parametrize("name", FILES)
def test_the_weights_beside_the_project_fit_their_kind(data, name):
    network = load_pretrained(name, data / "weights" / FILES[name])
    assert network.pixels.preprocessing == PRETRAINED[name].preprocessing
    assert not network.training


def test_weights_of_the_other_cifar_are_refused(tmp_path):
    name_in_file = PRETRAINED["resnet20-cifar10"].name_in_file
    state = {name_in_file(name): value for name, value in ResNet20().state_dict().items()}
    torch.save(state | {"fc.weight": torch.rand(100, 64), "fc.bias": torch.rand(100)}, tmp_path / "w.pth")
    load_pretrained("resnet20-cifar100", tmp_path / "w.pth")
    with pytest.raises(ForeignFileError, match=r"expected weights trained on 10 classes; .*w\.pth has 100"):
        load_pretrained("resnet20-cifar10", tmp_path / "w.pth")


def test_torchvision_names_fit_its_kind(tmp_path):
    state = ResNet50().state_dict() | {"fc.weight": torch.rand(1000, 2048), "fc.bias": torch.rand(1000)}
    torch.save(state, tmp_path / "w.pth")
    network = load_pretrained("resnet50", tmp_path / "w.pth")
    assert network.config["stride_on"] == "3x3"
    torch.testing.assert_close(network.state_dict()["layer4.2.conv3.weight"], state["layer4.2.conv3.weight"])


def test_weights_of_another_network_and_unknown_kinds_are_refused(tmp_path):
    torch.save({"conv1.weight": torch.rand(64, 3, 7, 7)}, tmp_path / "w.pth")
    with pytest.raises(ForeignFileError, match=r"expected weights of ResNet20 in .*; it has no stem\.0\.weight"):
        load_pretrained("resnet20-cifar10", tmp_path / "w.pth")
    with pytest.raises(InputError, match="expected a pretrained backbone of resnet20-cifar10"):
        load_pretrained("resnet18", tmp_path / "w.pth")
