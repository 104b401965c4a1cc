"""Finished units in a SQLite file: damage, a full disk, other processes, forks, links."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from refusals import refused, warned
from wording import phrase

from dissensus.errors import DataWarning, WorkspaceError
from dissensus.work.units import Store, Task, difference


def filled(path: Path, n: int) -> None:
    store = Store(path)
    task = Task(store, "t", {})
    for number in range(n):
        task.append(number, {"number": number, "x": np.full(5, number)})
    store.close()


def test_what_was_appended_is_read_back(tmp_path: Path) -> None:
    filled(tmp_path / "w.sqlite", 3)
    store = Store(tmp_path / "w.sqlite")
    task = Task(store, "t", {})
    assert task.done == {0, 1, 2}
    np.testing.assert_array_equal(task.read(2)["x"], np.full(5, 2))
    assert len(Task(store, "other", {})) == 0
    store.close()


def test_a_flipped_bit_costs_only_its_unit(tmp_path: Path) -> None:
    path = tmp_path / "w.sqlite"
    filled(path, 4)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as file:
        ((blob,),) = file.execute("SELECT payload FROM units WHERE number = 1").fetchall()
        broken = bytes([*blob[:-1], blob[-1] ^ 4])
        file.execute("UPDATE units SET payload = ? WHERE number = 1", (broken,))
    store = Store(path)
    with warned(DataWarning, "w.sqlite", 1, "t"):
        task = Task(store, "t", {})
    assert task.done == {0, 2, 3}
    task.append(1, "again")
    assert task.read(1) == "again"
    store.close()


@pytest.mark.parametrize("where", [0.02, 0.3, 0.6, 0.95])
def test_a_damaged_file_is_refused_or_gives_only_true_numbers(tmp_path: Path, where: float) -> None:
    path = tmp_path / "w.sqlite"
    filled(path, 200)
    data = bytearray(path.read_bytes())
    at = int(where * len(data))
    data[at : at + 64] = b"\xa5" * 64
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # damaged units are named, and done again
        try:
            with contextlib.closing(Store(path)) as store:
                task = Task(store, "t", {})
                kept = {n: task.read(n)["number"] for n in task.done}
        except WorkspaceError as error:
            kept = {}
            refused = str(error)
        else:
            refused = ""
    assert kept or phrase("units.remove-this-one") in refused
    assert all(n == number for n, number in kept.items())


def test_a_unit_counts_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "w.sqlite")
    task = Task(store, "t", {})
    task.append(0, "first")
    task.append(0, "second")
    assert (len(task), task.read(0)) == (1, "first")
    store.close()


def test_files_of_others_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.sqlite").write_bytes(b"hello\nworld" * 100)
    with refused(WorkspaceError, "text.sqlite"):
        Store(tmp_path / "text.sqlite")
    with contextlib.closing(sqlite3.connect(tmp_path / "other.sqlite", isolation_level=None)) as file:
        file.execute("CREATE TABLE mine (x)")
    with refused(WorkspaceError, "other.sqlite"):
        Store(tmp_path / "other.sqlite")


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "w.sqlite").symlink_to(tmp_path / "precious")
    with refused(WorkspaceError, "w.sqlite"):
        Store(tmp_path / "w.sqlite")
    assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_neither_writes_nor_tidies_up(tmp_path: Path) -> None:
    script = f"""
import os, sys
from pathlib import Path
from dissensus.errors import WorkspaceError
from dissensus.work.units import Store, Task
store = Store(Path({str(tmp_path / "w.sqlite")!r}))
task = Task(store, "t", {{}})
task.append(0, 1)
if os.fork() == 0:
    try:
        task.append(1, 1)
    except WorkspaceError as error:
        assert "before a fork" in str(error)
        store.close()
        del store, task
        sys.exit(7)  # the interpreter ends as usual, and closes what it holds
assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
task.append(2, 2)
store.close()
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    store = Store(tmp_path / "w.sqlite")
    assert Task(store, "t", {}).done == {0, 2}
    store.close()


def test_a_full_disk_keeps_the_units_before(tmp_path: Path) -> None:
    script = f"""
import resource, signal, sys
import numpy as np
from pathlib import Path
from dissensus.errors import OutputError
from dissensus.work.units import Store, Task
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
task = Task(Store(Path({str(tmp_path / "w.sqlite")!r})), "t", {{}})
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    for number in range(1000):
        task.append(number, np.zeros(100))
except OutputError as error:
    sys.stdout.write(str(len(task)) + str(error))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    count = int(done.stdout.partition("unit")[0])
    assert phrase("units.unit-not-recorded", count) in done.stdout
    assert phrase("units.units-before-kept", count) in done.stdout
    store = Store(tmp_path / "w.sqlite")
    assert Task(store, "t", {}).done == set(range(count))
    store.close()


def test_a_damaged_file_is_refused_when_it_is_written_to_as_well(tmp_path: Path) -> None:
    path = tmp_path / "units.sqlite"
    store = Store(path)
    Task(store, "t", {"seed": 1}).append(0, 1.5)
    store.close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as plain:
        plain.execute("PRAGMA journal_mode=DELETE")
    data, refused = path.read_bytes(), 0
    for at in [*range(5000, len(data), 997), *range(8150, 8166)]:
        path.write_bytes(data[: at + 35] + data[at:])  # a piece that is there twice moves every page behind it
        try:
            store = Store(path)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DataWarning)
                    task = Task(store, "t", {"seed": 1})
                    task.append(1, 2.5)
                assert [task.read(n) for n in sorted(task.done)] in ([1.5, 2.5], [2.5])
            finally:
                store.close()
        except WorkspaceError:
            refused += 1
    assert refused > 5


def test_a_unit_that_is_listed_and_cannot_be_found_is_damage(tmp_path, monkeypatch):
    store = Store(tmp_path / "w.sqlite")
    store.put("t", 3, b"x")
    monkeypatch.setattr(store, "_read", lambda query, *_: [(3,)] if query.startswith("SELECT number") else [])
    for ask in (lambda: store.numbers("t"), lambda: store.get("t", 3)):
        with refused(WorkspaceError, "w.sqlite", 3):
            ask()
    monkeypatch.undo()
    store.close()


def test_changed_new_and_absent_values() -> None:
    assert difference({"a": 1, "b": 2, "same": 0}, {"a": 3, "same": 0, "c": [1]}) == [
        phrase("work-difference.workspace-now", 1, 3),
        phrase("work-difference.workspace-absent-now", "b", 2),
        phrase("work-difference.absent-workspace-now", "c", "[1]"),
    ]


def test_long_values_are_shortened() -> None:
    [line] = difference({"a": "x" * 200}, {"a": 1}, "then")
    assert line.endswith("… then, 1 now")
    assert len(line) < 110
