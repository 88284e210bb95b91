"""Writing pictures."""

import xml.etree.ElementTree as ET

import matplotlib
import pytest

from dimco.errors import FileError
from dimco.reports.figure import new_figure, save_figure


@pytest.fixture
def figure():
    figure = new_figure(3, 2)
    figure.add_axes((0.2, 0.2, 0.7, 0.7)).plot([1, 3, 2])
    return figure


def test_writes_a_png_and_an_svg_and_nothing_else(figure, tmp_path):
    png, svg = save_figure(figure, tmp_path / "v1.5")
    assert sorted(tmp_path.iterdir()) == [png, svg]
    assert (png.name, svg.name) == ("v1.5.png", "v1.5.svg")
    assert matplotlib.image.imread(png).shape == (300, 450, 4)
    assert ET.parse(svg).getroot().tag.endswith("svg")


def test_the_same_figure_gives_the_same_bytes(figure, tmp_path):
    first = [path.read_bytes() for path in save_figure(figure, tmp_path / "a")]
    assert [path.read_bytes() for path in save_figure(figure, tmp_path / "a")] == first


def test_leaves_the_settings_of_matplotlib_alone(figure, tmp_path):
    before = dict(matplotlib.rcParams)
    save_figure(figure, tmp_path / "a")
    assert dict(matplotlib.rcParams) == before


def test_a_folder_that_is_not_there_is_an_error_of_one_line(figure, tmp_path):
    with pytest.raises(FileError, match="cannot write"):
        save_figure(figure, tmp_path / "none" / "a")


def test_names_are_drawn_as_they_stand_and_numbers_at_logarithmic_axes_as_powers(tmp_path, recwarn):
    figure = new_figure(3, 2)
    axes = figure.add_axes((0.2, 0.2, 0.7, 0.7))
    axes.plot([1, 2], [1, 1000])
    axes.set_yscale("log")
    axes.set_title("$\\frac$ \u4e00")
    axes.set_xticks([1, 2], ["$x_", "$5 or $6"])
    _, svg = save_figure(figure, tmp_path / "a")
    drawn = svg.read_text(encoding="utf-8")
    assert all(f"<!-- {words} -->" in drawn for words in ("$\\frac$ \u4e00", "$x_", "$5 or $6"))
    assert "10^{2}" in drawn
    assert not [warning for warning in recwarn if "Glyph" in str(warning.message)]
