"""Routes about stored items and their pictures."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image


def test_items_are_listed_in_pages(client, with_pictures):
    ids, start = [], 0
    while start is not None:
        page = client.get("/api/items", params={"start": start, "n": 40}).json()
        assert page["total"] == 88
        ids += [item["id"] for item in page["items"]]
        start = page["next"]
    assert ids == with_pictures.ids.tolist()


def test_items_of_one_label_are_listed(client, known, with_pictures):
    labels = known[1]
    page = client.get("/api/items", params={"label": "birch", "n": 200}).json()
    assert [item["id"] for item in page["items"]] == [i for i in with_pictures.ids.tolist() if labels[i] == 1]
    assert client.get("/api/items", params={"label": "oak"}).json()["total"] == 0


def test_a_start_past_the_end_is_an_empty_page(client):
    assert client.get("/api/items", params={"start": 10**18}).json()["items"] == []


def test_the_picture_of_an_item_is_its_features(client, known):
    x = known[0]
    answer = client.get("/api/picture/5")
    assert answer.headers["content-type"] == "image/png"
    pixels = np.asarray(Image.open(io.BytesIO(answer.content)))
    scaled = 255 * (x[5].reshape(4, 4) - x.min()) / (x.max() - x.min())
    np.testing.assert_allclose(pixels, scaled, atol=0.51)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("picture/17", 404),
        ("picture/..%2F..%2Fetc%2Fpasswd", 404),
        ("picture/%2e%2e", 422),
        ("picture/5?side=100000", 422),
        ("picture/-1", 422),
        ("picture/99999999999999999999999", 422),
        ("items?n=1000000000", 422),
    ],
)
def test_what_is_no_picture_gets_one_line(client, path, status):
    answer = client.get(f"/api/{path}")
    assert (answer.status_code, list(answer.json())) == (status, ["error"])


def test_items_without_pictures_have_none(bare):
    assert bare.get("/api/picture/5").json() == {"error": "expected items with pictures; these have none"}
