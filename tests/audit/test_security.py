"""What every answer carries, and what every request must show."""

from __future__ import annotations

import pytest
from served_study import ORIGIN, Served, served_study  # noqa: F401 (a fixture)
from starlette.requests import Request

from dissensus.audit.security import MOST_BYTES, Way, host_name, refused


def test_every_answer_has_the_policy_and_no_cookie(served: Served) -> None:
    for answer in (served.get(""), served.get("/next"), served.client.get("/static/judge.js"), served.get("", "owner"),
                   served.client.get("/nothing"), served.post("/label", {}, headers={})):  # fmt: skip
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "http" not in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert "set-cookie" not in answer.headers
        assert "server" not in answer.headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://testserver"}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({}, 403),
        ({"origin": "http://testserver", "content-type": "text/plain"}, 415),
    ],
)
def test_only_our_own_page_may_post(served: Served, headers: dict[str, str], status: int) -> None:
    entry = {"assignment": served.first()["assignment"], "action": "grade", "grade": "1", "request": "r"}
    assert served.post("/label", entry, headers=headers).status_code == status


def test_the_server_answers_to_its_own_name_only(served: Served) -> None:
    assert served.get("", headers={"host": "evil.example"}).status_code == 421
    assert served.get("", headers={"host": "testserver:8321"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "name"), [("127.0.0.1:8000", "127.0.0.1"), ("[::1]:80", "[::1]"), ("LocalHost", "localhost"), ("", "")]
)
def test_a_host_without_its_port(host, name):
    assert host_name(host) == name


@pytest.mark.parametrize(
    ("method", "length", "status"),
    [("GET", "", None), ("HEAD", "", None), ("DELETE", "", 405), ("POST", "10", None), ("POST", "", 413),
     ("POST", "-1", 413), ("POST", str(MOST_BYTES + 1), 413)],
)  # fmt: skip
def test_a_request_says_how_long_it_is(method, length, status):
    headers = {"host": "localhost", "origin": "http://localhost", "content-type": "application/json"}
    headers |= {"content-length": length} if length else {}
    raw = [(k.encode(), v.encode()) for k, v in headers.items()]
    answer = refused(Request({"type": "http", "method": method, "headers": raw, "path": "/"}), Way())
    assert (None if answer is None else answer.status_code) == status
