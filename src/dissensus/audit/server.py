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
import socket
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import fields
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from dissensus.audit import judging, pages
from dissensus.audit.labelling import Entry, Refused
from dissensus.audit.owner import Desk
from dissensus.audit.people import who
from dissensus.audit.security import LOOPBACK, Guard
from dissensus.audit.study import Person, Study
from dissensus.errors import DissensusError, InputError

ALLOWED = {f.name for f in fields(Entry)} - {"at"}
SWITCH = 0.0005  # seconds after which a thread that computes lets another one go on


def application(study: Study, *, hosts: frozenset[str] | None = LOOPBACK) -> Starlette:
    """The study as an ASGI application; `hosts` are the names it answers to (None: all)."""
    desk = Desk(study)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await run_in_threadpool(desk.look)  # before the first request: no document waits for the sequence
        desk.start()
        try:
            yield
        finally:
            desk.stop()

    def for_role(role: str, work: Callable[[Request, Person], Any]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            body = await request.body() if request.method == "POST" else b""
            return await run_in_threadpool(_answer, study, role, work, request, body)

        return answer

    seat = _Seat(study, desk)
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
    return Starlette(routes=routes, middleware=[Middleware(Guard, hosts=hosts)], lifespan=lifespan)


def _answer(study: Study, role: str, work: Callable[[Request, Person], Any], request: Request, body: bytes) -> Response:
    """Look the token up, then do the work; refusals become answers with a reason, and no page shows a trace."""
    with study.store.read() as connection:
        person = who(connection, study, request.path_params["token"])
    if person is None or person.role != role:
        return PlainTextResponse("This link is not valid (any more).", 404)
    try:
        request.state.body = json.loads(body) if body else {}
        if not isinstance(request.state.body, dict):
            raise ValueError("not an object")
    except (ValueError, RecursionError):
        return JSONResponse({"error": "The request is not a JSON object."}, 400)
    try:
        result = work(request, person)
    except Refused as error:
        return JSONResponse({"error": error.what}, error.status)
    except DissensusError as error:
        return JSONResponse({"error": str(error)}, 409)
    return result if isinstance(result, Response) else JSONResponse(result)


class _Seat:
    """What an assessor can ask for."""

    def __init__(self, study: Study, desk: Desk) -> None:
        self.study, self.desk = study, desk

    def page(self, request: Request, person: Person) -> Response:
        judging.arrive(self.study, person.id)
        return pages.page("assess.html", data=assessor_view(self.study), title="Judge documents")

    def upcoming(self, request: Request, person: Person) -> dict[str, Any]:
        return judging.situation(self.study, person.id)

    def label(self, request: Request, person: Person) -> dict[str, Any]:
        answer = judging.judge_and_go_on(self.study, person.id, entry_of(request.state.body))
        self.desk.wake()
        return answer


def assessor_view(study: Study) -> dict[str, Any]:
    """What an assessor's page knows of the study: how to grade, and nothing of what is compared."""
    return {
        "grades": study.buttons,
        "guideline": study.row.guideline,
        "mark": bool(study.row.mark_query),
    }


def entry_of(body: dict[str, Any]) -> Entry:
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
    if abs(body["assignment"]) >= 2**63:
        raise Refused("assignment is not valid.", status=400)
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
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
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
    host, port = listening.getsockname()[:2]
    name = shown_as or host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


def serve(
    study: Study, listening: socket.socket, *, hosts: frozenset[str] | None = LOOPBACK,
    ready: Callable[[], None] | None = None,
) -> None:  # fmt: skip
    """Answer requests until the process is told to stop; nothing is logged that holds a token."""
    import uvicorn

    config = uvicorn.Config(
        application(study, hosts=hosts), log_level="warning", access_log=False, server_header=False,
        timeout_graceful_shutdown=5, h11_max_incomplete_event_size=32_768, limit_concurrency=200, ws="none",
    )  # fmt: skip
    server = uvicorn.Server(config)
    # a request lets go of the interpreter at every statement, and would wait 5 ms for the sequence's thread each time
    sys.setswitchinterval(SWITCH)
    if ready is not None:
        ready()
    server.run(sockets=[listening])
