"""Bits against accuracy, readiness and metrics."""

from __future__ import annotations

import time

from dimco.web.curve import accuracy_by_bits


def ready_answer(client):
    for _ in range(200):
        answer = client.get("/api/accuracy").json()
        if answer["state"] != "computing":
            return answer
        time.sleep(0.05)
    raise AssertionError("the curve was not computed")


def test_accuracy_is_computed_while_requests_are_answered(client, with_pictures):
    answer, curve = ready_answer(client), accuracy_by_bits(with_pictures)
    assert (answer["state"], answer["order"]) == ("ready", curve.order)
    assert [(p["bits"], p["accuracy"]) for p in answer["points"]] == [
        (2 * p.positions, p.accuracy) for p in curve.points
    ]


def test_without_labels_there_is_no_accuracy(bare):
    assert ready_answer(bare)["state"] == "unavailable"


def test_a_server_that_listens_is_ready(client):
    assert client.get("/ready").json() == {"ready": True}


def test_requests_are_counted_by_route(client):
    for path in ("/api/item/1", "/api/item/2", "/api/item/17", "/nowhere", "/nowhere/else"):
        client.get(path)
    text = client.get("/metrics").text
    assert 'dimco_requests_total{method="GET",route="/api/item/{item}",status="200"} 2' in text
    assert 'dimco_requests_total{method="GET",route="/api/item/{item}",status="404"} 1' in text
    assert 'dimco_requests_total{method="GET",route="other",status="404"} 2' in text
    assert 'dimco_request_seconds_count{route="/api/item/{item}"} 3' in text
    assert "dimco_items 88" in text
