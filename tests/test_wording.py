"""The words of notes: every kind has them, and is used."""

from __future__ import annotations

import re
from pathlib import Path

from paths import ROOT

from dissensus.wording import NOTES

SOURCES = sorted(p for p in (ROOT / "src").rglob("*.py") if p.name != "wording.py")


def used_kinds(path: Path) -> set[str]:
    """Kinds that a file names, also by way of a constant."""
    return set(re.findall(r'"([a-z]+\.[a-z-]+)"', path.read_text(encoding="utf-8"))) & set(NOTES)


def test_every_kind_of_note_has_its_words_and_is_used() -> None:
    used = set().union(*(used_kinds(path) for path in SOURCES))
    assert used == set(NOTES)
