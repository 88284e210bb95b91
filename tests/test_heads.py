import json

import numpy as np
import pytest
import torch
from torch import nn

from dimco.errors import InputError
from dimco.heads import HEADS, LinearHead, MLPHead, build_head, head_name
from dimco.spec import CodeSpec

SPEC = CodeSpec(k=5, d=3)
heads = pytest.mark.parametrize("name", HEADS)


@heads
def test_logits_have_one_row_of_symbols_for_each_position(name):
    assert build_head(name, SPEC, features=4)(torch.randn(7, 4)).shape == (7, 3, 5)


def test_linear_head_is_a_product_of_two_matrices_plus_a_bias(rng):
    head = LinearHead(4, SPEC, hidden=2)
    x = rng.normal(size=(6, 4))
    first, second = (layer.weight.detach().double().numpy() for layer in head.layers)
    expected = x @ first.T @ second.T + head.layers[1].bias.detach().double().numpy()
    np.testing.assert_allclose(head(torch.from_numpy(x).float()).detach().flatten(1), expected, atol=1e-5)


def test_linear_head_is_smaller_than_a_full_layer_for_large_codes():
    spec = CodeSpec(256, 64)
    factored = sum(p.numel() for p in LinearHead(2048, spec, hidden=128).parameters())
    assert factored == 2048 * 128 + 128 * 256 * 64 + 256 * 64


def test_mlp_head_drops_out_in_training_only():
    head, x = MLPHead(4, SPEC, hidden=64, dropout=0.5), torch.randn(8, 4)
    assert not torch.equal(head(x), head(x))
    head.eval()
    assert torch.equal(head(x), head(x))


@heads
def test_a_head_is_rebuilt_from_its_name_and_json_config(name):
    head = build_head(name, SPEC, features=4, hidden=6)
    again = build_head(head_name(head), SPEC, **json.loads(json.dumps(head.config)))
    again.load_state_dict(head.state_dict())
    x = torch.randn(3, 4)
    assert torch.equal(again.eval()(x), head.eval()(x))
    assert (again.spec, again.features) == (SPEC, 4)


def test_options_of_the_mlp_head_are_in_its_config():
    assert MLPHead(4, SPEC, hidden=6, dropout=0.1).config == {"features": 4, "hidden": 6, "dropout": 0.1}


def test_unknown_heads_are_refused_by_name_and_by_type():
    with pytest.raises(InputError, match="expected a head of linear, mlp; got 'conv'"):
        build_head("conv", SPEC, features=4)
    with pytest.raises(InputError, match="got Linear"):
        head_name(nn.Linear(4, 15))

    class Own(LinearHead):
        pass

    with pytest.raises(InputError, match="got Own"):
        head_name(Own(4, SPEC))
