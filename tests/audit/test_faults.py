"""The fault suite, short: nothing acknowledged is lost, doubled or changed. The long form: bench.audit_faults."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from pathlib import Path

import pytest
import server_faults as faults
from server_kills import Server, send
from study_mutations import KINDS, Base, base, mutated

from bench import audit_faults
from dissensus.audit import whole
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the links of a PostgreSQL study go to the working folder


def test_half_sent_requests_hold_nobody_up(tmp_path: Path) -> None:
    """FINDINGS D2: 205 of them, and everybody got 503 for as long as they stayed."""
    seen = faults.slow_clients(str(tmp_path / "study.db"), connections=60, labels=5)
    assert seen.good, seen
    assert seen.labels == 5


def test_odd_requests_are_answered_below_500(tmp_path: Path) -> None:
    seen = faults.fuzzed_requests(str(tmp_path / "study.db"), requests=150, seed=2)
    assert seen.good, seen
    assert set(seen.statuses) >= {200, 400, 403}


def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path) -> None:
    """FINDINGS D5: a bare 500, and a traceback with statements and comments."""
    seen = faults.disk_full(str(tmp_path / "study.db"), runs=1)
    assert seen.good, seen
    assert seen.statuses[503] > 0


def test_a_database_that_comes_back_loses_nothing(postgresql: str) -> None:
    seen = faults.database_restarts(postgresql, runs=1)
    assert seen.good, seen
    assert seen.runs == 1


def test_the_clock_may_jump(place: str) -> None:
    seen = faults.clock_steps(place, runs=6)
    assert seen.good, seen
    assert seen.labels > 6


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_ended_leaves_one_whole_file(tmp_path: Path, number: int) -> None:
    """FINDINGS A2: after Ctrl-C the newest labels were in a log next to the file, and `cp` left them there."""
    place, server = tmp_path / "study.db", Server(str(tmp_path / "study.db"))
    faults.prepared(str(place), topics=6)
    link = server.start()["ann"]
    server.wait()
    send(link, "GET", "")
    (document, *_) = json.loads(send(link, "GET", "/next"))["documents"]
    entry = {"assignment": document["assignment"], "action": "grade", "grade": "1", "request": "r"}
    assert json.loads(send(link, "POST", "/label", entry))["documents"]
    assert whole.state(place) == "open"
    assert server.signal(number) == 0
    assert sorted(p.name for p in tmp_path.glob("study.db*")) == ["study.db", "study.db.links"]
    shutil.copy(place, tmp_path / "copy.db")
    with StudyStore.open(tmp_path / "copy.db") as store:
        assert Study.load(store).seal().labels == 1


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Base:
    return base(tmp_path_factory.mktemp("good"))


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_refused_in_words(good: Base, kind: str) -> None:
    """FINDINGS D4: 121 of 400 damaged studies brought up exceptions that are not ours."""
    ends = [mutated(good, kind, seed) for seed in range(1000, 1008)]
    assert [e for e in ends if e[0] in ("changed", "foreign")] == []
    assert any(e[0] == "refused" for e in ends)


def test_the_suite_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["bench", "--json", "--only", "clock steps", "--scale", "0.5", "--workspace", str(tmp_path / "ws")]
    monkeypatch.setattr(sys, "argv", command)
    audit_faults.main()
    first = json.loads(capsys.readouterr().out)["tables"]["faults"]
    assert [(r["fault"], r["runs"], r["lost"], r["other failures"]) for r in first] == [("clock steps", 50, 0, 0)]
    monkeypatch.setattr(audit_faults, "run_chunk", lambda *_: pytest.fail("it was kept"))
    audit_faults.main()
    assert json.loads(capsys.readouterr().out)["tables"]["faults"] == first
    monkeypatch.setattr(sys, "argv", ["bench", "--json", "--so-far", "--workspace", str(tmp_path / "ws")])
    audit_faults.main()
    seen = {row["fault"]: row for row in json.loads(capsys.readouterr().out)["tables"]["faults"]}
    assert (seen["clock steps"]["runs"], seen["clock steps"]["chunks"]) == (50, "1 of 2")
    assert (seen["disk full"]["runs"], seen["disk full"]["seen"]) == (0, "not run")
