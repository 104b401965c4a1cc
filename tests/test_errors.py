"""Sentences keep the values they were made from."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest
from paths import ROOT

from dissensus.errors import Fix, InputError, Note, Option, Text, fixes_for
from dissensus.wording import NOTES

SOURCES = sorted(p for p in (ROOT / "src").rglob("*.py") if p.name != "wording.py")


@pytest.mark.parametrize(
    ("option", "written"),
    [
        (Option("repeated", "first"), 'repeated="first"'),
        (Option("assessor"), "assessor=…"),
        (Option("scale", None), "scale="),
        (Option("level", 0.9), "level=0.9"),
    ],
)
def test_an_option_is_written_as_python_has_it(option: Option, written: str) -> None:
    assert str(option) == written


def test_a_text_in_a_text_keeps_its_options() -> None:
    inner = Text("use ", Option("seed", 1))
    outer = Text("a.csv: ", inner, ".")
    assert outer == "a.csv: use seed=1."
    assert outer.options == (Option("seed", 1),)


def test_texts_survive_the_way_to_a_worker_and_back() -> None:
    fix = Fix("Use ", Option("seed", 1), reader="command")
    note = Note("matrix.no-counts")
    again, same = pickle.loads(pickle.dumps((fix, note)))
    assert (again, again.parts, again.reader) == (fix, fix.parts, "command")
    assert (same, same.kind, same.values) == (note, note.kind, note.values)


def test_an_error_shows_the_fixes_of_its_reader() -> None:
    error = InputError("wrong.", "Do this.", Fix("Do that.", reader="python"), Fix("Type it.", reader="command"))
    assert str(error) == "wrong.\n  Do this.\n  Do that."
    assert fixes_for("command", error.fixes) == ["Do this.", "Type it."]


def test_notes_are_found_by_kind_never_by_their_words() -> None:
    with pytest.raises(KeyError):
        Note("no such kind")


def used_kinds(path: Path) -> set[str]:
    """Kinds that a file names, also by way of a constant."""
    return set(re.findall(r'"([a-z]+\.[a-z-]+)"', path.read_text(encoding="utf-8"))) & set(NOTES)
