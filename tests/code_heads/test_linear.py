import numpy as np
import torch

from dimco.code_heads.linear import LinearHead, MLPHead
from dimco.spec import CodeSpec

SPEC = CodeSpec(k=5, d=3)


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


def test_options_of_the_mlp_head_are_in_its_config():
    assert MLPHead(4, SPEC, hidden=6, dropout=0.1).config == {"features": 4, "hidden": 6, "dropout": 0.1}
