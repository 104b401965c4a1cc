"""Connections that cannot hold the server up: uvicorn's HTTP protocol with time limits and a limit on connections.

uvicorn waits for ever for the rest of a request, and its limit on connections refuses everybody while half-sent ones
stay. Servers with time limits were weighed. The one of hypercorn begins anew with every byte, granian runs workers of
its own that would not share our socket and database. So this is one small layer:

- a head must be there within HEAD seconds of its first byte (or of the connection), a body within BODY more.
- an answer must be taken within TAKE seconds.
- beyond MOST connections the one that has waited longest for a request makes room for the new one.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD, BODY, TAKE = 10.0, 10.0, 30.0  # seconds
MOST = 256  # connections
LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Wire(H11Protocol):
    """One connection."""

    waits_for: str | None = None  # "head" or "body" of a request; None while one is answered
    since = 0.0
    _limit: asyncio.TimerHandle | None = None
    _taken: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait("head")
        if len(self.connections) > MOST:
            waiting = [c for c in self.connections if isinstance(c, Wire) and c.waits_for is not None]
            min(waiting, key=lambda c: c.since, default=self).transport.abort()

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except h11.LocalProtocolError:  # what is no request, after an answer was begun
            self.transport.abort()
        self._look()

    def eof_received(self) -> bool:  # type: ignore[override]
        """A client that has sent its whole request, and says so, still gets its answer."""
        if self.waits_for is not None or self.cycle is None or self.cycle.response_complete:
            return False
        self.cycle.keep_alive = False
        return True

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait(None)
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._taken = self.loop.call_later(TAKE, self.transport.abort)

    def resume_writing(self) -> None:
        if self._taken is not None:
            self._taken.cancel()
            self._taken = None
        if self.flow is not None:
            super().resume_writing()

    def _look(self) -> None:
        """What the connection waits for now; a limit runs on while that stays the same, whatever trickles in."""
        state: Any = self.conn.their_state
        if self.transport.is_closing():
            self._wait(None)
        elif state is h11.SEND_BODY:
            self._wait("body")
        elif state is h11.IDLE and self.conn.trailing_data[0]:
            self._wait("head")
        elif state is not h11.IDLE:
            self._wait(None)
        elif self.cycle is not None:  # between two requests: uvicorn's own limit
            self._wait(None)
            self.waits_for, self.since = "next", self.loop.time()

    def _wait(self, what: str | None) -> None:
        if what is not None and what == self.waits_for:
            return
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
        self.waits_for, self.since = what, self.loop.time()
        if what is not None:
            self._limit = self.loop.call_later(HEAD if what == "head" else BODY, self._late)

    def _late(self) -> None:
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(LATE)
        self.transport.close()
        self.loop.call_later(1.0, self.transport.abort)
