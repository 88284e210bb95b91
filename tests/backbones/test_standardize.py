import numpy as np
import pytest
import torch

from dimco.backbones import Standardize, backbone_name, build_backbone
from dimco.errors import InputError


def test_standardized_features_have_mean_0_and_deviation_1(rng):
    x = rng.normal(size=(500, 4)) * [1e-3, 1, 10, 1e4] + [5, -3, 0, 1e6]
    z = Standardize(4).fit(x)(torch.from_numpy(x)).double()
    np.testing.assert_allclose(z.mean(0), np.zeros(4), atol=1e-3)
    np.testing.assert_allclose(z.std(0, correction=0), np.ones(4), atol=1e-3)


def test_statistics_are_numpys_over_several_pieces(monkeypatch, rng):
    monkeypatch.setattr("dimco.backbones.standardize._CHUNK", 7)
    x = rng.normal(2, 3, (50, 3)).astype(np.float32)
    backbone = Standardize(3).fit(x)
    np.testing.assert_allclose(backbone.mean, x.astype(np.float64).mean(0), rtol=1e-6)
    np.testing.assert_allclose(backbone.scale, x.astype(np.float64).std(0), rtol=1e-6)


def test_a_power_is_taken_before(rng):
    x = np.abs(rng.normal(size=(50, 3))).astype(np.float32)
    backbone = Standardize(3, power=0.5).fit(x)
    roots = np.sqrt(x.astype(np.float64))
    np.testing.assert_allclose(backbone(torch.from_numpy(x)), (roots - roots.mean(0)) / roots.std(0), atol=0.01)
    assert build_backbone("standardize", **backbone.config).power == 0.5
    with pytest.raises(InputError, match="expected a power above 0 and at most 1; got 0"):
        Standardize(3, power=0)


def test_a_small_deviation_around_a_large_mean_is_not_lost(rng):
    x = 1e4 + rng.normal(size=(300, 1))
    np.testing.assert_allclose(Standardize(1).fit(x).scale, x.std(0), rtol=1e-6)


@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e6, 1e-20])
def test_features_that_never_change_become_zero(value):
    x = np.full((100, 2), value, dtype=np.float32)
    backbone = Standardize(2).fit(x)
    assert backbone.scale.tolist() == [1, 1]
    np.testing.assert_allclose(backbone(torch.from_numpy(x)), np.zeros((100, 2)), atol=1e-6 * max(1, abs(value)))


def test_a_single_item_gives_finite_features():
    x = np.array([[3.0, -2.0]])
    assert Standardize(2).fit(x)(torch.from_numpy(x)).tolist() == [[0, 0]]


def test_many_rows_are_sampled_by_the_seed(monkeypatch, rng):
    monkeypatch.setattr("dimco.backbones.standardize._SAMPLE", 40)
    x = rng.normal(size=(200, 2))
    means = [Standardize(2).fit(x, seed=seed).mean.tolist() for seed in (1, 1, 2)]
    assert means[0] == means[1] != means[2]


def test_memory_maps_tensors_and_arrays_give_the_same_statistics(tmp_path, rng):
    x = rng.normal(size=(30, 3)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    sources = [x, torch.from_numpy(x), np.load(tmp_path / "x.npy", mmap_mode="r")]
    states = [Standardize(3).fit(source).state_dict() for source in sources]
    for state in states[1:]:
        assert torch.equal(state["mean"], states[0]["mean"])
        assert torch.equal(state["scale"], states[0]["scale"])


def test_statistics_are_state_and_not_parameters(rng):
    backbone = Standardize(3).fit(rng.normal(size=(9, 3)))
    assert list(backbone.parameters()) == []
    assert set(backbone.state_dict()) == {"mean", "scale"}


def test_the_backbone_is_rebuilt_from_its_name_and_config():
    backbone = Standardize(3)
    assert backbone_name(backbone) == "standardize"
    assert type(build_backbone("standardize", **backbone.config)) is Standardize
    assert backbone_name(torch.nn.Identity()) is None
    with pytest.raises(InputError, match="got 'nothing'"):
        build_backbone("nothing")
