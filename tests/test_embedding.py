"""The pass over a folder of images."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from dimco.datasets import ImageFolder, load_data
from dimco.embedding import embed_images
from dimco.errors import DamagedFileError, InputError


class Means(nn.Module):
    """The mean of each channel."""

    out_features = 3

    def forward(self, x):
        return x.mean((2, 3))


@pytest.fixture
def root(tmp_path, rng):
    for name in ("cat", "dog"):
        (tmp_path / "root" / name).mkdir(parents=True)
        for i in range(5):
            pixels = rng.integers(0, 256, (6, 4, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(tmp_path / "root" / name / f"{i}.png")
    return tmp_path / "root"


def _means(files):
    return np.stack([np.asarray(Image.open(file), dtype=np.float64).mean((0, 1)) for file in files])


@pytest.mark.parametrize(("batch_size", "workers"), [(1, 0), (3, 0), (64, 0), (3, 2)])
def test_rows_are_the_features_of_the_images_in_order(tmp_path, root, batch_size, workers):
    images, seen = ImageFolder(root), []
    result = embed_images(
        Means(),
        images,
        tmp_path / "e.npy",
        batch_size=batch_size,
        workers=workers,
        dtype="float32",
        on_images=seen.append,
    )
    data = load_data(tmp_path / "e.npy")
    np.testing.assert_allclose(data.x, _means(images.files), rtol=1e-5)
    assert data.labels().tolist() == [0] * 5 + [1] * 5
    assert (result.items, result.features, result.skipped) == (10, 3, [])
    assert seen == [*range(batch_size, 10, batch_size), 10]


def test_rows_are_half_floats_by_default(tmp_path, root):
    embed_images(Means(), ImageFolder(root), tmp_path / "e.npz")
    assert load_data(tmp_path / "e.npz").x.dtype == np.float16


def test_the_backbone_is_used_in_evaluation_mode(tmp_path, root):
    backbone = Means()
    backbone.forward = lambda x: x.mean((2, 3)) + 1_000 * backbone.training
    embed_images(backbone, ImageFolder(root), tmp_path / "e.npy")
    assert load_data(tmp_path / "e.npy").x.max() < 256


@pytest.mark.parametrize("workers", [0, 1])
def test_a_damaged_image_stops_the_pass_or_is_skipped(tmp_path, root, workers):
    images = ImageFolder(root)
    (root / "cat" / "2.png").write_bytes(b"no image")
    with pytest.raises(DamagedFileError, match=r"2\.png cannot be read as an image") as caught:
        embed_images(Means(), images, tmp_path / "e.npy", workers=workers)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "e.npy").exists()
    result = embed_images(
        Means(), images, tmp_path / "e.npy", dtype="float32", workers=workers, batch_size=1, skip_damaged=True
    )
    data = load_data(tmp_path / "e.npy")
    np.testing.assert_allclose(
        data.x, _means([file for file in images.files if file.name != "2.png" or "dog" in str(file)]), rtol=1e-5
    )
    assert data.labels().tolist() == [0] * 4 + [1] * 5
    assert (result.items, len(result.skipped)) == (9, 1)


def test_a_folder_of_damaged_images_alone_is_an_error(tmp_path):
    (tmp_path / "root" / "cat").mkdir(parents=True)
    (tmp_path / "root" / "cat" / "a.png").write_bytes(b"")
    with pytest.raises(DamagedFileError, match=r"expected an image that can be read in .*root; .*a\.png"):
        embed_images(Means(), ImageFolder(tmp_path / "root"), tmp_path / "e.npy", skip_damaged=True)


@pytest.mark.parametrize(("value", "dtype"), [(torch.nan, "float32"), (torch.inf, "float32"), (70_000.0, "float16")])
def test_embeddings_that_do_not_fit_their_type_are_refused(tmp_path, root, value, dtype):
    backbone = Means()
    backbone.forward = lambda x: torch.full((len(x), 3), value)
    with pytest.raises(InputError, match=f"expected finite embeddings; .* too much for {dtype}"):
        embed_images(backbone, ImageFolder(root), tmp_path / "e.npy", dtype=dtype)


def test_what_cannot_be_done_is_said_in_one_line(tmp_path, root):
    images, output = ImageFolder(root), tmp_path / "e.npy"
    cases = [
        (Means(), {"dtype": "int8"}, "expected float16 or float32"),
        (Means(), {"batch_size": 0}, "expected a batch of 1 or more"),
        (nn.Flatten(), {}, "expected a backbone with out_features"),
    ]
    for backbone, options, message in cases:
        with pytest.raises(InputError, match=message):
            embed_images(backbone, images, output, **options)
    Image.new("RGB", (9, 9)).save(root / "dog" / "9.png")
    with pytest.raises(InputError, match=r"expected images of one size; .* give the folder a cut"):
        embed_images(Means(), ImageFolder(root), output)
    assert not output.exists()


def test_nothing_of_torchs_global_randomness_is_used(tmp_path, root):
    before = torch.get_rng_state()
    embed_images(Means(), ImageFolder(root), tmp_path / "e.npy")
    assert torch.equal(torch.get_rng_state(), before)
