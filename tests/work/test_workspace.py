"""Work that was stopped goes on; other work, damage and a second process are noticed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from units_of_work import recorded
from wording import phrase

import dissensus
from dissensus.errors import OutputError, WorkspaceError
from dissensus.work import workspace as workspaces
from dissensus.work.executor import run_units
from dissensus.work.workspace import Workspace, fingerprints


def noisy_square(unit: int, rng: np.random.Generator, calls: list[int] | None = None) -> dict[str, object]:
    if calls is not None:
        calls.append(unit)
    return {"square": unit * unit, "noise": rng.random(3)}


def fails_from_five(unit: int, rng: np.random.Generator, calls: list[int]) -> dict[str, object]:
    if unit >= 5:
        raise KeyboardInterrupt
    return noisy_square(unit, rng, calls)


def test_finished_units_are_not_done_again(tmp_path: Path) -> None:
    calls: list[int] = []
    with Workspace(tmp_path, {"seed": 1}) as workspace, pytest.raises(KeyboardInterrupt):
        run_units(fails_from_five, range(8), shared={"calls": calls}, seed=1, workspace=workspace, task="squares")
    assert calls == [0, 1, 2, 3, 4]
    with Workspace(tmp_path, {"seed": 1}) as workspace:
        resumed = run_units(
            noisy_square, range(8), shared={"calls": calls}, seed=1, workspace=workspace, task="squares"
        )
    assert calls == [0, 1, 2, 3, 4, 5, 6, 7]
    fresh = run_units(noisy_square, range(8), seed=1)
    for a, b in zip(resumed, fresh, strict=True):
        assert a["square"] == b["square"]
        np.testing.assert_array_equal(a["noise"], b["noise"])


def test_other_parameters_are_refused_showing_the_difference(tmp_path: Path) -> None:
    with Workspace(tmp_path, {"seed": 1, "measure": "AP", "same": 0}) as workspace:
        workspace.task("t").append(0, 1)
    with pytest.raises(WorkspaceError) as caught:
        Workspace(tmp_path, {"seed": 2, "same": 0, "new": [1]})
    message = str(caught.value)
    assert phrase("workspace.seed-workspace-now", 1, 2) in message
    assert phrase("workspace.measure-workspace-absent-now", "AP") in message
    assert phrase("workspace.new-absent-workspace-now", "[1]") in message
    assert "same" not in message
    Workspace(tmp_path, {"seed": 1, "measure": "AP", "same": 0}).close()  # the refused one let go of the lock


def test_work_that_never_began_may_be_replaced(tmp_path: Path) -> None:
    Workspace(tmp_path, {"seed": 1}).close()
    with Workspace(tmp_path, {"seed": 2}) as workspace:
        workspace.task("t").append(0, 1)
    with refused(WorkspaceError, 2, 1, tmp_path.name):
        Workspace(tmp_path, {"seed": 1})


def test_other_units_are_refused(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        run_units(noisy_square, range(3), seed=1, workspace=workspace)
    with Workspace(tmp_path) as workspace, refused(WorkspaceError, 3, 4, "workspace.sqlite"):
        run_units(noisy_square, range(4), seed=1, workspace=workspace)
    with Workspace(tmp_path) as workspace, refused(WorkspaceError, "workspace.sqlite"):
        run_units(noisy_square, [0, 1, 7], seed=1, workspace=workspace)
    with Workspace(tmp_path) as workspace, refused(WorkspaceError, "workspace.sqlite"):
        run_units(noisy_square, range(3), seed=2, workspace=workspace)
    with Workspace(tmp_path) as workspace:
        run_units(noisy_square, range(3), seed=1, workspace=workspace, task="told", about={"data": "abc"})
    with (
        Workspace(tmp_path) as workspace,
        refused(WorkspaceError, "abc", "xyz"),
    ):
        run_units(noisy_square, range(3), seed=1, workspace=workspace, task="told", about={"data": "xyz"})


def test_a_second_process_is_refused_or_waits(tmp_path: Path) -> None:
    script = f"""
import sys, time
from dissensus.work.workspace import Workspace
with Workspace({str(tmp_path)!r}):
    sys.stdout.write("in\\n"); sys.stdout.flush()
    sys.stdin.read()
"""
    other = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdin is not None
    assert other.stdout is not None
    try:
        assert other.stdout.readline() == "in\n"
        with refused(WorkspaceError, tmp_path.name):
            Workspace(tmp_path)
    finally:
        other.stdin.close()
    with Workspace(tmp_path, wait=True):
        pass
    assert other.wait() == 0
    other.stdout.close()


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with refused(WorkspaceError, "thesis.tex"):
        Workspace(tmp_path)
    with refused(WorkspaceError, "thesis.tex"):
        Workspace(tmp_path / "thesis.tex")


def test_one_file_and_nothing_else_is_left(tmp_path: Path) -> None:
    with Workspace(tmp_path, {"a": 1}) as workspace:
        workspace.task("t").append(0, 1)
    assert [p.name for p in tmp_path.iterdir()] == ["workspace.sqlite"]


def test_a_workspace_of_the_first_version_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "workspace.json").write_text('{"format": "dissensus workspace 1", "parameters": {}}')
    (tmp_path / "draw-1.units").write_bytes(b"")
    with refused(WorkspaceError, "0.1") as caught:
        Workspace(tmp_path)
    assert phrase("workspace.finish-work-version-began") in str(caught.value)


def test_another_version_is_other_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Workspace(tmp_path) as workspace:
        workspace.task("t").append(0, 1)
    dissensus_version = dissensus.__version__
    monkeypatch.setattr(workspaces, "__version__", "99")
    with refused(WorkspaceError, dissensus_version, 99):
        Workspace(tmp_path)


def test_inputs_are_known_by_their_content(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("a,b")
    before, stat = fingerprints([file]), file.stat()
    file.write_text("b,a")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # same name, size and time
    assert fingerprints([file]) != before
    file.write_text("a,b")
    assert fingerprints([file]) == before


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".download.part.iso").write_text("precious")
    with refused(WorkspaceError, ".download.part.iso"):
        Workspace(tmp_path)
    assert (tmp_path / ".download.part.iso").read_text() == "precious"
    assert [p.name for p in tmp_path.iterdir()] == [".download.part.iso"]  # and nothing of ours beside it


def test_an_unwritable_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refused(OutputError, "ws"):
        Workspace(tmp_path / "file" / "ws")


SLOW = """
import sys, time
import numpy as np
from dissensus.work.executor import run_units
from dissensus.work.workspace import Workspace

def slow(unit, rng):
    time.sleep(0.003)
    with open(sys.argv[2], "ab", buffering=0) as log:
        log.write(b"%d\\n" % unit)
    return rng.random(4)

with Workspace(sys.argv[1], {"seed": 5}, wait=True) as workspace:
    results = run_units(slow, range(80), seed=5, workspace=workspace, task="slow")
sys.stdout.write(repr(float(np.sum(results))))
"""


def test_killed_at_random_moments_nothing_is_lost_and_nothing_counted_twice(tmp_path: Path) -> None:
    script, log = tmp_path / "slow.py", tmp_path / "log"
    script.write_text(SLOW)
    command = [sys.executable, str(script), str(tmp_path / "ws"), str(log)]
    rng = random.Random(3)
    kills = 0
    for _ in range(40):
        started = log.stat().st_size if log.exists() else 0
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        while process.poll() is None and (not log.exists() or log.stat().st_size == started):
            time.sleep(0.002)  # until the first new unit has run: only then is there anything to interrupt
        time.sleep(rng.uniform(0, 0.08))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        if process.returncode == 0:
            break
        kills += 1
    assert kills >= 2
    assert process.returncode == 0
    expected = [np.random.default_rng(np.random.SeedSequence(5).spawn(80)[i]).random(4) for i in range(80)]
    assert output == repr(float(np.sum(expected)))
    ran = log.read_text().split()
    assert {int(u) for u in ran} == set(range(80))
    assert len(ran) <= 80 + kills  # each kill repeats at most the unit that was being recorded


STOPPED = """
import sys, time
from dissensus.work.executor import run_units
from dissensus.work.workspace import Workspace

def slow(unit):
    if unit >= 6:
        open(sys.argv[2], "w").close()
    time.sleep(0.05 if unit < 6 else 60)
    return unit

if __name__ == "__main__":
    with Workspace(sys.argv[1]) as workspace:
        run_units(slow, range(12), executor=2, workspace=workspace, task="slow")
"""


def test_ctrl_c_stops_the_workers_and_keeps_what_is_done(tmp_path: Path) -> None:
    script = tmp_path / "stopped.py"
    script.write_text(STOPPED)
    begun = tmp_path / "a long unit has begun"
    command = [sys.executable, str(script), str(tmp_path / "ws"), str(begun)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while process.poll() is None and not begun.exists():
        time.sleep(0.02)
    time.sleep(0.5)  # until the units before it are recorded
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to everybody
    _, err = process.communicate(timeout=45)  # it does not wait for units of a minute
    assert process.returncode != 0
    assert "KeyboardInterrupt" in err
    assert "spawn_main" not in err  # the workers die in silence
    assert recorded(tmp_path / "ws")["slow"] >= 4
