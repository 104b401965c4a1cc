"""Faults that a study must survive, each played against the real server in a process of its own.

The bar is one for all: nothing that was acknowledged is lost, doubled or changed. `bench.audit_faults` runs them long,
the tests run them short.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from databases import postgresql_programs
from server_kills import Expert, Outcome, Server, check, once, send

from dissensus.audit.judging import arrive, judge, upcoming
from dissensus.audit.labelling import Entry, Refused
from dissensus.audit.people import issue_tokens, keep_tokens, links_file
from dissensus.audit.settings import StudySettings
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study, new_study
from dissensus.io.samples import generated_collection


@dataclass
class Fault(Outcome):
    """`runs`: how often the fault was there; `note`: what was seen beside it."""

    runs: int = 0
    note: str = ""
    statuses: dict[int, int] = field(default_factory=dict)


class Patient(Expert):
    """An expert whose page sends again what was answered with 5xx or 429, as the real page does."""

    def ask(self, method: str, path: str, body: object = None) -> dict[str, list[dict[str, int]]]:
        tries = 0
        while not (self.over and (method == "GET" or tries > 20)):
            tries += 1
            try:
                status, data = once(self.link.geturl(), method, path, body)
            except (OSError, http.client.HTTPException):
                time.sleep(0.02)
                continue
            if isinstance(self.outcome, Fault):
                self.outcome.statuses[status] = self.outcome.statuses.get(status, 0) + 1
            if status == 200:
                self.outcome.resent += tries > 1 and body is not None
                return dict(json.loads(data))
            if status < 500 and status != 429:
                raise RuntimeError(f"{status}: {data[:200]!r}")
            time.sleep(0.05)
        return {}


def prepared(place: str, topics: int = 20, experts: tuple[str, ...] = ("ann", "ben")) -> None:
    """A study with its links, closed again."""
    sample = generated_collection(seed=2, topics=topics)
    settings = StudySettings("P(rel=2)@10", seed=1, experts=experts, second_share=0.3)
    with StudyStore.create(place) as store:
        study = new_study(store, sample.runs, sample.judgments, settings, assessor="llm")
        keep_tokens(links_file(study, place), issue_tokens(study))


def compared(place: str, experts: list[Patient], outcome: Fault) -> Fault:
    with StudyStore.open(place) as store:
        check(Study.load(store), [e.acknowledged for e in experts], outcome)
    return outcome


@contextmanager
def judging(servers: list[Server], names: tuple[str, ...], outcome: Fault, first: int = 0) -> Iterator[list[Patient]]:
    """Experts who judge, spread over the servers; their requests are numbered from `first`."""
    all_links = [server.start() for server in servers]
    for server in servers:
        server.wait()
    experts = [Patient(all_links[i % len(servers)][name], name, outcome) for i, name in enumerate(names)]
    for expert in experts:
        send(expert.link.geturl(), "GET", "")
    for expert in experts:
        expert.count = first
        expert.start()
    try:
        yield experts
    finally:
        for expert in experts:
            expert.over = True
        for expert in experts:
            expert.join(timeout=60)
        for server in servers:
            server.end()


def wait_for(experts: list[Patient], labels: int, seconds: float = 120) -> None:
    """Until so many more labels are acknowledged."""
    wanted = sum(len(e.acknowledged) for e in experts) + labels
    end = time.monotonic() + seconds
    while sum(len(e.acknowledged) for e in experts) < wanted and time.monotonic() < end:
        if not any(e.is_alive() for e in experts):
            return
        time.sleep(0.02)


# ── the faults ───────────────────────────────────────────────────────────────────────────────────────────────────────
def disk_full(place: str, runs: int = 3) -> Fault:
    """The server's files may not grow any more; it says so with 503, and goes on when there is room again."""
    outcome = Fault()
    prepared(place)
    everybody: list[Patient] = []
    for run in range(runs):
        room, before = Path(place).stat().st_size + 40_000, outcome.statuses.get(503, 0)
        server = Server(place, room)
        with judging([server], ("ann", "ben"), outcome, first=1000 * run) as experts:
            end = time.monotonic() + 60
            while outcome.statuses.get(503, 0) == before and time.monotonic() < end:
                time.sleep(0.05)
            status, body = once(experts[0].link.geturl(), "GET", "/next")
            if status not in (200, 503) or (status == 503 and b"kept here" not in body):
                outcome.failures.append(f"{status}: {body[:80]!r}")
        everybody += experts
        outcome.runs += 1
    outcome.note = f"{outcome.statuses.get(503, 0)} answers 503"
    if not outcome.statuses.get(503):
        outcome.failures.append("the disk never was full")
    return compared(place, everybody, outcome)


def database_restarts(place: str, runs: int = 3) -> Fault:
    """PostgreSQL is stopped at once and started again while experts judge."""
    outcome = Fault()
    prepared(place)
    with judging([Server(place)], ("ann", "ben"), outcome) as experts:
        for _ in range(runs):
            wait_for(experts, 5)
            restart(place)
            outcome.runs += 1
        wait_for(experts, 5)
    outcome.note = f"{outcome.statuses.get(503, 0)} answers 503"
    return compared(place, experts, outcome)


def restart(address: str) -> None:
    """Stop a private PostgreSQL as a power cut would, and start it."""
    folder = Path(dict(part.split("=") for part in address.partition("?")[2].split("&"))["host"].replace("%2F", "/"))
    programs = postgresql_programs()
    assert programs is not None
    user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c max_connections=60"
    command = [str(programs / "pg_ctl"), "-D", str(folder / "data"), "-w", "-m", "immediate", "-o", options,
               "-l", str(folder / "log"), "restart"]  # fmt: skip
    subprocess.run(
        command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, **user,  # type: ignore[call-overload]
    )  # fmt: skip


def clock_steps(place: str, runs: int = 10, seed: int = 0) -> Fault:
    """The clock jumps by hours and years in both directions between labels."""
    outcome, dice = Fault(), random.Random(seed)
    prepared(place, topics=6)
    acknowledged: dict[str, tuple[int, str]] = {}
    with StudyStore.open(place) as store:
        study = Study.load(store)
        for person in study.experts():
            arrive(study, person.id)
        for step in range(runs):
            now = time.time() + dice.choice([-3e8, -7200.0, -1.0, 0.0, 1900.0, 86_400.0, 3e8])
            with mock.patch("time.time", lambda now=now: now):
                for person in study.experts():
                    for n, document in enumerate(upcoming(study, person.id, 2)):
                        key, request = document["assignment"], f"{person.name}-{step}-{n}"
                        try:
                            judge(study, person.id, Entry(key, "grade", request, str(n)))
                            acknowledged[request] = (key, str(n))
                        except Refused:  # given to somebody else meanwhile: said, not lost
                            pass
            outcome.runs += 1
    with StudyStore.open(place) as store:
        check(Study.load(store), [acknowledged], outcome)
    return outcome


def two_servers(place: str, labels: int = 60) -> Fault:
    """Two servers of one study at once, an expert at each."""
    outcome = Fault(runs=2)
    prepared(place)
    with judging([Server(place), Server(place)], ("ann", "ben"), outcome) as experts:
        wait_for(experts, labels)
    return compared(place, experts, outcome)


def many_assessors(place: str, assessors: int = 50, labels: int = 300) -> Fault:
    """Fifty experts judge at once."""
    outcome, names = Fault(runs=assessors), tuple(f"e{i}" for i in range(assessors))
    prepared(place, topics=60, experts=names)
    with judging([Server(place)], names, outcome) as experts:
        wait_for(experts, labels)
    return compared(place, experts, outcome)


def slow_clients(place: str, connections: int = 205, labels: int = 40) -> Fault:
    """Half-sent requests stay open beside an expert who judges."""
    outcome = Fault(runs=connections)
    prepared(place)
    server, times = Server(place), []
    links = server.start()
    server.wait()
    half = [_half(server.port, i) for i in range(connections)]
    try:
        link, acknowledged = links["ann"], {}
        send(link, "GET", "")
        documents = json.loads(send(link, "GET", "/next"))["documents"]
        for i in range(labels):
            if not documents:
                break
            key, request = documents[0]["assignment"], f"r{i}"
            entry = {"assignment": key, "action": "grade", "grade": "1", "request": request}
            start = time.perf_counter()
            status, body = once(link, "POST", "/label", entry)
            times.append(time.perf_counter() - start)
            if status != 200:
                outcome.failures.append(f"{status}: {body[:80]!r}")
                break
            acknowledged[request] = (key, "1")
            documents = json.loads(body)["documents"]
    finally:
        for connection in half:
            connection.close()
        server.end()
    outcome.note = (
        f"next document: median {1000 * statistics.median(times):.0f} ms, slowest {1000 * max(times):.0f} ms"
        if times
        else "no label"
    )
    with StudyStore.open(place) as store:
        check(Study.load(store), [acknowledged], outcome)
    return outcome


def _half(port: int, number: int) -> socket.socket:
    """A connection with part of a head, or a head and part of a body."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    head = b"POST /a/x/label HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n"
    connection.sendall([b"", b"GET / HT", head, head + b"\r\n{"][number % 4])
    return connection


def fuzzed_requests(place: str, requests: int = 500, seed: int = 0) -> Fault:
    """Requests that no page sends, some under a good link: every one is answered below 500 or not at all."""
    outcome, dice = Fault(), random.Random(seed)
    prepared(place)
    with judging([Server(place)], ("ann",), outcome) as experts:
        link = experts[0].link
        wait_for(experts, 1)
        for _ in range(requests):
            answer = raw(link.hostname or "", link.port or 0, request_of(dice, link.path, link.netloc))
            outcome.runs += 1
            status = answer[9:12]
            outcome.statuses[int(status) if status.isdigit() else 0] = (
                outcome.statuses.get(int(status) if status.isdigit() else 0, 0) + 1
            )
            if status[:1] == b"5":
                outcome.failures.append(f"{answer[:120]!r}")
    outcome.note = ", ".join(f"{n} × {s}" for s, n in sorted(outcome.statuses.items()))
    return compared(place, experts, outcome)


def raw(host: str, port: int, data: bytes, seconds: float = 2.0) -> bytes:
    """What comes back to these bytes within a while; nothing where the server waits for more."""
    with socket.create_connection((host, port), timeout=seconds) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(65_536)
        except OSError:
            return b""


BODIES: tuple[Callable[[random.Random], bytes], ...] = (
    lambda d: b'{"assignment": 1, "action": "undo", "request": "\\ud800"}',
    lambda d: b'{"assignment": 1, "action": "skip", "request": "x", "comment": "\\udc00"}',
    lambda d: b'{"assignment": ' + b"9" * d.choice([1, 19, 400, 5000]) + b', "action": "grade", "request": "a"}',
    lambda d: b'{"assignment": 1e400, "action": "grade", "grade": "1", "request": "b", "seconds": 1e999}',
    lambda d: b"[" * d.choice([1, 900, 8000]),
    lambda d: json.dumps({"assignment": d.choice([-1, 0, 1, 2**63, 2**70]), "action": d.choice(["grade", "", "like"]),
                          "grade": d.choice(["1", None, "\0"]), "request": d.choice(["", "q" * 65, "z"])}).encode(),
    lambda d: bytes(d.randrange(256) for _ in range(d.randrange(60))),
    lambda d: b'{"draw": ' + str(d.choice([2**70, -1, 1])).encode() + b', "grade": "1", "confirm": 1}',
)  # fmt: skip


def request_of(dice: random.Random, path: str, host: str) -> bytes:
    """One odd request."""
    method = dice.choice(["POST", "POST", "POST", "GET", "PUT", "HEAD", "OPTIONS", "G\x01T", "TRACE"])
    target = dice.choice([path + "/label"] * 4 + [path, path + "/next", "/", "/a/" + "x" * 32 + "/label", "/../etc",
                         "*", "/static/%2e%2e/x", path + "/state?drawn=" + "9" * 30, "/o/%ff/close"])  # fmt: skip
    body = dice.choice(BODIES)(dice)
    headers = [f"Host: {dice.choice([host] * 6 + ['[::1]evil.com', 'evil', '', 'a b', '[bad'])}"]
    headers.append(f"Origin: {dice.choice([f'http://{host}'] * 6 + ['http://[bad', 'null', 'http://evil'])}")
    headers.append(f"Content-Type: {dice.choice(['application/json'] * 6 + ['text/plain', ''])}")
    length = dice.choice([len(body)] * 6 + [2, 0, -1, 10**12])
    headers.append(f"Content-Length: {length}")
    headers += dice.choice([[], [], [], ["Transfer-Encoding: chunked"], ["Content-Length: 3"], ["Expect: 100-continue"],
                            ["X: " + "y" * 40_000], ["Connection: Upgrade", "Upgrade: websocket"]])  # fmt: skip
    dice.shuffle(headers)
    head = f"{method} {target} HTTP/1.1\r\n" + "\r\n".join(headers) + "\r\n\r\n"
    whole = head.encode("latin-1", "replace") + body
    if dice.random() < 0.2:  # somewhere a byte is another one, or the rest is missing
        at = dice.randrange(len(whole))
        whole = whole[:at] + bytes([dice.randrange(256)]) + whole[at + 1 :] if dice.random() < 0.5 else whole[:at]
    return whole
