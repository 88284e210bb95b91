"""Weights from files."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from dimco.backbones.weights import load_weights, read_weights
from dimco.errors import DamagedFileError, DimcoError, ForeignFileError, MissingFileError


class Small(nn.Sequential):
    """A convolution and a batch norm."""

    def __init__(self):
        super().__init__(nn.Conv2d(3, 2, 1, bias=False), nn.BatchNorm2d(2))


def _state(**changes):
    state = {
        name: torch.rand_like(value) for name, value in Small().state_dict().items() if value.dtype.is_floating_point
    }
    return {name: value for name, value in (state | changes).items() if value is not None}


@pytest.mark.parametrize("suffix", ["safetensors", "pt", "pth"])
def test_half_floats_are_loaded_as_floats_whatever_the_file(tmp_path, suffix):
    state = {name: value.half() for name, value in _state().items()}
    path = tmp_path / f"w.{suffix}"
    save_file(state, path) if suffix == "safetensors" else torch.save(state, path)
    small = Small()
    load_weights(small, path)
    for name, value in state.items():
        torch.testing.assert_close(small.state_dict()[name], value.float(), rtol=0, atol=0)
    assert all(value.dtype == torch.float32 for value in read_weights(path).values())


def test_a_variance_beyond_half_floats_is_the_largest_of_them(tmp_path):
    state = {name: value.half() for name, value in _state().items()}
    state["1.running_var"] = torch.tensor([3.0, 85_500.0]).half()
    assert state["1.running_var"].isinf().any()
    save_file(state, tmp_path / "w.safetensors")
    small = Small()
    load_weights(small, tmp_path / "w.safetensors")
    assert small[1].running_var.tolist() == [3.0, 65_504.0]
    save_file(state | {"1.bias": torch.tensor([0.0, torch.inf]).half()}, tmp_path / "w.safetensors")
    with pytest.raises(DamagedFileError, match=r"1\.bias holds NaN or infinity"):
        load_weights(small, tmp_path / "w.safetensors")


def test_names_are_mapped_and_the_classifier_is_passed_over(tmp_path):
    state = {f"net.{name}": value for name, value in _state().items()} | {"fc.weight": torch.rand(5, 2)}
    save_file(state, tmp_path / "w.safetensors")
    small = Small()
    load_weights(small, tmp_path / "w.safetensors", lambda name: f"net.{name}")
    torch.testing.assert_close(small[0].weight, state["net.0.weight"])


def test_files_that_do_not_fit_are_one_clear_line(tmp_path):
    path = tmp_path / "w.safetensors"
    cases = [
        (_state(**{"1.bias": None}), ForeignFileError, r"expected weights of Small in .*; it has no 1\.bias"),
        (_state(**{"1.bias": torch.rand(3)}), ForeignFileError, r"1\.bias of Small in shape \(2,\); got \(3,\) in"),
        (_state(more=torch.rand(1)), ForeignFileError, "it has others too, such as more"),
        (_state(**{"1.bias": torch.full((2,), torch.nan)}), DamagedFileError, r"1\.bias holds NaN or infinity"),
    ]
    for state, kind, message in cases:
        save_file(state, path)
        with pytest.raises(kind, match=message):
            load_weights(Small(), path)


def test_other_files_are_one_clear_line(tmp_path):
    (tmp_path / "w.onnx").write_bytes(b"hello")
    torch.save([1, 2], tmp_path / "list.pt")
    torch.save({"epoch": 3, "state_dict": {}}, tmp_path / "nested.pt")
    for name, kind, message in [
        ("absent.pt", MissingFileError, "no such weights file"),
        ("w.onnx", ForeignFileError, "expected weights as .safetensors, .pt or .pth"),
        ("list.pt", ForeignFileError, "expected a state dict"),
        ("nested.pt", ForeignFileError, "expected a state dict"),
    ]:
        with pytest.raises(kind, match=message):
            read_weights(tmp_path / name)


def test_code_in_a_file_is_never_run(tmp_path):
    class Trap:
        def __reduce__(self):
            return (tmp_path.joinpath("sprung").touch, ())

    torch.save({"a": Trap()}, tmp_path / "trap.pt")
    with pytest.raises(ForeignFileError, match="expected tensors alone"):
        read_weights(tmp_path / "trap.pt")
    torch.save(Small(), tmp_path / "module.pt")
    with pytest.raises(ForeignFileError, match="expected tensors alone"):
        read_weights(tmp_path / "module.pt")
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("suffix", ["safetensors", "pt"])
def test_a_file_cut_anywhere_is_an_error_of_ours(tmp_path, suffix):
    path = tmp_path / f"w.{suffix}"
    save_file(_state(), path) if suffix == "safetensors" else torch.save(_state(), path)
    content = path.read_bytes()
    for size in range(0, len(content), max(1, len(content) // 25)):
        path.write_bytes(content[:size])
        with pytest.raises(DimcoError) as caught:
            read_weights(path)
        assert "\n" not in str(caught.value)
