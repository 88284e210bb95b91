"""Cars-196 as published."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.io import savemat

from dimco.datasets.cars import cars_images
from dimco.errors import DamagedFileError, MissingFileError

NAMES = ["Zeta Coupe 2012", "Alpha Sedan 1991", "Mu Van 2009", "Beta Cab 2007"]


def cells(values):
    return np.array([[*map(np.str_, values)]], dtype=object)


def annotations(name, entries):
    made = np.empty((1, len(entries)), dtype=[(name, object), ("class", object)])
    for place, (file, number) in enumerate(entries):
        made[0, place] = (file, np.array([[number]], np.uint8))
    return made


ENTRIES = [("000004.jpg", 4), ("000001.jpg", 1), ("000003.jpg", 3), ("000002.jpg", 2)]


def test_one_list_of_all_images(tmp_path):
    entries = [(f"car_ims/{file}", number) for file, number in ENTRIES]
    savemat(
        tmp_path / "cars_annos.mat",
        {"annotations": annotations("relative_im_path", entries), "class_names": cells(NAMES)},
    )
    images = cars_images(tmp_path)
    assert images.classes == tuple(NAMES), "the order of the list, which is not that of names"
    assert (images.training_classes, images.labels.tolist()) == (2, [0, 1, 2, 3])
    assert images.files[0] == tmp_path / "car_ims" / "000001.jpg"


@pytest.mark.parametrize("devkit", ["", "devkit"])
def test_the_development_kit_and_its_two_parts(tmp_path, devkit):
    kit = tmp_path / devkit
    kit.mkdir(exist_ok=True)
    savemat(kit / "cars_meta.mat", {"class_names": cells(NAMES)})
    savemat(kit / "cars_train_annos.mat", {"annotations": annotations("fname", ENTRIES)})
    savemat(kit / "cars_test_annos_withlabels.mat", {"annotations": annotations("fname", ENTRIES[:1])})
    images = cars_images(tmp_path)
    assert images.labels.tolist() == [0, 1, 2, 3, 3]
    assert images.files[3:] == [tmp_path / "cars_test" / "000004.jpg", tmp_path / "cars_train" / "000004.jpg"]


def test_what_is_no_such_data_set_is_refused(tmp_path):
    with pytest.raises(MissingFileError, match=r"expected cars_annos\.mat, or cars_train_annos\.mat in"):
        cars_images(tmp_path)
    (tmp_path / "cars_annos.mat").write_text("no")
    with pytest.raises(DamagedFileError, match="expected annotations in a MATLAB file"):
        cars_images(tmp_path)
    wrong = {"annotations": annotations("relative_im_path", [("a.jpg", 9)]), "class_names": cells(NAMES)}
    savemat(tmp_path / "cars_annos.mat", wrong)
    with pytest.raises(DamagedFileError, match=r"expected classes from 1 to 4 in the annotations of .*; got 9"):
        cars_images(tmp_path)
