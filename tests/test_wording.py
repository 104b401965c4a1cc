"""The wording that users see, complete, in one table: `words/messages.txt`. No other test holds a sentence.

A row is what is done and below it the whole text of the answer. `$ dissensus …` is a command, run beside the files of
`wrong_inputs.py`; `>>> …` is Python, with the names below: an error or a warning is shown with its class, a text as it
is. Who rewords a message changes it in `src`, lets this file write the table again, and reads the difference:

    PYTHONPATH=src python tests/test_wording.py

Tests of behaviour assert classes, kinds and values (`refusals.py`); a sentence that no value tells from others is known
to them by a key of `words/phrases.toml`.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT
from shell import call
from wording import PHRASES
from wrong_inputs import write_wrong_files

import dissensus as ds
from dissensus import errors
from dissensus.errors import DissensusError, Note
from dissensus.inference.comparison.claims import Claim
from dissensus.judging.agreement.effective import Effective
from dissensus.judging.merging.em_warnings import Doubt
from dissensus.wording import NOTES, counted

TABLE = ROOT / "tests" / "words" / "messages.txt"
SOURCES = sorted(p for p in (ROOT / "src").rglob("*.py") if p.name != "wording.py")
SENTENCE = re.compile(r"[a-z]{2,},? [a-z]{2,},? [a-z]{2,}")
NOT_OURS = {
    "cannot tell yet", "worse than the vote", "too few assessors", "too few labels", "one judge only",  # kinds
    "differential by system", "close to the length", "more expert labels",  # a setting, a thesis, a column
    "judge=shared changes nothing", "error: labels.csv:3: the grade is missing.\n  Fill it in.\n",  # a test's own texts
    "years of work", "three is too many", 'raise ZeroDivisionError("three is too many")', "division by zero",
    "module 'package' has no attribute 'other'", "One seed in, one result out.  [default: 0]",
}  # fmt: skip
PAIR = {"difference": 0.031, "low": 0.008, "high": 0.054, "p_value": 0.004}


def read(content: str | bytes, name: str, **options: Any) -> Any:
    """Content as a file of this name, read as its ending says: runs, an audit (gold…), or else judgments."""
    path = Path(name)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    if name.startswith("gold"):
        return ds.read_audit(path, **options)
    return (ds.read_runs if name.endswith(".run") else ds.read_judgments)(path, **options)


def judged(**labels: list[int]) -> ds.Judgments:
    """One topic's grades by each assessor, d0, d1 and so on."""
    return ds.Judgments.from_dict({who: {1: {f"d{i}": g for i, g in enumerate(row)}} for who, row in labels.items()})


NAMES: dict[str, Any] = {
    "ds": ds, "errors": errors, "read": read, "judged": judged, "Note": Note, "Doubt": Doubt, "Effective": Effective,
    "Claim": Claim, "PAIR": PAIR, "nan": float("nan"), "inf": float("inf"),
}  # fmt: skip


def rows(text: str) -> list[tuple[str, str]]:
    """(what is done, the answer) for every row of the table."""
    blocks = re.split(r"^(?=\$ dissensus |>>> )", text, flags=re.MULTILINE)[1:]
    return [(done, answer.rstrip("\n")) for done, _, answer in (block.partition("\n") for block in blocks)]


def answer(done: str) -> str:
    """The whole text that a user sees, in the folder of the wrong files."""
    shown = _of_command(done[12:]) if done.startswith("$ ") else _of_python(done[4:])
    return "\n".join(line.rstrip() for line in shown.replace(os.getcwd(), "FOLDER").splitlines()).strip("\n")


def _of_command(words: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        call(*words.split())
    return err.getvalue() or out.getvalue()


def _of_python(expression: str) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = eval(expression, NAMES)
        except DissensusError as error:
            return f"{type(error).__name__}: {error}"
    lines = [f"{w.category.__name__}: {w.message}" for w in caught]
    if isinstance(result, str | Claim):
        lines.append(str(result))
    elif isinstance(result, tuple | list):
        lines += map(str, result)
    return "\n".join(lines)


@contextlib.contextmanager
def beside_wrong_files() -> Iterator[None]:
    """A new folder with the wrong files, on a terminal of 110 columns."""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place), pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "110")
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))  # nothing is piped in, whatever runs the tests
        write_wrong_files(Path(place))
        yield


ROWS = rows(TABLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("done", "expected"), ROWS, ids=[done[:60] for done, _ in ROWS])
def test_the_words_that_users_see(done: str, expected: str) -> None:
    with beside_wrong_files():
        assert answer(done) == expected


def used_kinds(path: Path) -> set[str]:
    """Kinds that a file names, also by way of a constant."""
    return set(re.findall(r'"([a-z]+\.[a-z-]+)"', path.read_text(encoding="utf-8"))) & set(NOTES)


def test_every_kind_of_note_has_its_words_and_is_used() -> None:
    used = set().union(*(used_kinds(path) for path in SOURCES))
    assert used == set(NOTES)


def test_every_phrase_is_used() -> None:
    tests = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "tests").rglob("test_*.py"))
    assert [key for key in PHRASES if f'"{key}"' not in tests] == []


def sentences(path: Path) -> Iterator[str]:
    """Texts of three words or more that a test compares with, looks for, or matches an error against."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        compared: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            compared = [node.left, *node.comparators]
        elif isinstance(node, ast.Call):
            compared = [k.value for k in node.keywords if k.arg == "match"]
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("startswith", "endswith"):
                compared += node.args
        for side in compared:
            for part in (
                ast.iter_child_nodes(side) if isinstance(side, ast.List | ast.Tuple | ast.JoinedStr) else [side]
            ):
                if isinstance(part, ast.Constant) and SENTENCE.search(str(part.value)):
                    yield str(part.value)


def test_no_other_test_holds_a_sentence() -> None:
    """Kinds, settings, commands and the words of others may be compared with; ours are in the two tables."""
    shown = {
        "test_windows.py",
        "test_machine_code.py",
        "test_raw_memory.py",
    }  # what a column means; the compiler's words
    tests = [p for p in (ROOT / "tests").rglob("test_*.py") if "browser" not in p.parts and p.name not in shown]
    held = {f"{p.name}: {text}" for p in tests for text in sentences(p) if "dissensus " not in text}
    assert {text for text in held if text.partition(": ")[2] not in NOT_OURS} == set()


def write() -> None:
    """The table with every answer as it is now."""
    blocks = []
    for done, _ in ROWS:
        with beside_wrong_files():
            blocks.append(f"{done}\n{answer(done)}\n")
    TABLE.write_text("\n".join(blocks), encoding="utf-8")


def test_one_is_singular() -> None:
    assert [counted(n, "page") for n in (0, 1, 2, 12_000)] == ["0 pages", "1 page", "2 pages", "12,000 pages"]


if __name__ == "__main__":
    write()
