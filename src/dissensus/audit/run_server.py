"""Starting the server: links, address, and an end that loses nothing."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable

from dissensus.audit.security import LOOPBACK
from dissensus.audit.server import application
from dissensus.audit.study import Study
from dissensus.errors import InputError

SWITCH = 0.0005  # seconds after which a thread that computes lets another one go on


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
