"""What every answer of the server carries, and what every request must show.

- one content policy: scripts and styles from the server itself, nothing from outside, no frames, no forms elsewhere;
- a POST must come from the page it was sent to (Origin, or Sec-Fetch-Site), as JSON, and be small;
- on loopback the Host must be loopback: a page elsewhere cannot reach the server through a name of its own;
- no cookies at all: a link's token is in its path, which is never logged and never sent on as a referrer.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 16_384
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


class Guard:
    """Checks requests before the application sees them, and adds the headers to every answer."""

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str] | None) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))
                given = {name.lower() for name, _ in headers}
                headers += [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in given]
                message = {**message, "headers": [(k, v) for k, v in headers if k.lower() != b"server"]}
            await send(message)

        refusal = refused(Request(scope), self.hosts)
        await (refusal or self.app)(scope, receive, guarded)


def refused(request: Request, hosts: frozenset[str] | None) -> Response | None:
    """The answer to a request that may not come in; None for all others."""
    host = request.headers.get("host", "")
    if hosts is not None and host_name(host) not in hosts:
        return PlainTextResponse("This server does not answer to that name.", 421)
    if request.method in ("GET", "HEAD"):
        return None
    if request.method != "POST":
        return PlainTextResponse("Only GET and POST are answered.", 405)
    if not same_origin(request, host):
        return JSONResponse({"error": "The request came from another page."}, 403)
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        return JSONResponse({"error": "Requests are JSON."}, 415)
    length = request.headers.get("content-length", "")
    if not length.isdigit() or int(length) > MOST_BYTES:
        return JSONResponse({"error": f"A request has at most {MOST_BYTES:,} bytes, and says how many."}, 413)
    return None


def same_origin(request: Request, host: str) -> bool:
    """True where the browser says that the page which sends this is one of ours."""
    origin = request.headers.get("origin")
    if origin is not None:
        return urlsplit(origin).netloc == host and urlsplit(origin).scheme in ("http", "https")
    return request.headers.get("sec-fetch-site") == "same-origin"


def host_name(host: str) -> str:
    """A Host header without its port.

    >>> host_name("127.0.0.1:8000"), host_name("[::1]:80"), host_name("localhost")
    ('127.0.0.1', '[::1]', 'localhost')
    """
    if host.startswith("["):
        return host[: host.find("]") + 1]
    return host.partition(":")[0].lower()
