"""Routes about symbols, beside counting items in loops."""

from __future__ import annotations

import numpy as np
import pytest

NAMES = ["ash", "birch", "cedar <b>"]


@pytest.fixture
def items(known, with_pictures):
    """Id, symbols, label and probabilities of every stored item."""
    x, labels, model = known
    probabilities = model.log_probs(x).double().exp().numpy()
    symbols = model.encode(x).unpack()
    return [(i, symbols[i].tolist(), NAMES[labels[i]], probabilities[i]) for i in with_pictures.ids.tolist()]


def test_the_map_counts_every_symbol(client, items):
    for position in client.get("/api/map").json()["positions"]:
        for cell in position["cells"]:
            of = [label for _, code, label, _ in items if code[position["position"]] == cell["symbol"]]
            assert cell["items"] == len(of)
            assert (cell["best"] is None) == (not of)
            for found in cell["top"]:
                assert found["items"] == of.count(found["name"])
                share = of.count(found["name"]) / len(of)
                usual = sum(label == found["name"] for *_, label, _ in items) / len(items)
                assert (found["share"], found["lift"]) == pytest.approx((share, share / usual))


def test_the_map_of_a_long_code_comes_in_parts(client, monkeypatch):
    monkeypatch.setattr("dimco.web.describing._CELLS_AT_ONCE", 8)
    monkeypatch.setattr("dimco.web.describing._MOST_SYMBOLS", 3)
    first = client.get("/api/map").json()
    assert ([p["position"] for p in first["positions"]], first["next"]) == ([0, 1], 2)
    assert [(len(p["cells"]), p["not_listed"]) for p in first["positions"]] == [(3, 1)] * 2
    last = client.get("/api/map", params={"start": 2}).json()
    assert ([p["position"] for p in last["positions"]], last["next"]) == ([2], None)


def test_a_symbol_shows_its_likeliest_items(client, items):
    found = client.get("/api/symbol/1/2", params={"n": 7}).json()
    has = [(label, code) for _, code, label, _ in items if code[1] == 2]
    assert (found["items"], found["of"]) == (len(has), 88)
    assert sum(share["items"] for share in found["classes"]) == len(has)
    best = sorted((p[1][2] for *_, p in items), reverse=True)[:7]
    np.testing.assert_allclose(sorted((e["probability"] for e in found["examples"]), reverse=True), best, rtol=2e-3)
    assert [e["matches"] for e in found["examples"]] == sorted(
        (e["code"][1] == 2 for e in found["examples"]), reverse=True
    )


@pytest.mark.parametrize(
    ("has", "lacks"), [([(0, 1)], []), ([(0, 1), (2, 3)], [(1, 0), (1, 2)]), ([], [(0, 0)]), ([(1, 1)], [(1, 1)])]
)
def test_combinations_count_and_rank_as_a_loop_does(client, items, has, lacks):
    spelled = {"has": [f"{i}:{s}" for i, s in has], "lacks": [f"{i}:{s}" for i, s in lacks], "n": 5}
    found = client.get("/api/combine", params=spelled).json()
    meets = [label for _, c, label, _ in items if all(c[i] == s for i, s in has) and all(c[i] != s for i, s in lacks)]
    assert found["matches"] == len(meets)
    assert found["purity"] == (pytest.approx(max(map(meets.count, meets)) / len(meets)) if meets else None)
    chance = [np.prod([p[i][s] for i, s in has] + [1 - p[i][s] for i, s in lacks]) for *_, p in items]
    got = sorted((e["probability"] for e in found["examples"]), reverse=True)
    np.testing.assert_allclose(got, sorted(chance, reverse=True)[:5], rtol=5e-3)


def test_from_codes_alone_only_matches_are_shown(bare, codes_alone):
    found = bare.get("/api/symbol/0/1", params={"n": 5}).json()
    expected = codes_alone.ids[codes_alone.symbols[:, 0] == 1][:5].tolist()
    assert [(e["id"], e["probability"], e["matches"]) for e in found["examples"]] == [(i, None, True) for i in expected]
    assert (found["information"], found["classes"]) == (None, [])


def test_about_says_what_can_be_asked(client, bare):
    rich, poor = client.get("/api/about").json(), bare.get("/api/about").json()
    assert (rich["items"], rich["k"], rich["d"], rich["bits"], rich["classes"]) == (88, 4, 3, 6, NAMES)
    assert (rich["has_pictures"], rich["has_probabilities"]) == (True, True)
    assert "4 by 4" in rich["picture_route"]
    assert (poor["has_pictures"], poor["has_probabilities"], poor["picture_route"]) == (False, False, None)


@pytest.mark.parametrize(
    ("path", "status", "line"),
    [
        ("combine", 422, "expected at least one symbol to combine; got none"),
        ("combine?has=0:1&has=0:2", 422, "expected one symbol a position"),
        ("combine?has=7:1", 422, "expected a position from 0 to 2"),
        ("combine?has=../../etc", 422, "expected a position and a symbol such as 2:5; got '../../etc'"),
        ("combine?" + "has=0:1&" * 65, 422, "at most 64"),
        ("symbol/3/0", 422, "expected a position from 0 to 2"),
        ("symbol/0/99999999", 422, "less than"),
        ("symbol/0/0?n=1000000000", 422, "less than or equal to 200"),
        ("symbol/0/0?n=0", 422, "greater than or equal to 1"),
        ("map?start=-1", 422, "greater than or equal to 0"),
    ],
)
def test_what_cannot_be_answered_gets_one_line(client, path, status, line):
    answer = client.get(f"/api/{path}")
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    assert line in answer.json()["error"]
    assert "\n" not in answer.json()["error"]
