"""TREC run and qrels files: the exact rules line by line, the words for what breaks them, and runs by the fast way.

    topic Q0 document rank score tag        a run; the rank column is not used: score and document id decide
    topic iteration document grade          qrels; the second column may hold the assessor

Columns are separated by blanks or tabs, any number of them; lines that start with # are comments; files may carry a
byte order mark and Windows line ends. The scanner (`engine.trec_scan`) reads the same language a hundred times
faster; every file that it does not like is read here line by line, which either finds the error or reads the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.engine.join.concatenate import Piece, pieces_of, rankings
from dissensus.errors import FileError, InputError, JudgmentError, Note, RunError
from dissensus.io.contents import contents, decode, lines_of
from dissensus.io.files import stem
from dissensus.tables.columns import NO_JUDGMENTS, NO_RUNS, NUMBER
from dissensus.tables.ids import LONGEST
from dissensus.tables.runs import Runs, bad_score, duplicate
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.engine.trec_scan import Scanned

_BLANKS = re.compile(r"[ \t\v\f]+")

RUN_COLUMNS, QRELS_COLUMNS = 6, 4
RANK = 8  # digits from which on a rank is not taken for one
RUN_LINE = "A run line is: topic Q0 document rank score tag, separated by blanks or tabs."
QRELS_LINE = "A qrels line is: topic iteration document grade, separated by blanks or tabs."


@dataclass
class TrecRows:
    """The columns of one file; `line[i]` is the line of row i, `skipped` counts comment lines."""

    topic: list[str] = field(default_factory=list)
    second: list[str] = field(default_factory=list)
    doc: list[str] = field(default_factory=list)
    rank: list[str] = field(default_factory=list)
    value: list[str] = field(default_factory=list)
    tag: list[str] = field(default_factory=list)
    line: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    comments: int = 0
    trailing: int = 0  # lines with text after the tag, which is ignored


def run_rows(data: bytes, path: Path | str, first: int = 1) -> TrecRows:
    """Topic, document, rank, score, tag of every line of a run file, or of its lines from number `first` on."""
    rows = TrecRows()
    found: list[tuple[int, str, str, str, str, str]] = []
    for number, columns in _lines(data, path, rows, first):
        if len(columns) > RUN_COLUMNS and _text_after_tag(columns):
            rows.trailing += 1
            columns = columns[:RUN_COLUMNS]
        if len(columns) != RUN_COLUMNS:
            raise _wrong_columns(path, number, columns, RUN_COLUMNS, RUN_LINE, RunError)
        topic, _, doc, rank, score, tag = columns
        if NUMBER.fullmatch(score) is None or not isfinite(float(score)):
            raise bad_score(f"{path}:{number}", score, *_other_kind(columns, 6))
        _refuse_long(path, number, doc)
        found.append((number, topic, doc, rank, score, tag))
    return _filled(rows, path, found, "topic", "doc", "rank", "value", "tag")


def qrels_rows(data: bytes, path: Path | str, first: int = 1) -> TrecRows:
    """Topic, second column, document, grade of every line of a qrels file, or of its lines from number `first` on."""
    rows = TrecRows()
    found: list[tuple[int, str, str, str, str]] = []
    for number, columns in _lines(data, path, rows, first):
        if len(columns) != QRELS_COLUMNS:
            raise _wrong_columns(path, number, columns, QRELS_COLUMNS, QRELS_LINE, JudgmentError)
        topic, second, doc, grade = columns
        _refuse_long(path, number, doc)
        found.append((number, topic, second, doc, grade))
    return _filled(rows, path, found, "topic", "second", "doc", "value")


def lines_of_rows(data: bytes, path: Path | str, rows: Sequence[int], columns: int) -> list[int]:
    """The lines of a file's rows, which are counted from 0; `columns` is what a row of this file has."""
    numbers = (number for number, found in _lines(data, path, TrecRows()) if len(found) == columns)
    lines = {row: number for row, number in zip(range(max(rows) + 1), numbers, strict=False) if row in rows}
    return [lines[row] for row in rows]


def _text_after_tag(columns: list[str]) -> bool:
    """Is this a whole run line with more words behind it, which trec_eval ignores?

    A document id with a blank in it also makes a long line, and would move the rank into the score's place: then the
    sixth column is a number, or the rank is none, and the line is refused.
    """
    rank, score, tag = columns[3:RUN_COLUMNS]
    numeric = NUMBER.fullmatch(score) is not None and NUMBER.fullmatch(tag) is None
    return numeric and rank.lstrip("+-").isdigit()


def _lines(data: bytes, path: Path | str, rows: TrecRows, first: int = 1) -> Iterator[tuple[int, list[str]]]:
    """(number, columns) of every line that is neither blank nor a comment."""
    for number, line in enumerate(lines_of(decode(data, path, first)), first):
        columns = words_of(line)
        if columns and columns[0].startswith("#"):
            rows.comments += 1
        elif columns:
            yield number, columns


def words_of(line: str) -> list[str]:
    """The words of a line, between blanks and tabs; other characters that Unicode calls blanks belong to a word."""
    if line.isascii():  # control characters were refused: these are ASCII's only blanks
        return line.split()
    return [word for word in _BLANKS.split(line) if word]


def _filled(rows: TrecRows, path: Path | str, found: Sequence[tuple[object, ...]], *columns: str) -> TrecRows:
    """The rows with what was found in each line: its number, then the columns."""
    if not found:
        raise FileError(f"{path} holds nothing but comments.", "Leave it out, or write it again.")
    numbers, *values = zip(*found, strict=True)
    rows.line = np.array(numbers, np.int64)
    for column, texts in zip(columns, values, strict=True):
        setattr(rows, column, list(texts))
    return rows


def _refuse_long(path: Path | str, number: int, doc: str) -> None:
    if len(doc) * 4 > LONGEST and len(doc.encode()) > LONGEST:
        raise InputError(f"{path}:{number}: the document id {doc[:40]!r}… is longer than {LONGEST:,} bytes.")


def _wrong_columns(
    path: Path | str, number: int, columns: list[str], wanted: int, shape: str, error: type[InputError]
) -> InputError:
    text = " ".join(columns)
    shown = text if len(text) <= 60 else text[:60] + "…"
    return error(
        f"{path}:{number} has {len(columns)} column{'s' if len(columns) > 1 else ''}, not {wanted}: {shown!r}.",
        *_other_kind(columns, wanted),
        shape,
    )


def _other_kind(columns: list[str], wanted: int) -> tuple[str, ...]:
    """What else the file could be, judging by one line."""
    text = " ".join(columns)
    if wanted == 6 and len(columns) == 4:
        return NO_RUNS
    if wanted == 4 and len(columns) == 6 and NUMBER.fullmatch(columns[4]):
        return NO_JUDGMENTS
    if text.startswith("{"):
        return ("It looks like JSON lines: name the file .jsonl.",)
    if text.count(",") >= 2 and len(columns) < 4:
        return ("It looks like CSV: name the file .csv, with a header line.",)
    if any(word in text.lower() for word in ("topic", "query", "qid", "docid", "docno")):
        return ("It looks like a header: TREC files have none; name a table .csv or .tsv.",)
    return ()


def trec_runs(path: Path, by_tag: bool, *, small: bool = False, name: str | None = None) -> Piece:
    """The rankings of one TREC run file; a small one does not wait for the scanner to be loaded."""
    if small or not path.is_file():  # a pipe can be read only once, from its beginning
        return _slowly(path, by_tag, name)
    from dissensus.engine.join.ordering import first_duplicate, rank
    from dissensus.engine.trec_scan import scan_trec

    scanned = scan_trec(path, "run")
    if scanned is None:
        return _slowly(path, by_tag, name)
    piece, origin = _as_piece(scanned, path, by_tag, name)
    ids, columns = scanned.ids, piece.columns
    twice = first_duplicate(piece.bounds, columns["key"], ids, columns["start"], columns["length"])
    if twice[0] >= 0:
        raise _twice(piece, path, twice, [int(r if origin is None else origin[r]) for r in twice])
    rank(piece.bounds, columns["score"], columns["key"], ids, columns["start"], columns["length"])
    return piece


def _as_piece(scanned: Scanned, path: Path, by_tag: bool, name: str | None) -> tuple[Piece, NDArray[np.int64] | None]:
    """(the rows as rankings, still in the order of the file; where rows were moved, the row of the file each was)"""
    columns = {"score": scanned.value, "key": scanned.key, "start": scanned.start, "length": scanned.length}
    systems, system_row = [name or stem(path)], np.zeros(1, np.int64)
    if by_tag and name is None:
        systems, system_row = scanned.names, scanned.name_row
    piece, origin = rankings(columns, scanned.ids, systems, system_row, scanned.topics, scanned.topic_row)
    piece.source, piece.notes = str(path), _notes(path, scanned.disorder, scanned.comments)
    return piece, origin


def _twice(piece: Piece, path: Path, rows: tuple[int, int], file_rows: list[int]) -> RunError:
    """The error for a document that stands in two rows of a ranking."""
    segment = int(np.searchsorted(piece.bounds, rows[0], side="right")) - 1
    start, length = int(piece.columns["start"][rows[0]]), int(piece.columns["length"][rows[0]])
    doc = piece.text[start : start + length].tobytes().decode("utf-8")
    one, other = (f"{path}:{line}" for line in lines_of_rows(contents(path), path, file_rows, RUN_COLUMNS))
    system, topic = piece.systems[piece.segment_system[segment]], piece.topics[piece.segment_topic[segment]]
    return duplicate(one, other, system, topic, doc)


def _notes(path: Path, disorder: int, comments: int, trailing: int = 0) -> tuple[str, ...]:
    notes: list[str] = []
    if trailing:
        notes.append(f"{path}: text after the tag ignored in {counted(trailing, 'line')}")
    if comments:
        notes.append(f"{path}: {counted(comments, 'comment line')} skipped")
    if disorder:
        notes.append(Note("runs.ranks-contradict", path=path, places=counted(disorder, "place")))
    return tuple(notes)


def _slowly(path: Path, by_tag: bool, name: str | None) -> Piece:
    """The exact reader: finds the error, or reads what the scanner did not know."""
    rows = run_rows(contents(path), path)
    systems = rows.tag if by_tag and name is None else [name or stem(path)] * len(rows.tag)
    place: Callable[[int], str] = lambda row: f"{path}:{rows.line[row]}"  # noqa: E731
    scores = np.array(list(map(float, rows.value)))
    runs = Runs.from_columns(systems, rows.topic, rows.doc, pl.Series(scores), place=place)
    (piece,) = pieces_of(runs, str(path))
    piece.notes = _notes(path, _disorder(rows, scores), rows.comments, rows.trailing)
    return piece


def _rank(text: str) -> int:
    """The rank as a number, −1 where it is not one."""
    return int(text) if len(text) < RANK and text.isascii() and text.isdigit() else -1


def _disorder(rows: TrecRows, score: NDArray[np.float64]) -> int:
    """Places where a line with a later rank than the line above has the higher score, in rankings by (topic, tag)."""
    plain = len(max(rows.rank, key=len)) < RANK and (every := "".join(rows.rank)).isascii() and every.isdigit()
    rank = np.array(list(map(int if plain else _rank, rows.rank)), np.int64)
    suspect = np.flatnonzero((rank[1:] > rank[:-1]) & (rank[:-1] >= 0) & (score[1:] > score[:-1]))
    topic, tag = rows.topic, rows.tag
    return sum(topic[i] == topic[i + 1] and tag[i] == tag[i + 1] for i in suspect.tolist())
