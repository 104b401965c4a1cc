"""Work that was stopped goes on; other work, damage and a second process are noticed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dissensus.errors import DataWarning, OutputError, WorkspaceError
from dissensus.work.executor import run_units
from dissensus.work.record import MAGIC, Record
from dissensus.work.workspace import Workspace


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
    Workspace(tmp_path, {"seed": 1, "measure": "AP", "same": 0}).close()
    with pytest.raises(WorkspaceError) as caught:
        Workspace(tmp_path, {"seed": 2, "same": 0, "new": [1]})
    message = str(caught.value)
    assert "seed: 1 in the workspace, 2 now" in message
    assert 'measure: "AP" in the workspace, absent now' in message
    assert "new: absent in the workspace, [1] now" in message
    assert "same" not in message
    Workspace(tmp_path, {"seed": 1, "measure": "AP", "same": 0}).close()  # the refused one let go of the lock


def test_other_units_are_refused(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        run_units(noisy_square, range(3), seed=1, workspace=workspace)
    with Workspace(tmp_path) as workspace, pytest.raises(WorkspaceError, match="units: 3 in the workspace, 4 now"):
        run_units(noisy_square, range(4), seed=1, workspace=workspace)
    with Workspace(tmp_path) as workspace, pytest.raises(WorkspaceError, match="digest"):
        run_units(noisy_square, [0, 1, 7], seed=1, workspace=workspace)
    with Workspace(tmp_path) as workspace, pytest.raises(WorkspaceError, match="seed"):
        run_units(noisy_square, range(3), seed=2, workspace=workspace)


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
        with pytest.raises(WorkspaceError, match=rf"in use by another process \(process {other.pid}\)"):
            Workspace(tmp_path)
    finally:
        other.stdin.close()
    with Workspace(tmp_path, wait=True):
        pass
    assert other.wait() == 0
    other.stdout.close()


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(WorkspaceError, match=r"holds thesis\.tex"):
        Workspace(tmp_path)
    with pytest.raises(WorkspaceError, match="is a file"):
        Workspace(tmp_path / "thesis.tex")


def test_what_a_kill_left_half_written_is_swept_away(tmp_path: Path) -> None:
    (tmp_path / ".workspace-0123456789ab.part.json").write_text("{")
    with Workspace(tmp_path, {"a": 1}) as workspace:
        workspace.task("t").append(0, 1)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lock", "t.units", "workspace.json"]


def test_a_damaged_header_is_refused(tmp_path: Path) -> None:
    Workspace(tmp_path, {"a": 1}).close()
    (tmp_path / "workspace.json").write_text("{")
    with pytest.raises(WorkspaceError, match="damaged"):
        Workspace(tmp_path, {"a": 1})


# ── records ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def filled(path: Path, n: int) -> bytes:
    record = Record(path, {"task": "t"})
    for unit in range(n):
        record.append(unit, {"unit": unit, "x": np.full(5, unit)})
    record.close()
    return path.read_bytes()


def test_every_possible_torn_end_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "t.units"
    whole = filled(path, 3)
    two = len(filled(tmp_path / "two.units", 2))
    for cut in range(two, len(whole)):
        path.write_bytes(whole[:cut])
        record = Record(path, {"task": "t"})
        assert record.done == {0, 1}
        record.append(2, {"unit": 2, "x": np.full(5, 2)})
        record.close()
        assert path.read_bytes() == whole


def test_a_tail_of_zeros_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "t.units"
    whole = filled(path, 3)
    path.write_bytes(whole + bytes(5000))
    record = Record(path, {"task": "t"})
    record.close()
    assert record.done == {0, 1, 2}
    assert path.read_bytes() == whole


def test_damage_in_the_middle_costs_only_the_damaged_unit(tmp_path: Path) -> None:
    path = tmp_path / "t.units"
    whole = filled(path, 4)
    starts = [i for i in range(len(whole)) if whole.startswith(MAGIC, i)]
    rng = random.Random(0)
    for _ in range(60):
        where = rng.randrange(starts[1], starts[2])
        broken = bytearray(whole)
        broken[where] ^= 1 << rng.randrange(8)
        path.write_bytes(bytes(broken))
        with pytest.warns(DataWarning, match="done again"):
            record = Record(path, {"task": "t"})
        assert record.done == {0, 2, 3}
        assert record.read(3)["unit"] == 3
        record.append(1, {"unit": 1, "x": np.full(5, 1)})
        record.close()
        with pytest.warns(DataWarning, match="damaged"):
            again = Record(path, {"task": "t"})
        assert again.done == {0, 1, 2, 3}
        assert again.read(1)["unit"] == 1
        again.close()


def test_a_unit_counts_once(tmp_path: Path) -> None:
    record = Record(tmp_path / "t.units", {"task": "t"})
    record.append(0, "first")
    record.append(0, "second")
    record.close()
    again = Record(tmp_path / "t.units", {"task": "t"})
    assert len(again) == 1
    assert again.read(0) == "first"
    again.close()


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.units").write_bytes(b"hello\nworld")
    with pytest.raises(WorkspaceError, match="not a record"):
        Record(tmp_path / "t.units", {"task": "t"})


def test_a_full_disk_keeps_the_units_before(tmp_path: Path) -> None:
    script = f"""
import resource, signal, sys
import numpy as np
from pathlib import Path
from dissensus.errors import OutputError
from dissensus.work.record import Record
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
record = Record(Path({str(tmp_path / "t.units")!r}), {{"task": "t"}})
try:
    for unit in range(100):
        record.append(unit, np.zeros(100))
except OutputError as error:
    sys.stdout.write(str(error))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "unit 4 could not be recorded" in done.stdout
    assert "The 4 units before it are kept" in done.stdout
    record = Record(tmp_path / "t.units", {"task": "t"})
    assert record.done == {0, 1, 2, 3}
    record.close()


def test_an_unwritable_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="could not be made"):
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
    results = run_units(slow, range(60), seed=5, workspace=workspace, task="slow")
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
        time.sleep(rng.uniform(0, 0.03))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        if process.returncode == 0:
            break
        kills += 1
    assert kills >= 4
    assert process.returncode == 0
    expected = [np.random.default_rng(np.random.SeedSequence(5).spawn(60)[i]).random(4) for i in range(60)]
    assert output == repr(float(np.sum(expected)))
    ran = log.read_text().split()
    assert {int(u) for u in ran} == set(range(60))
    assert len(ran) <= 60 + kills  # each kill repeats at most the unit that was being recorded


STOPPED = """
import sys, time
from dissensus.work.executor import run_units
from dissensus.work.workspace import Workspace

def slow(unit):
    time.sleep(0.05 if unit < 6 else 60)
    return unit

if __name__ == "__main__":
    with Workspace(sys.argv[1]) as workspace:
        run_units(slow, range(12), executor=2, workspace=workspace, task="slow")
"""


def test_ctrl_c_stops_the_workers_and_keeps_what_is_done(tmp_path: Path) -> None:
    script = tmp_path / "stopped.py"
    script.write_text(STOPPED)
    record = tmp_path / "ws" / "slow.units"
    process = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "ws")], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while process.poll() is None and (not record.exists() or record.stat().st_size < 500):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to everybody
    _, err = process.communicate(timeout=30)  # it does not wait for units of a minute
    assert process.returncode != 0
    assert "KeyboardInterrupt" in err
    assert "spawn_main" not in err  # the workers die in silence
    with Workspace(tmp_path / "ws") as workspace:
        header = json.loads(record.read_bytes().partition(b"\n")[0])
        about = {k: v for k, v in header["about"].items() if k != "task"}
        assert workspace.task("slow", about).done >= {0, 1, 2, 3}
