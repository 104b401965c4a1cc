"""Kill the audit's server with SIGKILL, between and during requests, and look whether a label was lost or doubled.

    python -m bench.audit_faults --only "SIGKILL, SQLite"         # 1,000 times, kept in chunks

Two experts judge through real requests. Every label is sent until it is acknowledged, under one request id, as the page
does; the server is killed at a seeded moment and started again. At the end: every acknowledged label is in the log
exactly once, no item was given to two people in one role, and two replays of the log give one sequence.
"""

from __future__ import annotations

import atexit
import http.client
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import urlsplit

import sqlalchemy as sa

from dissensus.audit import schema
from dissensus.audit.live import Live
from dissensus.audit.people import issue_tokens, keep_tokens, links_file
from dissensus.audit.settings import StudySettings
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study, new_study
from dissensus.audit.whole import state
from dissensus.io.samples import generated_collection

LEAST = 4  # labels to look at


@dataclass
class Outcome:
    """What was seen; everything but `kills`, `labels`, `resent` has to be 0."""

    kills: int = 0
    labels: int = 0
    resent: int = 0
    lost: int = 0
    doubled: int = 0
    shared: int = 0
    replay_differs: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return not (self.lost or self.doubled or self.shared or self.replay_differs or self.failures)


def once(link: str, method: str, path: str, body: object = None) -> tuple[int, bytes]:
    """(status, answer) of one request, as the page would send it."""
    parts = urlsplit(link)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    try:
        headers = {"origin": f"http://{parts.netloc}", "content-type": "application/json"} if body else {}
        connection.request(method, parts.path + path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def send(link: str, method: str, path: str, body: object = None) -> bytes:
    """The answer to a request, sent again while the server is not there."""
    for _ in range(3000):
        try:
            return once(link, method, path, body)[1]
        except (OSError, http.client.HTTPException):
            time.sleep(0.02)
    raise RuntimeError("the server does not answer")


# a parent that has imported everything and forks a server per line: a process like any other, there in no time
NURSERY = """
import json, os, sys
import polars, scipy.optimize, uvicorn
import dissensus.audit.closing, dissensus.audit.people, dissensus.audit.server, dissensus.audit.wire
import dissensus.cli.audit, dissensus.cli.commands, dissensus.cli.terminal.output
from dissensus.cli import main
for line in sys.stdin:
    asked = json.loads(line)
    if "wait" in asked:
        print(os.waitstatus_to_exitcode(os.waitpid(asked["wait"], 0)[1]), flush=True)
    elif (child := os.fork()) == 0:
        os.chdir(asked["folder"])
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        print(os.getpid(), flush=True)
        status = main(asked["command"])
        sys.stdout.flush()
        os._exit(status)
"""


@cache
def nursery() -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    atexit.register(_stop, process)
    return process


def _stop(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()


class Server:
    """The server as a process, on one port for all its lives."""

    def __init__(self, place: str, room: int | None = None) -> None:
        self.place, self.room = place, room  # `room`: bytes that a file of it may have
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.pid = 0

    def start(self) -> dict[str, str]:
        command = ["audit", "serve", self.place, "--port", str(self.port), "--json"]
        self.pid = int(self._ask({"command": command, "folder": os.getcwd()}))
        if self.room is not None:
            resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (self.room, self.room))
        return dict(json.loads(self._line())["links"])

    @staticmethod
    def _line() -> str:
        out = nursery().stdout
        assert out is not None
        return out.readline()

    def _ask(self, what: dict[str, object]) -> str:
        into = nursery().stdin
        assert into is not None
        into.write(json.dumps(what) + "\n")
        into.flush()
        return self._line()

    def wait(self) -> None:
        """Until it answers."""
        send(f"http://127.0.0.1:{self.port}/", "GET", "")

    def kill(self) -> None:
        self.signal(signal.SIGKILL)

    def end(self) -> None:
        """As an administrator ends it."""
        self.signal(signal.SIGTERM)

    def signal(self, number: int) -> int:
        """Send a signal, wait until the process is gone, and return its exit status."""
        os.kill(self.pid, number)
        return int(self._ask({"wait": self.pid}))


class Expert(threading.Thread):
    """Judges through the server until told to stop; remembers what was acknowledged."""

    def __init__(self, link: str, name: str, outcome: Outcome) -> None:
        super().__init__(name=name, daemon=True)
        self.link, self.outcome = urlsplit(link), outcome
        self.acknowledged: dict[str, tuple[int, str]] = {}
        self.over = False
        self.count = 0

    def run(self) -> None:
        try:
            documents = self.ask("GET", "/next")["documents"]
            while not self.over and documents:
                key, self.count = documents[0]["assignment"], self.count + 1
                request = f"{self.name}-{self.count}"
                grade = str(self.count % 4)
                entry = {"assignment": key, "action": "grade", "grade": grade, "request": request, "seconds": 1}
                answer = self.ask("POST", "/label", entry)
                if not answer:
                    return
                self.acknowledged[request] = (key, grade)
                documents = answer["documents"]
        except Exception as error:
            self.outcome.failures.append(f"{self.name}: {error!r}")

    def ask(self, method: str, path: str, body: object = None) -> dict[str, list[dict[str, int]]]:
        """One request, sent again until it is answered."""
        tries = 0
        while not (self.over and method == "GET"):
            tries += 1
            try:
                status, data = once(self.link.geturl(), method, path, body)
                if status != 200:
                    raise RuntimeError(f"{status}: {data[:200]!r}")
                self.outcome.resent += tries > 1 and body is not None
                return dict(json.loads(data))
            except (OSError, http.client.HTTPException):
                time.sleep(0.02)
        return {}


def prepared(place: str, topics: int = 40) -> Study:
    """A study with enough documents for every kill."""
    sample = generated_collection(seed=2, topics=topics)
    settings = StudySettings("P(rel=2)@10", seed=1, experts=("ann", "ben"), second_share=0.3)
    study = new_study(StudyStore.create(place), sample.runs, sample.judgments, settings, assessor="llm")
    keep_tokens(links_file(study, place), issue_tokens(study))
    return study


def run(place: str, kills: int, seed: int = 0, topics: int = 40) -> Outcome:
    """Judge while the server is killed `kills` times; then compare the log with what was acknowledged."""
    dice, outcome = random.Random(seed), Outcome()
    study, server = prepared(place, topics), Server(place)
    links = server.start()
    experts = [Expert(links[name], name, outcome) for name in ("ann", "ben")]
    for name in ("ann", "ben"):
        send(links[name], "GET", "")
    for expert in experts:
        expert.start()
    for _ in range(kills):
        if dice.random() < 0.9:  # else it is killed while it starts
            server.wait()
        time.sleep(dice.uniform(0.0, 0.3))
        server.kill()
        outcome.kills += 1
        server.start()
    server.wait()
    time.sleep(0.3)
    patience = time.monotonic() + 60
    while sum(len(e.acknowledged) for e in experts) < LEAST and time.monotonic() < patience:
        time.sleep(0.05)  # a machine under load answers late: without a label there is nothing to look at
    for expert in experts:
        expert.over = True
    for expert in experts:
        expert.join(timeout=60)
    server.kill()
    study.store.close()
    with StudyStore.open(place) as store:  # what a kill left is made whole by the next open
        check(Study.load(store), [e.acknowledged for e in experts], outcome)
    if store.path is not None and state(store.path) != "at rest":
        outcome.failures.append("the file is not whole after the last end")
    return outcome


def check(study: Study, acknowledged: list[dict[str, tuple[int, str]]], outcome: Outcome) -> None:
    """Every acknowledged label once in the log, one person per item and role, replay equal to the bit."""
    with study.store.read() as connection:
        rows = connection.execute(sa.select(schema.label)).all()
        given = connection.execute(sa.select(schema.assignment)).all()
    log: dict[str, list[tuple[int, str]]] = {}
    for row in rows:
        log.setdefault(row.request, []).append((row.assignment, row.grade))
    outcome.labels = len(rows)
    for sent in acknowledged:
        outcome.lost += sum(log.get(request, [None])[0] != what for request, what in sent.items())
    outcome.doubled = sum(len(found) > 1 for found in log.values())
    per_assignment: dict[int, int] = {}
    for row in rows:
        per_assignment[row.assignment] = per_assignment.get(row.assignment, 0) + 1
    outcome.doubled += sum(n > 1 for n in per_assignment.values())
    outcome.shared = len(given) - len({(a.item, a.role, a.attempt) for a in given})
    outcome.failures += study.seal().problems
    first, second = Live(study), Live(study)
    first.refresh()
    second.refresh()
    outcome.replay_differs = int(not first.sequence.table.equals(second.sequence.table))
