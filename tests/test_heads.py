import json

import pytest
import torch
from torch import nn

from dimco.errors import InputError
from dimco.heads import HEADS, LinearHead, build_head, head_name
from dimco.spec import CodeSpec

SPEC = CodeSpec(k=5, d=3)
OPTIONS = {"codeword": {"classes": 6}}
heads = pytest.mark.parametrize("name", HEADS)


@heads
def test_logits_have_one_row_of_symbols_for_each_position(name):
    assert build_head(name, SPEC, features=4, **OPTIONS.get(name, {}))(torch.randn(7, 4)).shape == (7, 3, 5)


@heads
def test_a_head_is_rebuilt_from_its_name_and_json_config(name):
    head = build_head(name, SPEC, features=4, hidden=6, **OPTIONS.get(name, {}))
    again = build_head(head_name(head), SPEC, **json.loads(json.dumps(head.config)))
    again.load_state_dict(head.state_dict())
    x = torch.randn(3, 4)
    assert torch.equal(again.eval()(x), head.eval()(x))
    assert (again.spec, again.features) == (SPEC, 4)


def test_unknown_heads_are_refused_by_name_and_by_type():
    with pytest.raises(InputError, match="expected a head of linear, mlp, codeword, distance; got 'conv'"):
        build_head("conv", SPEC, features=4)
    with pytest.raises(InputError, match="got Linear"):
        head_name(nn.Linear(4, 15))

    class Own(LinearHead):
        pass

    with pytest.raises(InputError, match="got Own"):
        head_name(Own(4, SPEC))
