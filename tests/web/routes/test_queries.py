"""Routes that ask for neighbours, beside scores added up in a loop."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from PIL import Image


def slow_neighbours(table, symbols, ids, without=None):
    """Distinct codes with their cost in bits and their items, nearest first."""
    groups = {}
    for item, code in zip(ids.tolist(), symbols.tolist(), strict=True):
        if item != without:
            groups.setdefault(tuple(code), []).append(item)
    cost = {code: -sum(float(table[i, s]) for i, s in enumerate(code)) / math.log(2) for code in groups}
    return [(code, cost[code], groups[code]) for code in sorted(groups, key=lambda code: (cost[code], code))]


def check(answer, table, collection, without=None):
    expected = slow_neighbours(table, collection.symbols, collection.ids, without)[: len(answer["neighbours"])]
    own = table.argmax(-1).tolist()
    for near, (code, cost, members) in zip(answer["neighbours"], expected, strict=True):
        assert (tuple(near["code"]), near["items"]) == (code, len(members))
        assert near["cost"] == pytest.approx(cost, abs=1e-4)
        assert [example["id"] for example in near["examples"]] == members[:8]
        assert [share["agrees"] for share in near["positions"]] == [a == b for a, b in zip(code, own, strict=True)]
        assert sum(share["cost"] for share in near["positions"]) == pytest.approx(cost, abs=1e-4)
        for i, share in enumerate(near["positions"]):
            assert share["probability"] == pytest.approx(math.exp(float(table[i, code[i]])), abs=1e-6)
    for i, part in enumerate(answer["strip"]):
        order = table[i].argsort(descending=True).tolist()
        assert [part["symbol"], part["runner_up"]] == order[:2]
        assert part["probability"] == pytest.approx(math.exp(float(table[i].max())), abs=1e-6)


@pytest.mark.parametrize("item", [1, 42, 89])
def test_the_neighbours_of_an_item_are_the_others(client, known, with_pictures, item):
    x, _, model = known
    answer = client.get(f"/api/item/{item}", params={"n": 12}).json()
    check(answer, model.log_probs(x[item][None])[0], with_pictures, without=item)
    assert answer["item"]["id"] == item


def test_the_neighbours_of_a_vector(client, known, with_pictures):
    x, _, model = known
    answer = client.post("/api/query/vector", json={"vector": (x[3] + 0.5).tolist()})
    check(answer.json(), model.log_probs((x[3] + 0.5)[None])[0], with_pictures)


@pytest.mark.parametrize("kind", ["png", "bmp", "webp"])
def test_a_dropped_picture_is_coded_through_its_pixels(client, known, with_pictures, kind):
    _, _, model = known
    body = io.BytesIO()
    picture = Image.fromarray(np.random.default_rng(0).integers(0, 256, (4, 4)).astype(np.uint8))
    picture.save(body, kind, **({"lossless": True} if kind == "webp" else {}))
    answer = client.post("/api/query/picture", content=body.getvalue(), headers={"Content-Type": f"image/{kind}"})
    values = with_pictures.route.features(picture.convert("RGB")).values
    check(answer.json(), model.log_probs(values)[0], with_pictures)
    assert "4 by 4 grey pixels" in answer.json()["note"]


def test_from_codes_alone_the_distance_is_how_many_positions_differ(bare, codes_alone):
    answer = bare.get("/api/item/4", params={"n": 20}).json()
    own = codes_alone.symbols[4]
    for near in answer["neighbours"]:
        assert near["cost"] == (np.array(near["code"]) != own).sum() == 3 - near["agreeing"]
    costs = [near["cost"] for near in answer["neighbours"]]
    assert costs == sorted(costs)
    assert answer["strip"][0]["probability"] is None


@pytest.mark.parametrize(
    ("vector", "line"),
    [
        ([1.0] * 15, "expected 16 features, as in training; got 15"),
        ([], "at least 1"),
        ([1e39] * 16, "NaN or infinity"),
        (["a"] * 16, "valid number"),
        ([1.0] * 70_000, "at most 65536"),
        ("text", "valid list"),
    ],
)
def test_a_vector_that_does_not_fit_gets_one_line(client, vector, line):
    answer = client.post("/api/query/vector", json={"vector": vector})
    assert answer.status_code == 422
    assert line in answer.json()["error"]
    assert len(answer.json()["error"]) <= 500


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[" * 5_000, b'{"vector": [NaN]}', b"\xff\xfe", b'{"vector": [1' + b"0" * 5_000]
)
def test_a_body_that_is_no_json_gets_one_line(client, body):
    answer = client.post("/api/query/vector", content=body, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500
    assert list(answer.json()) == ["error"]


def test_a_body_cut_short_says_where_it_ends_being_json(client):
    headers = {"Content-Type": "application/json"}
    answer = client.post("/api/query/vector", content=b'{"vector":[1,', headers=headers)
    assert answer.json() == {"error": "expected JSON as the body; got what ends being JSON at byte 13"}


def test_a_model_of_vectors_says_so_to_a_picture(bare):
    answer = bare.post("/api/query/picture", content=b"x", headers={"Content-Type": "image/png"})
    assert (answer.status_code, "feature vectors, not pictures" in answer.json()["error"]) == (422, True)


def test_an_item_that_is_not_there_is_404(client):
    answer = client.get("/api/item/17")
    assert (answer.status_code, answer.json()["error"]) == (404, "expected the id of a stored item; no item has id 17")
