"""The API key."""

from __future__ import annotations

import pytest

from dimco.errors import InputError
from dimco.web.keys import check_key, is_loopback

KEY = "a-good.key_1"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_addresses_of_this_machine_alone_are_known(host):
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", "localhost.example.org", ""])
def test_others_can_be_reached_by_others(host):
    assert not is_loopback(host)


def test_other_addresses_need_a_key():
    check_key("127.0.0.1", None)
    check_key("0.0.0.0", KEY)
    with pytest.raises(InputError, match=r"expected --api-key, as others can reach 0\.0\.0\.0; got none"):
        check_key("0.0.0.0", None)


@pytest.mark.parametrize("key", ["", "short", "with a space", "semicolon;x", "ümlaut-ümlaut"])
def test_keys_that_cannot_be_sent_or_are_too_short_are_refused(key):
    with pytest.raises(InputError, match="at least 8"):
        check_key("127.0.0.1", key)


@pytest.mark.parametrize("path", ["/api/about", "/api/item/1", "/api/picture/1", "/metrics"])
def test_answers_need_the_key_in_the_header_or_the_cookie(client_of, with_pictures, path):
    with client_of(with_pictures, key=KEY) as client:
        for headers in ({}, {"X-API-Key": "another-one"}, {"Cookie": "dimco-key=another-one"}, {"X-API-Key": ""}):
            answer = client.get(path, headers=headers)
            assert answer.status_code == 401
            assert "expected the API key" in answer.json()["error"]
        for headers in ({"X-API-Key": KEY}, {"Cookie": f"dimco-key={KEY}"}):
            assert client.get(path, headers=headers).status_code == 200


def test_the_page_and_readiness_need_no_key(client_of, with_pictures):
    with client_of(with_pictures, key=KEY) as client:
        for path in ("/", "/page/app.js", "/ready"):
            assert client.get(path).status_code == 200


def test_with_a_key_any_host_name_is_served(client_of, with_pictures):
    with client_of(with_pictures, key=KEY) as client:
        assert client.get("/api/about", headers={"X-API-Key": KEY, "Host": "example.org"}).status_code == 200
