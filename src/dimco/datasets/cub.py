"""CUB-200-2011 as it is published: 200 birds, the first 100 to train on and the others to test on."""

from __future__ import annotations

from pathlib import Path

from dimco.datasets.class_images import ClassImages, of_classes
from dimco.errors import DamagedFileError, MissingFileError

LISTS = ("images.txt", "image_class_labels.txt", "classes.txt")


def cub_images(root: Path) -> ClassImages:
    """The images of a folder with `images/`, `images.txt`, `image_class_labels.txt` and `classes.txt`.

    References
    ----------
    Wah, Branson, Welinder, Perona, Belongie, "The Caltech-UCSD Birds-200-2011 dataset", 2011.
    """
    images, labels, classes = (_numbered(root / name) for name in LISTS)
    if set(images) != set(labels) or not set(labels.values()) <= set(classes):
        raise DamagedFileError(
            f"expected a class for each of {len(images)} images in {root / LISTS[1]}; got {len(labels)} lines"
        )
    pairs = [(root / "images" / name, classes[labels[number]]) for number, name in images.items()]
    order = sorted(classes, key=int)
    return of_classes(pairs, [classes[number] for number in order])


def _numbered(file: Path) -> dict[str, str]:
    """Lines of a number and what stands behind it."""
    if not file.exists():
        raise MissingFileError(f"no such file: {file}")
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        number, _, rest = line.strip().partition(" ")
        if number:
            if not number.isdecimal() or not rest:
                raise DamagedFileError(f"expected lines of a number and a name in {file}; got {line!r}")
            found[number] = rest
    return found
