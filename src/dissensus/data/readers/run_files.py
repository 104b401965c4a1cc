"""Run files to pieces: the fast way through the scanner, the exact way where it gives up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.join.concatenate import Piece
from dissensus.data.readers.files import contents, stem
from dissensus.data.readers.trec import RUN_COLUMNS, TrecRows, lines_of_rows, run_rows
from dissensus.data.tables.runs import Runs, duplicate
from dissensus.errors import Note, RunError
from dissensus.work.plural import counted

RANK = 8  # digits from which on a rank is not taken for one

if TYPE_CHECKING:
    from dissensus.data.scanner.trec_scan import Scanned


def trec_runs(path: Path, by_tag: bool, *, small: bool = False, name: str | None = None) -> Piece:
    """The rankings of one TREC run file; a small one does not wait for the scanner to be compiled or loaded."""
    if small or not path.is_file():  # a pipe can be read only once, from its beginning
        return _slowly(path, by_tag, name)
    from dissensus.data.join.ordering import first_duplicate, rank
    from dissensus.data.scanner.trec_scan import scan_trec

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
    from dissensus.data.join.rankings import rankings

    columns = {"score": scanned.value, "key": scanned.key, "start": scanned.start, "length": scanned.length}
    systems, system_row = [name or stem(path)], np.zeros(1, np.int64)
    if by_tag and name is None:
        systems, system_row = scanned.names, scanned.name_row
    found = rankings(columns, systems, system_row, scanned.topics, scanned.topic_row)
    notes = _notes(path, scanned.disorder, scanned.comments)
    return Piece.of_rankings(found, scanned.ids, str(path), notes), found.origin


def _twice(piece: Piece, path: Path, rows: tuple[int, int], file_rows: list[int]) -> RunError:
    """The error for a document that stands in two rows of a ranking."""
    segment = int(np.searchsorted(piece.bounds, rows[0], side="right")) - 1
    start, length = int(piece.columns["start"][rows[0]]), int(piece.columns["length"][rows[0]])
    doc = piece.buffers[0][start : start + length].tobytes().decode("utf-8")
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
    runs = Runs.from_columns(systems, rows.topic, rows.doc, pl.Series(scores), source=str(path), place=place)
    piece = Piece.of(runs, str(path))
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
