"""Preferences from files: tables, and the text forms in which they are published.

- tables (.csv, .tsv with a header, .jsonl, .parquet): topic, doc_a, doc_b, assessor, answer, order; without an assessor
  column the assessor is named after the file;
- `topic docA docB winner`, four words a line: documents in the order in which they were shown;
- `@ topic docA docB sign`: `!` the first document is preferred, `=` they are the same, `?` there is no answer (left
  out and counted). The order shown is not known.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from dissensus.errors import FileError
from dissensus.io.contents import contents, decode, lines_of
from dissensus.io.files import Given, kind, named_files, stem
from dissensus.io.table import read_table
from dissensus.io.trec import words_of
from dissensus.judging.preferences.table import Preferences
from dissensus.wording import counted

SIGNS = {"!": "a", "=": "same"}
COLUMNS = ("topic", "doc_a", "doc_b", "assessor", "answer", "order")


def read_preferences(*paths: Given, assessor: str | None = None) -> Preferences:
    r"""Read preferences: which of two documents an assessor prefers for a topic.

    Parameters
    ----------
    paths
        Files, globs, or lists of them; "NAME=FILE" names the assessor of one file.
    assessor
        The assessor of files that do not name theirs.

    Returns
    -------
    Preferences
        The answers of every assessor.

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ann.txt"
    >>> _ = path.write_text("q1 d1 d2 d1\nq1 d3 d2 d2\n")
    >>> ds.read_preferences(path)
    Preferences(2 answers, 1 assessor, 2 pairs, 1 topic)
    """
    rows: list[tuple[Any, ...]] = []
    places: list[str] = []
    notes: list[str] = []
    for path, own in named_files(paths, "read_preferences"):
        name = own or assessor or stem(path)
        if kind(path) == "trec":
            _lines(path, name, rows, places, notes)
        else:
            _table(path, name, rows, places)
    return replace(Preferences.from_rows(rows, places=places), notes=tuple(notes))


def _table(path: Path, name: str, rows: list[tuple[Any, ...]], places: list[str]) -> None:
    table = read_table(path)
    names = {c.strip().lower().replace(" ", "_"): c for c in table.frame.columns}
    missing = [c for c in ("topic", "doc_a", "doc_b", "answer") if c not in names]
    if missing:
        raise FileError(f"{path} has no column {missing[0]}.", f"Columns: {', '.join(COLUMNS)}.")
    height = table.frame.height
    columns = [table.frame[names[c]].to_list() if c in names else [None] * height for c in COLUMNS]
    if "assessor" not in names:
        columns[3] = [name] * height
    rows += zip(*columns, strict=True)
    places += [table.place(i) for i in range(height)]


def _lines(path: Path, name: str, rows: list[tuple[Any, ...]], places: list[str], notes: list[str]) -> None:
    silent = 0
    text = decode(contents(path), path)
    for number, line in enumerate(lines_of(text), 1):
        words = words_of(line)
        if not words or words[0].startswith("#"):
            continue
        if len(words) == 5 and words[0] == "@" and words[4] in (*SIGNS, "?"):
            silent += words[4] == "?"
            if words[4] == "?":
                continue
            rows.append((words[1], words[2], words[3], name, SIGNS[words[4]], ""))
        elif len(words) == 4:
            rows.append((words[0], words[1], words[2], name, words[3], "ab"))
        else:
            raise FileError(
                f"{path}:{number}: {len(words)} words; a line is `topic docA docB winner`.",
                f"Tables have the columns {', '.join(COLUMNS)}.",
            )
        places.append(f"{path}:{number}")
    if silent:
        notes.append(f"{path.name}: {counted(silent, 'pair')} without an answer left out")
