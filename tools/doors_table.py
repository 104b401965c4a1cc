"""The table of all doors in docs/look-up/formats.md: a file of every tool, its command, the first line printed.

    python tools/doors_table.py          write the table into the page
    python tools/doors_table.py --show   print it

The files are the plain fixtures of the tests (tests/door_files.py). A test compares the page with what is printed now.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "look-up" / "formats.md"
BEGIN, END = "<!-- doors: written by tools/doors_table.py -->", "<!-- end of doors -->"
WORDS = {"runs": ["check", "FILE"], "judgments": ["check", "-j", "FILE"], "scores": ["check", "FILE"]}


def what_it_says(words: list[str]) -> str:
    """What `check` says of a file: what was read, or else the row of its table."""
    from dissensus.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        status = main(words)
    lines = out.getvalue().splitlines()
    if status or not lines:
        raise SystemExit(f"dissensus {' '.join(words)}: exit status {status}\n{err.getvalue()}")
    read = next((line for line in lines if line.startswith(("Runs(", "Judgments("))), None)
    if read is not None:
        return read
    rule = next(i for i, line in enumerate(lines) if line.startswith("──"))
    rows = (line for line in lines[rule + 1 :] if "scores" in line)
    return " ".join(next(rows).split()[1:])


def rows() -> list[str]:
    """One line of the table for every door."""
    sys.path.insert(0, str(ROOT / "tests"))
    from door_files import DOORS

    out = ["| door | command | what it says |", "|---|---|---|"]
    before = Path.cwd()
    for door, (plain, _, _) in DOORS.items():
        name, content, kind, _ = plain
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                Path(name).write_text(content, encoding="utf-8")
                words = [name if w == "FILE" else w for w in WORDS[kind]]
                line = what_it_says(words)
            finally:
                os.chdir(before)
        out.append(f"| {door} | `dissensus {' '.join(words)}` | {line} |")
    return out


def page(text: str) -> str:
    """The page with the table of now."""
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}\n\n" + "\n".join(rows()) + f"\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    os.environ.update(COLUMNS="200", NO_COLOR="1")
    if "--show" in sys.argv:
        sys.stdout.write("\n".join(rows()) + "\n")
    else:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
