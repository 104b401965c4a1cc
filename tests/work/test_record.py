"""An append-only record: torn ends, damage, a full disk."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dissensus.errors import DataWarning, WorkspaceError
from dissensus.work.record import MAGIC, Record


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
