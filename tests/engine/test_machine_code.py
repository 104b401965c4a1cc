"""Compiled code is kept where it can be, and never an error; the first compilation is said."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from numba import config
from numba.core import caching

from dissensus.engine import machine_code
from dissensus.errors import DissensusWarning


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place where neither the source nor the home can be written to: numba finds no folder, as in a container."""
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [caching.UserProvidedCacheLocator])
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(machine_code.tempfile, "tempdir", str(tmp_path))
    machine_code.temporary_place.cache_clear()
    yield tmp_path
    machine_code.temporary_place.cache_clear()


def triple(x: int) -> int:
    return 3 * x


def test_numba_alone_gives_up_there(read_only: Path) -> None:
    with pytest.raises(RuntimeError, match="cannot cache function"):
        machine_code.numba.njit(cache=True)(triple)


def test_code_is_kept_in_a_temporary_folder_and_said_once(read_only: Path) -> None:
    with pytest.warns(DissensusWarning, match="NUMBA_CACHE_DIR"):
        assert machine_code.jit()(triple)(4) == 12
    assert machine_code.njit(nogil=True)(triple)(5) == 15  # no second warning, which would be an error here
    place = read_only / f"dissensus-{os.getuid()}"
    assert list(place.rglob("*.nbc"))
    assert place.stat().st_mode & 0o077 == 0
    assert config.CACHE_DIR == ""  # the user's own kernels are kept where they were


def test_a_folder_that_others_can_write_to_is_not_trusted(read_only: Path) -> None:
    theirs = read_only / f"dissensus-{os.getuid()}"
    theirs.mkdir()
    theirs.chmod(0o777)
    with pytest.warns(DissensusWarning):
        assert machine_code.jit()(triple)(4) == 12
    assert not list(theirs.iterdir())


def test_without_any_folder_code_is_compiled_each_time(read_only: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code.tempfile, "tempdir", str(read_only / "missing" / "folder"))
    with pytest.warns(DissensusWarning, match="every process"):
        assert machine_code.jit()(triple)(4) == 12


def test_the_first_compilation_is_said_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def compiled(terminal: bool) -> str:
        machine_code._announce().said = False
        monkeypatch.setattr(machine_code, "_is_terminal", lambda: terminal)
        for _ in range(2):
            function = machine_code.numba.njit(lambda x: 2 * x)
            function.__module__ = "dissensus.engine"
            assert function(2) == 4
        return capsys.readouterr().err

    assert compiled(terminal=True).count("first use") == 1
    assert compiled(terminal=False) == ""
