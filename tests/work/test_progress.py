"""Silence unless someone is watching and waiting."""

from __future__ import annotations

import io
import sys

import pytest

from dissensus.work import progress as module
from dissensus.work.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_silent_when_piped(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    with Progress("replicates", 3) as bar:
        bar.advance(3)
    assert stream.getvalue() == ""
    assert bar.done == 3


def test_silent_before_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert module.PATIENCE == 2.0
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("replicates", 3) as bar:
        bar.advance()
    assert stream.getvalue() == ""


def test_a_bar_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    with Progress("replicates", 3) as bar:
        bar.advance(2)
    assert "replicates" in stream.getvalue()
    assert "2/3" in stream.getvalue()


def test_no_label_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    with Progress(None) as bar:
        bar.advance()
    assert stream.getvalue() == ""


def test_a_closed_stderr_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    stream.close()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("replicates", 1) as bar:
        bar.advance()
    assert bar.done == 1
