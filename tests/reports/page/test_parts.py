"""Pieces of the page."""

from __future__ import annotations

import base64
import io
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from dimco.reports.page.parts import bar, curves, facts, section, strip, table, text


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (1234, "1,234"), (0.5, "0.50"), (True, "yes"), ("<a> & b", "&lt;a&gt; &amp; b")],
)
def test_values_are_text(value, shown):
    assert text(value) == shown


def test_headings_and_facts_are_escaped():
    assert "<h2>a &lt; b</h2>" in section("x", "a < b", "<p>inside</p>")
    assert "<dt>k</dt><dd>&lt;16&gt;</dd>" in facts({"k": "<16>"})


def test_tables_have_their_cells():
    found = ET.fromstring(table(["a", "b"], [["1", "<b>2</b>"]]).replace("scope=col", ""))
    assert ["".join(cell.itertext()) for cell in found.iter("td")] == ["1", "2"]
    assert 'class="stack"' in table(["a"], [], stacked=True)


def test_bars_are_as_wide_as_their_shares():
    found = bar([("ash", 0.5), ("<b>", 0.25)])
    assert re.findall(r"width:([\d.]+)%", found) == ["50.0", "25.0"]
    assert "&lt;b&gt; 25 %" in found


def test_a_strip_is_a_picture_inside_the_page():
    images = np.stack([np.zeros((4, 4)), np.full((4, 4), 255)]).astype(np.uint8)
    found = strip(images, [1, 0], 10, 'a "label"')
    assert "&quot;label&quot;" in found
    data = re.search(r"base64,([^\"]+)", found)[1]
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))
    assert pixels.shape == (10, 22, 3)
    assert pixels[5, 5, 0] > 250
    assert pixels[5, 17, 0] < 5


def test_curves_stay_in_their_frame():
    found = curves({"one": [(1, 0.0), (2, 3.0)], "two": [(1, -1.0), (2, 1.0)]}, "epoch", "bits")
    lines = re.findall(r'points="([^"]+)"', found)
    assert len(lines) == 2
    for point in " ".join(lines).split():
        x, y = map(float, point.split(","))
        assert 0 < x < 640
        assert 0 < y < 220
    assert "bits by epoch" in found


def test_a_curve_of_one_point_is_drawn():
    assert "polyline" in curves({"one": [(1, 0.0)]}, "epoch", "bits")
