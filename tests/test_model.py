import numpy as np
import pytest
import torch
from scipy.special import log_softmax
from torch import nn

from dimco.backbones import Standardize
from dimco.errors import DamagedFileError, FileError, ForeignFileError, InputError, MissingFileError
from dimco.heads import LinearHead, MLPHead
from dimco.model import KIND, CodeModel
from dimco.spec import CodeSpec
from dimco.tensor_file import read_tensors, write_tensors

SPEC = CodeSpec(k=5, d=3)


@pytest.fixture
def x(rng):
    return rng.normal(3, 2, (23, 4)).astype(np.float32)


@pytest.fixture
def model(x):
    return CodeModel(Standardize(4).fit(x), LinearHead(4, SPEC, hidden=6), {"dataset": "toy", "seed": 1})


@pytest.fixture
def dropping_model(x):
    return CodeModel(Standardize(4).fit(x), MLPHead(4, SPEC, hidden=8, dropout=0.5))


def test_log_probabilities_are_the_softmax_of_the_factored_layer(model, x):
    first, second = (layer.weight.detach().numpy().astype(np.float64) for layer in model.head.layers)
    z = (x - x.mean(0)) / x.std(0)
    logits = (z @ first.T @ second.T + model.head.layers[1].bias.detach().numpy()).reshape(23, 3, 5)
    np.testing.assert_allclose(model.log_probs(x), log_softmax(logits, axis=-1), atol=1e-5)


def test_probabilities_of_every_position_sum_to_one(dropping_model, x):
    np.testing.assert_allclose(dropping_model.log_probs(x).double().exp().sum(-1), np.ones((23, 3)), atol=1e-6)


def test_codes_are_the_most_likely_symbols(model, x):
    codes = model.encode(x)
    assert codes.spec == SPEC
    np.testing.assert_array_equal(codes.unpack(), model.log_probs(x).numpy().argmax(-1))


@pytest.mark.parametrize("batch_size", [1, 7, 23, 100])
def test_batches_do_not_matter(dropping_model, x, batch_size):
    np.testing.assert_allclose(dropping_model.log_probs(x, batch_size), dropping_model.log_probs(x), atol=1e-5)
    assert dropping_model.encode(x, batch_size) == dropping_model.encode(x)


def test_arrays_tensors_lists_and_memory_maps_give_the_same_codes(model, x, tmp_path):
    np.save(tmp_path / "x.npy", x)
    for same in (x.tolist(), torch.from_numpy(x), x.astype(np.float64), np.load(tmp_path / "x.npy", mmap_mode="r")):
        assert model.encode(same) == model.encode(x)


def test_integers_and_booleans_are_numbers(model):
    zeros = np.zeros((2, 4))
    for kind in (int, bool, np.float16):
        assert model.encode(zeros.astype(kind)) == model.encode(zeros)


@pytest.mark.parametrize("training", [True, False])
def test_encoding_is_in_evaluation_mode_and_restores_the_mode(dropping_model, x, training):
    dropping_model.train(training)
    before = {name: tensor.clone() for name, tensor in dropping_model.state_dict().items()}
    assert dropping_model.encode(x) == dropping_model.encode(x)
    assert all(module.training is training for module in dropping_model.modules())
    assert all(torch.equal(tensor, before[name]) for name, tensor in dropping_model.state_dict().items())


def test_an_error_in_a_late_batch_restores_the_mode_too(dropping_model, x):
    dropping_model.train()
    x[20, 1] = np.nan
    with pytest.raises(InputError, match="row 20"):
        dropping_model.encode(x, batch_size=8)
    assert dropping_model.training
    assert torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()


def test_log_probabilities_can_take_part_in_later_gradients(model, x):
    scale = torch.ones((), requires_grad=True)
    (model.log_probs(x) * scale).sum().backward()
    assert scale.grad.isfinite()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.full((3, 4), np.nan), "expected finite features; row 0"),
        (np.array([[0, 0, 0, 0], [0, 0, -np.inf, 0]]), "row 1 holds NaN or infinity"),
        (np.zeros((3, 5)), "expected 4 features, as in training; got 5"),
        (np.zeros((0, 4)), "at least one item"),
        (np.zeros((3, 0)), "at least one item and one feature"),
        (np.zeros(4), r"shape \(N, 4\); got shape \(4,\)"),
        (np.zeros((3, 2, 2)), r"got shape \(3, 2, 2\)"),
        ([["a", "b", "c", "d"]], "expected real numbers"),
        (torch.tensor([[0, 0, 0, torch.nan]]), "row 0"),
    ],
)
def test_inputs_that_cannot_be_encoded_are_refused(model, bad, message):
    with pytest.raises(InputError, match=message):
        model.encode(bad)
    with pytest.raises(InputError, match=message):
        model.log_probs(bad)


@pytest.mark.parametrize("which", ["model", "dropping_model"])
def test_a_saved_model_loads_the_same(which, x, tmp_path, request):
    model = request.getfixturevalue(which)
    model.save(tmp_path / "model")
    loaded = CodeModel.load(tmp_path / "model")
    assert torch.equal(loaded.log_probs(x), model.log_probs(x))
    assert (loaded.spec, loaded.features, loaded.metadata) == (SPEC, 4, model.metadata)
    assert not loaded.training


class OwnBackbone(nn.Module):
    """Images of 2 by 2 to 6 features."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(4, 6), nn.Tanh())

    def forward(self, x):
        return self.layers(x)


def test_a_model_with_a_backbone_of_the_users_own_loads_into_another_of_its_kind(tmp_path, x):
    images = x.reshape(-1, 2, 2)
    model = CodeModel(OwnBackbone(), LinearHead(6, SPEC))
    model.save(tmp_path / "model")
    loaded = CodeModel.load(tmp_path / "model", backbone=OwnBackbone())
    assert torch.equal(loaded.log_probs(images), model.log_probs(images))
    assert loaded.features is None
    with pytest.raises(InputError, match=r"backbone of its own, OwnBackbone: pass load\(path, backbone=...\)"):
        CodeModel.load(tmp_path / "model")


def test_an_empty_backbone_of_the_users_own_is_one_too(tmp_path, x):
    model = CodeModel(nn.Sequential(), LinearHead(4, SPEC))
    model.save(tmp_path / "model")
    assert CodeModel.load(tmp_path / "model", backbone=nn.Sequential()).encode(x) == model.encode(x)


def test_a_backbone_of_another_shape_is_refused(tmp_path):
    CodeModel(OwnBackbone(), LinearHead(6, SPEC)).save(tmp_path / "model")
    with pytest.raises(InputError, match="expected a backbone like the saved one, OwnBackbone"):
        CodeModel.load(tmp_path / "model", backbone=nn.Linear(4, 6))


def test_parts_frozen_in_evaluation_mode_stay_frozen():
    model = CodeModel(nn.Dropout(), LinearHead(6, SPEC)).train()
    model.backbone.eval()
    model.encode(np.zeros((2, 6)))
    assert (model.training, model.backbone.training, model.head.training) == (True, False, True)


def test_every_cut_and_flipped_byte_is_found(tmp_path, damaged_copies):
    CodeModel(Standardize(2), MLPHead(2, CodeSpec(2, 1), hidden=2)).save(tmp_path / "model")
    for damage, copy in damaged_copies(tmp_path / "model", stride=3):
        with pytest.raises(FileError):
            pytest.fail(f"{damage} was not found: {CodeModel.load(copy)}")


@pytest.mark.parametrize(
    "change",
    [
        {"k": 1},
        {"d": "3"},
        {"k": 6},
        {"backbone": {"name": "unknown", "class": "", "config": {}}},
        {"backbone": {"name": "standardize", "class": "", "config": {"width": 4}}},
        {"backbone": {"name": "standardize", "class": "", "config": {"features": -1}}},
        {"head": {"name": "unknown", "config": {}}},
        {"head": {"name": "mlp", "config": {"features": 4, "dropout": 9.2}}},
        {"head": {"name": "linear", "config": {"features": 4, "hidden": "6"}}},
        {"head": {"config": {}}},
    ],
    ids=str,
)
def test_records_that_build_no_such_model_are_damaged_files(model, tmp_path, change):
    model.save(tmp_path / "model")
    tensors, record = read_tensors(tmp_path / "model", KIND)
    write_tensors(tmp_path / "model", KIND, tensors, record | change)
    with pytest.raises(DamagedFileError, match="is damaged"):
        CodeModel.load(tmp_path / "model")


def test_missing_files_folders_and_other_kinds_are_told_apart(model, tmp_path, x):
    with pytest.raises(MissingFileError):
        CodeModel.load(tmp_path / "nothing")
    with pytest.raises(ForeignFileError, match="folder"):
        CodeModel.load(tmp_path)
    model.encode(x).save(tmp_path / "codes")
    with pytest.raises(ForeignFileError, match=r"expected a dimco model file; .* is a dimco codes file"):
        CodeModel.load(tmp_path / "codes")


def test_a_head_of_the_users_own_cannot_be_saved(tmp_path):
    class OwnHead(LinearHead):
        pass

    with pytest.raises(InputError, match="got OwnHead"):
        CodeModel(Standardize(4), OwnHead(4, SPEC)).save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
