"""A file is whole or not there."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest
from refusals import refused
from wording import phrase

from dissensus.errors import OutputError
from dissensus.work import atomic as module
from dissensus.work.atomic import atomic, atomic_path


def test_text_and_bytes_arrive_whole(tmp_path: Path) -> None:
    with atomic(tmp_path / "a.csv") as file:
        file.write("tau,ω²\n1,2\n")
    with atomic(tmp_path / "b.bin", "wb") as file:
        file.write(b"\x00\xff")
    assert (tmp_path / "a.csv").read_bytes() == "tau,ω²\n1,2\n".encode()
    assert (tmp_path / "b.bin").read_bytes() == b"\x00\xff"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv", "b.bin"]


def stop_in_the_middle(file: IO[str]) -> None:
    file.write("half of the new o")
    file.flush()
    raise ZeroDivisionError


def test_nothing_appears_and_the_old_file_stays_when_the_block_fails(tmp_path: Path) -> None:
    target = tmp_path / "scores.json"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), atomic(target) as file:
        stop_in_the_middle(file)
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["scores.json"]


def test_the_target_is_not_touched_before_the_end(tmp_path: Path) -> None:
    target = tmp_path / "scores.json"
    target.write_text("old")
    with atomic(target) as file:
        file.write("new")
        file.flush()
        assert target.read_text() == "old"
    assert target.read_text() == "new"


def test_rights_and_links_are_kept(tmp_path: Path) -> None:
    real = tmp_path / "real.txt"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(real)
    with atomic(link) as file:
        file.write("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_library_may_open_the_path_itself(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "x.parquet") as temporary:
        assert temporary.suffix == ".parquet"
        temporary.write_bytes(b"PAR1")
    assert (tmp_path / "x.parquet").read_bytes() == b"PAR1"


def test_a_device_is_written_directly() -> None:
    with atomic("/dev/null") as file:
        file.write("gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize(
    "name",
    [
        "missing/x.csv",
        "file/x.csv",  # its folder is a file
        ".",
    ],
)
def test_a_bad_place_is_an_error_in_our_voice(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with refused(OutputError, tmp_path / name), atomic(tmp_path / name) as file:
        file.write("x")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    try:
        with refused(OutputError, "x.csv"), atomic(folder / "x.csv") as file:
            file.write("x")
    finally:
        folder.chmod(0o755)


def test_a_read_only_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> int:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(module.os, "open", refuse)
    with refused(OutputError, "x.csv"), atomic(tmp_path / "x.csv") as file:
        file.write("x")


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    # a real limit on file size, set in a process of its own, fails the write as a full disk does
    script = f"""
import resource, signal
from dissensus.errors import OutputError
from dissensus.work.atomic import atomic
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    with atomic({str(tmp_path / "big.csv")!r}) as file:
        file.write("x" * 100_000)
except OutputError as error:
    import sys
    sys.stdout.write(str(error))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert phrase("atomic.not-written-file-larger") in done.stdout
    assert phrase("work.nothing-half-written-left") in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_found_only_by_fsync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "x.csv").write_text("old")
    monkeypatch.setattr(module.os, "fsync", full)
    with refused(OutputError, "x.csv"), atomic(tmp_path / "x.csv") as file:
        file.write("x")
    assert (tmp_path / "x.csv").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"]


def test_errors_of_the_block_that_are_not_about_this_file_pass_through(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic(tmp_path / "x.csv"):
        open(tmp_path / "an input that is missing")  # noqa: SIM115


def test_appending_is_refused(tmp_path: Path) -> None:
    with refused(ValueError, "w", "wb"), atomic(tmp_path / "x", "a"):
        pass
