"""Preferences from files: tables, and the text forms in which they are published.

- tables (.csv, .tsv with a header, .jsonl, .parquet): topic, doc_a, doc_b, assessor, answer, order. The names that
  others give these columns are understood, too (docA, model_a, winner, judge). Without an assessor column the assessor
  is named after the file.
- `topic docA docB winner`, four words a line: documents in the order in which they were shown;
- `@ topic docA docB sign`: `!` the first document is preferred, `=` they are the same, `?` there is no answer (left
  out and counted). The order shown is not known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import polars as pl

from dissensus.errors import FileError, InputError
from dissensus.io.contents import contents, decode, lines_of
from dissensus.io.files import Given, kind, named_files, stem
from dissensus.io.options import ReadOptions, RoleOptions, RowKeywords, spelled_out
from dissensus.io.table import Rows, open_table, place_in, read_table, texts
from dissensus.io.trec import words_of
from dissensus.judging.preferences.table import COLUMNS, Preferences, named_columns, rows_of
from dissensus.wording import counted

SIGNS = {"!": "a", "=": "same"}


@spelled_out
def read_preferences(
    *paths: Given, assessor: str | None = None, dimension: str | None = None, **reading: Unpack[RowKeywords]
) -> Preferences:
    r"""Read preferences: which of two documents an assessor prefers for a topic.

    Parameters
    ----------
    paths
        Files, globs, or lists of them; "NAME=FILE" names the assessor of one file.
    assessor
        The assessor of files that do not name theirs.
    dimension
        The question that was asked, where a column `dimension` holds several.

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
    options = ReadOptions.of(**reading).preferences
    found = preferences_from_files(paths, options, assessor, dimension)
    options.refuse_unused()
    return found


def preferences_from_files(
    paths: Iterable[Given], options: RoleOptions, assessor: str | None = None, dimension: str | None = None
) -> Preferences:
    """The preferences in files and globs."""
    parts: list[Rows] = []
    notes: list[str] = []
    for path, own in named_files(paths, "read_preferences"):
        name = own or assessor or stem(path)
        plain = kind(path) == "trec" and not options.columns
        parts.append(_lines(path, name, notes) if plain else _table(path, name, dimension, options, notes))
    frame = pl.concat([pl.DataFrame(part.columns) for part in parts])
    return replace(Preferences.from_columns(frame, place_in(parts)), notes=tuple(notes))


def dimensions_of(*paths: Given) -> list[str]:
    """The questions that the files ask, where a column `dimension` holds several; else none."""
    found: set[str] = set()
    for path, _ in named_files(paths, "read_preferences"):
        if kind(path) != "trec":
            frame = named_columns(read_table(path).frame, str(path), optional=COLUMNS)
            found |= set(texts(frame["dimension"]).drop_nulls().to_list()) if "dimension" in frame.columns else set()
    return sorted(found) if len(found) > 1 else []


def _table(path: Path, name: str, dimension: str | None, options: RoleOptions, notes: list[str]) -> Rows:
    try:
        rows, said = rows_of(open_table(path, options), name, dimension, options)
    except InputError as error:
        raise FileError(error.what, *error.fixes) from None
    notes += said
    return rows


def _lines(path: Path, name: str, notes: list[str]) -> Rows:
    silent = 0
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
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
        lines.append(number)
    if silent:
        notes.append(f"{path.name}: {counted(silent, 'pair')} without an answer left out")
    columns = dict(pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row").to_dict())
    return Rows(columns, lambda row: f"{path}:{lines[row]}")
