"""The server of a study: pages for assessors and the owner, and the few requests behind them.

    app = application(study)                     # an ASGI application
    serve(study, bind("127.0.0.1", 8000))        # and a server around it, on this machine only

An assessor's page and its JSON hold topic, document, scale, guideline and a count of one's own judgments; nothing else
is ever asked of the database for them. Labels are acknowledged after the commit. The sequence is brought up to date by
a thread of its own, so that the next document never waits for statistics.
"""

from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from dissensus.arrays import Values
from dissensus.audit import judging, pages
from dissensus.audit.health import Health
from dissensus.audit.labelling import Entry, Refused
from dissensus.audit.owner import Desk
from dissensus.audit.people import who
from dissensus.audit.security import MOST_BYTES, Guard, Way
from dissensus.audit.store import Unavailable
from dissensus.audit.study import Person, Study
from dissensus.errors import DissensusError, InputError

TOKEN = re.compile(r"[A-Za-z0-9_-]{32}", re.ASCII)
MOST_AT_ONCE = 8  # requests of one link; a browser has six connections
if TYPE_CHECKING:
    import uvicorn

ALLOWED = {f.name for f in fields(Entry)} - {"at"}
SWITCH = 0.0005  # seconds after which a thread that computes lets another one go on


def application(study: Study, *, way: Way | None = None) -> Starlette:
    """The study as an ASGI application; `way` says by which names and under which path it is reached."""
    way, health, links = way or Way(), Health(), Links()
    desk = Desk(study, health, way.path)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await run_in_threadpool(desk.try_look)  # before the first request: no document waits for the sequence
        desk.start()
        try:
            yield
        finally:
            desk.stop()

    def for_role(role: str, work: Callable[[Request, Person], object]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            person = await run_in_threadpool(_person, study, role, request.path_params["token"])
            if person is None:  # nothing of the body has been read
                return PlainTextResponse("This link is not valid (any more).", 404, headers={"connection": "close"})
            with links.busy(person.id) as allowed:
                if not allowed:
                    return JSONResponse({"error": "Too many requests at once on this link."}, 429)
                try:
                    request.state.body = await _body(request)
                except Refused as error:
                    return JSONResponse({"error": error.what}, error.status, headers={"connection": "close"})
                return await run_in_threadpool(_answer, work, request, person)

        return answer

    seat = _Seat(study, desk, way.path)
    routes = [
        Route("/", lambda request: PlainTextResponse("Open the link that you were given.")),
        Route("/static/{name}", pages.static),
        Route("/a/{token}", for_role("assessor", seat.page)),
        Route("/a/{token}/next", for_role("assessor", seat.upcoming)),
        Route("/a/{token}/label", for_role("assessor", seat.label), methods=["POST"]),
        Route("/o/{token}", for_role("owner", desk.page)),
        Route("/o/{token}/state", for_role("owner", desk.state)),
        Route("/o/{token}/close", for_role("owner", desk.close), methods=["POST"]),
        Route("/o/{token}/adjudicate", for_role("owner", desk.adjudicate), methods=["POST"]),
        Route("/o/{token}/{name}", for_role("owner", desk.download)),
    ]
    return Starlette(routes=routes, middleware=[Middleware(Guard, way=way, health=health)], lifespan=lifespan)


class Links:
    """How many requests each link has under way."""

    def __init__(self) -> None:
        self._busy: Counter[int] = Counter()

    @contextlib.contextmanager
    def busy(self, who: int) -> Iterator[bool]:
        """True where one more is allowed; all of it happens in one thread, the server's loop."""
        allowed = self._busy[who] < MOST_AT_ONCE
        self._busy[who] += allowed
        try:
            yield allowed
        finally:
            self._busy[who] -= allowed


def _person(study: Study, role: str, token: str) -> Person | None:
    if not TOKEN.fullmatch(token):
        return None
    with study.store.read() as connection:
        person = who(connection, study, token)
    return person if person is not None and person.role == role else None


async def _body(request: Request) -> Values:
    """The JSON object of a POST, counted while it comes in."""
    if request.method != "POST":
        return {}
    got = bytearray()
    async for chunk in request.stream():
        got += chunk
        if len(got) > MOST_BYTES:
            raise Refused(f"a request has at most {MOST_BYTES:,} bytes.", status=413)
    try:
        value = json.loads(got)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Refused("The request is not a JSON object.", status=400)
    return value


def _answer(work: Callable[[Request, Person], object], request: Request, person: Person) -> Response:
    """Do the work; refusals become answers with a reason, and no page shows a trace."""
    try:
        result = work(request, person)
    except Unavailable:
        raise
    except Refused as error:
        return JSONResponse({"error": error.what}, error.status)
    except DissensusError as error:
        return JSONResponse({"error": str(error)}, 409)
    return result if isinstance(result, Response) else JSONResponse(result)


class _Seat:
    """What an assessor can ask for."""

    def __init__(self, study: Study, desk: Desk, root: str) -> None:
        self.study, self.desk, self.root = study, desk, root

    def page(self, request: Request, person: Person) -> Response:
        judging.arrive(self.study, person.id)
        return pages.page("assess.html", data=assessor_view(self.study), root=self.root, title="Judge documents")

    def upcoming(self, request: Request, person: Person) -> dict[str, object]:
        return judging.situation(self.study, person.id)

    def label(self, request: Request, person: Person) -> Values:
        answer = judging.judge_and_go_on(self.study, person.id, entry_of(request.state.body))
        self.desk.wake()
        return answer


def assessor_view(study: Study) -> Values:
    """What an assessor's page knows of the study: how to grade, and nothing of what is compared."""
    return {
        "grades": study.buttons,
        "guideline": study.row.guideline,
        "mark": bool(study.row.mark_query),
    }


def entry_of(body: Values) -> Entry:
    """A label from a request; anything else in it is refused."""
    if not set(body) <= ALLOWED or not {"assignment", "action", "request"} <= set(body):
        raise Refused("a label has assignment, action, request, and no unknown fields.", status=400)
    kinds = {"assignment": int, "action": str, "request": str, "grade": str, "cannot": str, "comment": str}
    for name, value in body.items():
        if name == "seconds":
            ok = value is None or (isinstance(value, int | float) and not isinstance(value, bool) and value == value)
        else:
            optional = value is None and name in ("grade", "cannot", "comment")
            ok = optional or (isinstance(value, kinds[name]) and not isinstance(value, bool))
        if not ok:
            raise Refused(f"{name} is not valid.", status=400)
    return Entry(**body)


# ── starting it: links, address, and an end that loses nothing ───────────────────────────────────────────────────────
def links(study: Study, tokens: dict[str, str], address: str) -> dict[str, str]:
    """{name: link} of everybody."""
    paths = {p.name: "o" if p.role == "owner" else "a" for p in study.people()}
    return {name: f"{address}/{paths[name]}/{token}" for name, token in tokens.items()}


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    # on Windows SO_REUSEADDR would let another program take the same port
    listening.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR), 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise InputError(
            f"{host}, port {port}, cannot be used: {error.strerror or error}.", "Take another port, or port 0."
        ) from error
    listening.listen(128)
    return listening


def address_of(listening: socket.socket, shown_as: str | None = None) -> str:
    """Where links point: this machine, a name for it, or the whole address of a proxy in front."""
    host, port = listening.getsockname()[:2]
    name = shown_as or host
    if "://" in name:
        return name.rstrip("/")
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


def configured(study: Study, way: Way | None = None) -> uvicorn.Config:
    """The server's settings; nothing is logged that holds a token."""
    import uvicorn

    from dissensus.audit.wire import Wire

    return uvicorn.Config(
        application(study, way=way), http=Wire, ws="none", log_level="error", access_log=False, server_header=False,
        proxy_headers=False, timeout_graceful_shutdown=5, h11_max_incomplete_event_size=32_768,
    )  # fmt: skip


def serve(
    study: Study, listening: socket.socket, *, way: Way | None = None, ready: Callable[[], object] | None = None
) -> None:
    """Answer requests until the process is told to stop (SIGINT, SIGTERM); the file is whole when it returns."""
    import uvicorn

    server = uvicorn.Server(configured(study, way))
    # a request lets go of the interpreter at every statement, and would wait 5 ms for the sequence's thread each time
    sys.setswitchinterval(SWITCH)
    if threading.current_thread() is threading.main_thread():
        # uvicorn raises the signal again at its end: without a handler it would kill us before the file is whole
        signal.signal(signal.SIGTERM, lambda *_: None)
    if ready is not None:
        ready()
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:  # Ctrl-C is how a person ends it
        pass
    finally:
        study.store.close()
