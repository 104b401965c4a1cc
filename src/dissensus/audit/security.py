"""What every answer of the server carries, and what every request must show.

- one content policy: scripts and styles from the server itself, nothing from outside, no frames, no forms elsewhere.
- a request says how long it is, in one way only. A POST is small JSON from the page it was sent to (Origin, or
  Sec-Fetch-Site).
- an error is answered with a reason and without a trace. What is logged has no token, statement or comment in it.
- on loopback the Host must be loopback: a page elsewhere cannot reach the server through a name of its own.
- no cookies at all: a link's token is in its path, which is never logged and never sent on as a referrer.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dissensus.audit.health import Health
from dissensus.audit.store import Unavailable
from dissensus.errors import InputError

MOST_BYTES = 16_384
HOST = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9_.-]{0,252}))(?::[0-9]{1,5})?", re.ASCII)
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
#: the report brings its own scripts and styles inside one file, and may load nothing else
REPORT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts allow-downloads"
)


@dataclass(frozen=True)
class Way:
    """How requests come in: under which path, whether a proxy's word on the name is believed, by which names."""

    path: str = ""
    forwarded: bool = False
    hosts: frozenset[str] | None = LOOPBACK  # None: all

    def host(self, request: Request) -> str:
        """The name under which the browser sees us."""
        said = request.headers.get("x-forwarded-host") if self.forwarded else None
        return (said or request.headers.get("host", "")).split(",")[0].strip().lower()


def names_of(host: str | None, name: str | None) -> frozenset[str] | None:
    """The names a server answers to: those of this machine, and the one that links show; None: any.

    >>> sorted(names_of(None, "https://audit.example.org/x"))[-1]
    'localhost'
    >>> names_of("0.0.0.0", None) is None
    True
    """
    given = (name or "").partition("://")[2].partition("/")[0] or (name or "")
    if name is None and host is not None and host not in LOOPBACK:
        return None
    return LOOPBACK | {n for n in (host_name(given), host_name(host or "")) if n}


def path_of(text: str) -> str:
    """A path for links: begins with a slash, ends without one.

    >>> path_of("audit/"), path_of("")
    ('/audit', '')
    """
    path = f"/{text.strip('/')}" if text.strip("/") else ""
    if not re.fullmatch(r"(/[A-Za-z0-9._~-]+)*", path) or ".." in path:
        raise InputError(f"{text!r} is not a path for links.", "Use letters and digits, for example /audit.")
    return path


@dataclass
class Guard:
    """Checks requests before the application sees them, adds the headers to every answer, and answers for errors."""

    app: ASGIApp
    way: Way = field(default_factory=Way)
    health: Health = field(default_factory=Health)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = False

        async def guarded(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                self.health.answered(message["status"])
                headers = list(message.get("headers", []))
                given = {name.lower() for name, _ in headers}
                headers += [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in given]
                message = {**message, "headers": [(k, v) for k, v in headers if k.lower() != b"server"]}
            await send(message)

        if self.way.path and scope["path"].startswith(self.way.path + "/"):
            scope = {**scope, "path": scope["path"][len(self.way.path) :]}
        answer: ASGIApp = refused(Request(scope), self.way) or self.app
        try:
            await answer(scope, receive, guarded)
        except ClientDisconnect:
            return
        except Exception as error:
            told = self._told(error)
            if not began:
                await told(scope, receive, guarded)

    def _told(self, error: Exception) -> Response:
        """The answer to an error of ours: a reason for people, and one line without data in the log."""
        if isinstance(error, Unavailable):
            self.health.trouble(error.what)
            return JSONResponse({"error": UNAVAILABLE}, 503, headers={"retry-after": "2"})
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = "" if trace is None else f" ({trace.tb_frame.f_globals.get('__name__')}, line {trace.tb_lineno})"
        self.health.trouble(f"an error of ours: {type(error).__name__}{place}")
        sys.stderr.write(f"error: {type(error).__name__}{place}\n")
        return JSONResponse({"error": "The server made an error. It was noted for the owner."}, 500)


UNAVAILABLE = "The study cannot be written or read just now. What you judged is kept here and sent again."


def refused(request: Request, way: Way) -> Response | None:
    """The answer to a request that may not come in; None for all others."""
    host = way.host(request)
    if not HOST.fullmatch(host):
        return _closing("The request's Host is not a name.", 400)
    if way.hosts is not None and host_name(host) not in way.hosts:
        return _closing("This server does not answer to that name.", 421)
    length = request.headers.get("content-length", "")
    if "transfer-encoding" in request.headers:
        return _closing("A request says how long it is; Transfer-Encoding is not taken.", 400)
    if request.method in ("GET", "HEAD"):
        return _closing("A GET has no body.", 400) if length.strip("0") else None
    if request.method != "POST":
        return _closing("Only GET and POST are answered.", 405)
    if not same_origin(request, host):
        return _closing("The request came from another page.", 403)
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        return _closing("Requests are JSON.", 415)
    if not re.fullmatch(r"[0-9]{1,9}", length, re.ASCII) or int(length) > MOST_BYTES:
        return _closing(f"A request has at most {MOST_BYTES:,} bytes, and says how many.", 413)
    return None


def _closing(reason: str, status: int) -> Response:
    """A refusal after which the connection is closed: what follows on it is not read."""
    if status in (405, 421):
        return PlainTextResponse(reason, status, headers={"connection": "close"})
    return JSONResponse({"error": reason}, status, headers={"connection": "close"})


def same_origin(request: Request, host: str) -> bool:
    """True where the browser says that the page which sends this is one of ours."""
    origin = request.headers.get("origin")
    if origin is not None:
        return origin.lower() in (f"http://{host}", f"https://{host}")
    return request.headers.get("sec-fetch-site") == "same-origin"


def host_name(host: str) -> str:
    """A Host header without its port; nothing where it is not a name.

    >>> host_name("127.0.0.1:8000"), host_name("[::1]:80"), host_name("localhost"), host_name("[::1]evil.com")
    ('127.0.0.1', '[::1]', 'localhost', '')
    """
    found = HOST.fullmatch(host.lower())
    return found[1] if found else ""
