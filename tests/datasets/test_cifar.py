"""The official archives of CIFAR."""

from __future__ import annotations

import io
import pickle
import tarfile

import numpy as np
import pytest

from dimco.datasets.cifar import is_cifar, load_cifar
from dimco.errors import DamagedFileError, ForeignFileError, InputError, MissingFileError


def records(rng, count, classes, labels):
    """Records as bytes, with the class as the last label; and what they hold."""
    of_class = rng.integers(0, classes, count, dtype=np.uint8)
    other = rng.integers(0, 20, (count, labels - 1), dtype=np.uint8)
    pixels = rng.integers(0, 256, (count, 3_072), dtype=np.uint8)
    return np.concatenate([other, of_class[:, None], pixels], axis=1).tobytes(), of_class, pixels


def packed(path, files):
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def unpacked(path, files):
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path / next(iter(files)).partition("/")[0]


@pytest.fixture
def hundred(rng):
    train, test = records(rng, 12, 100, 2), records(rng, 5, 100, 2)
    names = "\n".join(f"class_{number}" for number in range(100)) + "\n"
    folder = "cifar-100-binary/"
    return (
        train,
        test,
        {
            f"{folder}train.bin": train[0],
            f"{folder}test.bin": test[0],
            f"{folder}fine_label_names.txt": names.encode(),
            f"{folder}coarse_label_names.txt": b"fish\n",
        },
    )


@pytest.mark.parametrize("form", [packed, unpacked])
@pytest.mark.parametrize("part", ["train", "test", "all"])
def test_the_images_of_cifar_100_come_with_their_fine_labels(form, part, hundred, tmp_path):
    train, test, files = hundred
    place = form(tmp_path / "cifar-100-binary.tar.gz", files)
    assert is_cifar(place)
    images = load_cifar(place, part)
    chosen = {"train": [train], "test": [test], "all": [train, test]}[part]
    np.testing.assert_array_equal(images.labels, np.concatenate([labels for _, labels, _ in chosen]))
    expected = np.concatenate([pixels for *_, pixels in chosen]).reshape(-1, 3, 32, 32)
    np.testing.assert_array_equal(images.pixels, expected)
    assert images.classes[99] == "class_99"


def test_the_five_batches_of_cifar_10_make_its_training_set(rng, tmp_path):
    batches = [records(rng, 3, 10, 1) for _ in range(6)]
    names = [f"data_batch_{number}.bin" for number in range(1, 6)] + ["test_batch.bin"]
    files = {f"cifar-10-batches-bin/{name}": batch[0] for name, batch in zip(names, batches, strict=True)}
    classes = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
    files["cifar-10-batches-bin/batches.meta.txt"] = ("\n".join(classes) + "\n\n").encode()
    images = load_cifar(unpacked(tmp_path, files), "train")
    assert images.classes == classes
    np.testing.assert_array_equal(images.labels, np.concatenate([labels for _, labels, _ in batches[:5]]))
    np.testing.assert_array_equal(images.pixels[14], batches[4][2][2].reshape(3, 32, 32))


@pytest.mark.parametrize("form", [packed, unpacked])
def test_the_archive_for_python_is_refused_with_the_name_of_the_binary_one_and_nothing_is_unpickled(form, tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("unpickled",))

    data = pickle.dumps(Trap())
    place = form(
        tmp_path / "cifar-100-python.tar.gz", {f"cifar-100-python/{n}": data for n in ("train", "test", "meta")}
    )
    assert is_cifar(place)
    with pytest.raises(
        ForeignFileError, match=r"expected the binary archive .*cifar-100-binary.tar.gz; .* holds pickles"
    ):
        load_cifar(place)


def test_damage_is_found(hundred, tmp_path):
    files = hundred[2]
    folder = unpacked(tmp_path, files)
    (folder / "test.bin").write_bytes(files["cifar-100-binary/test.bin"][:-1])
    with pytest.raises(DamagedFileError, match=r"records of 3,074 bytes in test.bin; got 15,369"):
        load_cifar(folder)
    (folder / "test.bin").write_bytes(b"\0\xff" + bytes(3_072))
    with pytest.raises(DamagedFileError, match="labels below 100; got 255"):
        load_cifar(folder, "test")
    (folder / "fine_label_names.txt").write_text("one\ntwo\n")
    with pytest.raises(DamagedFileError, match=r"100 names in fine_label_names.txt; got 2"):
        load_cifar(folder)
    archive = packed(tmp_path / "x.tar.gz", files)
    archive.write_bytes(archive.read_bytes()[:20_000])
    with pytest.raises((DamagedFileError, ForeignFileError)):
        load_cifar(archive)


def test_other_places_are_told_apart(hundred, tmp_path):
    with pytest.raises(MissingFileError, match="no such file or folder"):
        load_cifar(tmp_path / "nothing")
    with pytest.raises(ForeignFileError, match="holds none of its files"):
        load_cifar(tmp_path)
    assert not is_cifar(tmp_path)
    folder = unpacked(tmp_path, hundred[2])
    with pytest.raises(InputError, match=r'"train", "test" or "all"; got .both'):
        load_cifar(folder, "both")
    (folder / "train.bin").unlink()
    with pytest.raises(MissingFileError, match=r"expected train.bin in"):
        load_cifar(folder)
    assert len(load_cifar(folder, "test")) == 5
