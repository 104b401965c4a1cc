"""The English linter finds what the rules forbid, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools import english

BAD = {
    "semicolon": ["Differences can be corrected; scores cannot.", "Copy it again;"],
    "tell": ["The table tells how many.", "It is told by its first line.", "Nothing tells what it is worth."],
    "how far": ["How far the assessors agree.", "Ask how far they can be believed."],
    "beside": ["The judge beside the expert."],
    "he": ["The judge, and his labels.", "Name him."],
    "number": ["95 % of them.", "A value of .05 is small.", "p = 1.5e-06 here.", "p < 2e-3"],
    "plural": ["1 tied documents in all.", "There are 1 topics."],
    "long": ["word " * 31 + "."],
    "colons": ["First: this. Then: that."],
}
GOOD = [
    "Differences can be corrected. Scores cannot.",
    "dissensus tells you which systems differ.",
    "The gate cannot tell.",
    "Two systems can be told apart.",
    "How far apart are they?",
    "There is more besides.",
    "95% of them have at least 0.05, p < 0.001, in 21 topics and 1 topic.",
    "The other k − 1 documents are skipped.",
    "Use `a; b` here, or $x; y$.",
    "The head has 3.5 parts, e.g. this one.",
    "word " * 30 + ".",
]


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in BAD.items() for text in texts])
def test_a_bad_sentence_is_found(rule: str, text: str) -> None:
    assert [r for r, _ in english.broken(text)] == [rule]


@pytest.mark.parametrize("text", GOOD)
def test_a_good_sentence_is_not(text: str) -> None:
    assert list(english.broken(text)) == []


def test_code_is_no_prose_and_cells_stand_alone() -> None:
    page = "# A title\n\nOne\nparagraph.\n\n```python\nx = 1; y = 2\n```\n\n- first\n- second\n\n| a; b | c |\n"
    assert list(english.paragraphs(page)) == [
        (1, "A title"), (3, "One paragraph."), (10, "first"), (11, "second"), (13, "a; b"), (13, "c"),
    ]  # fmt: skip


def test_docstrings_and_messages_are_read() -> None:
    tree = ast.parse(
        '"""A module."""\ndef gate():\n    """A verb.\n\n    >>> gate(); gate()\n    """\n'
        '    raise InputError(f"no {x} here.", "Give one.")\ndef other():\n    """Not public."""\n'
    )
    assert [text for _, text in english.strings(tree, {"gate", "command"})] == [
        "A module.", "A verb.", "no X here.", "Give one.",
    ]  # fmt: skip


def test_exceptions_do_not_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(english, "EXCEPTIONS", tmp_path / "exceptions.toml")
    found = [english.Finding("a.md", 1, "long", "x"), english.Finding("b.md", 1, "long", "x")]
    monkeypatch.setattr(english, "findings", lambda: iter(found))
    assert english.main([]) == 1
    assert english.main(["--shrink"]) == 0  # the first time, everything is written down
    assert english.main([]) == 0
    found[1] = english.Finding("moved.md", 1, "long", "x")
    assert english.main([]) == 1
    assert english.main(["--shrink"]) == 0  # a file moved
    found.append(english.Finding("moved.md", 2, "long", "x"))
    assert english.main(["--shrink"]) == 1
    del found[1:]
    assert english.main(["--shrink"]) == 0
    assert english.excused() == {"a.md": {"long": 1}}
