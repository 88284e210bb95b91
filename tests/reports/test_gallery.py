"""Every picture of a codebook, in files."""

from __future__ import annotations

import pytest

from dimco.backbones import Standardize
from dimco.codebook import Codebook
from dimco.errors import InputError
from dimco.heads import LinearHead
from dimco.model import CodeModel
from dimco.reports.gallery import write_gallery
from dimco.spec import CodeSpec


def names(written):
    return [path.name for path in written.files if path.suffix == ".png"]


def test_all_pictures_are_written_in_both_kinds(codebook, images, tmp_path):
    said = []
    written = write_gallery(codebook, tmp_path, images, stem="toy-", on_file=said.append)
    kinds = [
        "usage",
        "map",
        "pairs",
        *(["combinations"] if written.pairs else []),
        *(f"position-{i}" for i in range(3)),
    ]
    assert names(written) == [f"toy-{kind}.png" for kind in kinds]
    assert said == [path for path in written.files if path.suffix == ".png"]
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in written.files}
    assert (tmp_path / "toy-position-0.png").read_bytes()[:4] == b"\x89PNG"


def test_positions_may_be_fewer(codebook, tmp_path):
    assert names(write_gallery(codebook, tmp_path, positions=1))[-1] == "position-0.png"


def test_without_labels_images_are_needed(unlabelled, images, tmp_path):
    with pytest.raises(InputError, match="expected images or labels to show what symbols mean; got neither"):
        write_gallery(unlabelled, tmp_path)
    assert names(write_gallery(unlabelled, tmp_path, images, positions=1)) == [
        "usage.png",
        "pairs.png",
        "position-0.png",
    ]


def test_many_symbols_take_several_pictures_and_too_many_are_refused(blobs, tmp_path):
    def drawn(k):
        model = CodeModel(Standardize(6).fit(blobs.x), LinearHead(6, CodeSpec(k, 1)))
        return names(write_gallery(Codebook(model, blobs.x, blobs.labels), tmp_path))

    assert drawn(65)[-2:] == ["position-0-part-0.png", "position-0-part-1.png"]
    with pytest.raises(InputError, match="at most 1,024 symbols at each position to draw; got 2,048"):
        drawn(2048)
