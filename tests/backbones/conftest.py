"""The data that stands beside the project, and batch norm statistics that are not the initial ones."""

from pathlib import Path

import pytest
from torch import nn

from dimco.datasets import data_folder
from dimco.errors import MissingFileError


@pytest.fixture
def data() -> Path:
    try:
        return data_folder()
    except MissingFileError as error:
        pytest.skip(str(error))


@pytest.fixture
def lived_in():
    """Give every batch norm of a network statistics and weights, so that mixing two of them up shows."""

    def live(network: nn.Module) -> nn.Module:
        for module in network.modules():
            if isinstance(module, nn.BatchNorm2d):
                nn.init.uniform_(module.running_var, 0.5, 1.5)
                nn.init.uniform_(module.weight, 0.5, 1)
                for values in (module.running_mean, module.bias):
                    nn.init.normal_(values, std=0.1)
        return network.eval().requires_grad_(False)

    return live
