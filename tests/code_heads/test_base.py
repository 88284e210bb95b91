import torch
from torch import nn

from dimco.code_heads.base import CodeHead
from dimco.spec import CodeSpec


def test_the_outputs_of_the_layers_are_dealt_to_positions_in_order():
    head = CodeHead(6, CodeSpec(k=3, d=2), nn.Sequential(nn.Identity()), extra=1)
    assert head(torch.arange(6.0)[None]).tolist() == [[[0, 1, 2], [3, 4, 5]]]
    assert head.config == {"features": 6, "extra": 1}
