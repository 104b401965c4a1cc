"""SIGKILL between and during requests: no acknowledged label is lost, none is there twice. The long form: bench."""

from __future__ import annotations

from pathlib import Path

import pytest
from server_kills import run


def test_a_killed_server_loses_and_doubles_nothing(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the links of a PostgreSQL study go to the working folder
    seen = run(place, kills=2, seed=3, topics=6)
    assert seen.good, seen
    assert seen.kills == 2
    assert seen.labels > 3
