"""Errors in one voice, and colour only where it helps."""

from __future__ import annotations

import io

import pytest

from dissensus.cli.terminal.failure import colour_wanted, report, say
from dissensus.errors import InputError


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("variables", "terminal", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
def test_colour(monkeypatch, variables, terminal, wanted):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert colour_wanted(Terminal() if terminal else io.StringIO()) is wanted


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (InputError("a is wrong.", "Use b."), 2, "error: a is wrong.\n  Use b.\n"),
        (PermissionError(13, "no", "x.csv"), 2, "error: x.csv: permission denied.\n"),
        (NotADirectoryError(20, "no", "a/b"), 2, "error: a/b: a part of this path is a file, not a directory.\n"),
        (OSError(28, "No space left on device"), 2, "error: No space left on device.\n"),
        (SystemExit(3), 3, ""),
        (SystemExit("words"), 1, ""),
    ],
)
def test_the_status_and_the_words(capsys, error, status, text):
    assert report(error) == status
    assert capsys.readouterr().err == text


def test_control_characters_of_data_are_shown_not_obeyed(capsys):
    say("note", "a\x1b[2Jb")
    assert "\x1b" not in capsys.readouterr().err


def test_a_progress_line_is_wiped_first(monkeypatch):
    monkeypatch.delenv("TERM", raising=False)
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    say("note", "done")
    assert stream.getvalue().startswith("\r\x1b[2K")
