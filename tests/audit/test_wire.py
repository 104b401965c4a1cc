"""The wire: framing, limits in time and number, and the order of things before a body is read."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from audit_studies import small_study
from server_faults import raw

from dissensus.audit import wire
from dissensus.audit.people import issue_tokens
from dissensus.audit.server import bind, configured
from dissensus.audit.store import StudyStore

HEAD = "POST /a/{}/label HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nContent-Type: application/json\r\n"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, str]]:
    """(port, a good token) of a running server with short limits."""
    monkeypatch.setattr(wire, "HEAD", 0.3)
    monkeypatch.setattr(wire, "BODY", 0.3)
    monkeypatch.setattr(wire, "MOST", 6)
    study = small_study(StudyStore.create(tmp_path / "study.db"))
    token = issue_tokens(study)["ann"]
    listening = bind("127.0.0.1", 0)
    running = uvicorn.Server(configured(study))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield int(listening.getsockname()[1]), token
    running.should_exit = True
    thread.join()
    listening.close()


def status(answer: bytes) -> int:
    return int(answer[9:12]) if answer[9:12].isdigit() else 0


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", 400),  # FINDINGS D1: 400 MB came in behind this
        ("Transfer-Encoding: chunked\r\n", 400),
        ("Content-Length: 2\r\nContent-Length: 3\r\n", 400),
        ("Content-Length: 99999\r\n", 413),
        ("", 413),
        ("Content-Length: 2\r\n", 404),  # no link: known before the body is read
    ],
)
def test_framing_and_the_link_come_before_the_body(server: tuple[int, str], extra: str, expected: int) -> None:
    port, _ = server
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall((HEAD.format("x" * 32) + extra + "\r\n").encode())  # and nothing of the body
        assert status(connection.recv(4096)) == expected


def test_a_request_that_does_not_end_is_ended(server: tuple[int, str]) -> None:
    port, token = server
    for part in ("", "GET / HT", HEAD.format(token), HEAD.format(token) + "Content-Length: 9\r\n\r\n{"):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(part.encode())
            assert status(connection.recv(4096)) == 408
            assert connection.recv(4096) == b""


def test_bytes_that_trickle_in_win_no_time(server: tuple[int, str]) -> None:
    port, _ = server
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.settimeout(0.02)
        for byte in ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + "y" * 2000).encode():
            connection.sendall(bytes([byte]))
            try:
                assert status(connection.recv(4096)) == 408
                return
            except TimeoutError:
                continue
    raise AssertionError("the server went on waiting")


def test_the_longest_waiting_connection_makes_room(server: tuple[int, str]) -> None:
    port, _ = server
    waiting = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(6)]
    try:
        assert status(raw("127.0.0.1", port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")) == 200
        assert status(raw("127.0.0.1", port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")) == 200
    finally:
        for connection in waiting:
            connection.close()


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (b"GET / HTTP/1.1\r\nHost: [::1]evil.com\r\n\r\n", 400),  # FINDINGS D6
        (b"GET / HTTP/1.1\r\nHost: evil.com\r\n\r\n", 421),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello", 400),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 200),
        (b"G\x01T / HTTP/1.1\r\n\r\n", 400),
    ],
)
def test_odd_heads(server: tuple[int, str], request_: bytes, expected: int) -> None:
    assert status(raw("127.0.0.1", server[0], request_)) == expected
