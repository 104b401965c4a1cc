"""Run files to pieces: the fast way through the scanner, the exact way where it gives up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.data.join.concatenate import Piece
from dissensus.data.readers.files import contents, stem
from dissensus.data.readers.trec import RUN_COLUMNS, lines_of_rows, run_rows
from dissensus.data.tables.run_table import duplicate
from dissensus.data.tables.runs import Runs
from dissensus.errors import RunError

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
    n = len(scanned.key)
    systems: tuple[str, ...] = (name or stem(path),)
    system_code, system_row = np.zeros(1, np.int64), np.zeros(1, np.int64)
    if by_tag and name is None:
        systems, system_code = _codes(scanned.names)
        system_row = scanned.name_row
    topics, topic_code = _codes(scanned.topics)
    # a ranking begins where the topic or the system changes
    starts = np.union1d(scanned.topic_row, system_row)
    segment_topic = topic_code[np.searchsorted(scanned.topic_row, starts, side="right") - 1]
    segment_system = system_code[np.searchsorted(system_row, starts, side="right") - 1]
    lengths = np.diff(np.r_[starts, n])
    columns = {"score": scanned.value, "key": scanned.key, "start": scanned.start, "length": scanned.length}
    origin = None
    segment = segment_system * len(topics) + segment_topic
    if len(np.unique(segment)) < len(segment):  # topics interleaved: bring the rows of each together
        order = np.argsort(segment, kind="stable")
        before = np.cumsum(lengths[order]) - lengths[order]
        origin = np.repeat(starts[order] - before, lengths[order]) + np.arange(n)
        columns = {name: column[origin] for name, column in columns.items()}
        new = np.flatnonzero(np.r_[True, np.diff(segment[order]) != 0])
        lengths = np.add.reduceat(lengths[order], new)
        segment_system, segment_topic = segment_system[order][new], segment_topic[order][new]
    piece = Piece(
        systems=systems,
        topics=topics,
        segment_system=segment_system,
        segment_topic=segment_topic,
        bounds=np.r_[0, np.cumsum(lengths)].astype(np.int64),
        columns=columns,
        buffers=(scanned.ids,),
        blocks=np.array([0, n]),
        source=str(path),
        notes=_notes(path, scanned.disorder, scanned.comments),
    )
    return piece, origin


def _twice(piece: Piece, path: Path, rows: tuple[int, int], file_rows: list[int]) -> RunError:
    """The error for a document that stands in two rows of a ranking."""
    segment = int(np.searchsorted(piece.bounds, rows[0], side="right")) - 1
    start, length = int(piece.columns["start"][rows[0]]), int(piece.columns["length"][rows[0]])
    doc = piece.buffers[0][start : start + length].tobytes().decode("utf-8")
    one, other = (f"{path}:{line}" for line in lines_of_rows(contents(path), path, file_rows, RUN_COLUMNS))
    system, topic = piece.systems[piece.segment_system[segment]], piece.topics[piece.segment_topic[segment]]
    return duplicate(one, other, system, topic, doc)


def _codes(names: list[str]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    position = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return tuple(position), np.array([position[name] for name in names], np.int64)


def _notes(path: Path, disorder: int, comments: int, trailing: int = 0) -> tuple[str, ...]:
    notes = []
    if trailing:
        notes.append(f"{path}: text after the tag ignored in {trailing:,} line{'s' if trailing > 1 else ''}")
    if comments:
        notes.append(f"{path}: {comments:,} comment line{'s' if comments > 1 else ''} skipped")
    if disorder:
        places = f"{disorder:,} place{'s' if disorder > 1 else ''}"
        notes.append(f"{path}: the rank column contradicts the scores in {places}; scores decide")
    return tuple(notes)


def _slowly(path: Path, by_tag: bool, name: str | None) -> Piece:
    """The exact reader: finds the error, or reads what the scanner did not know."""
    rows = run_rows(contents(path), path)
    systems = rows.tag if by_tag and name is None else [name or stem(path)] * len(rows.tag)
    place: Callable[[int], str] = lambda row: f"{path}:{rows.line[row]}"  # noqa: E731
    runs = Runs.from_columns(systems, rows.topic, rows.doc, rows.value, source=str(path), place=place)
    piece = Piece.of(runs, str(path))
    piece.notes = _notes(
        path,
        _disorder(list(zip(rows.topic, rows.tag, strict=True)), rows.rank, rows.value),
        rows.comments,
        rows.trailing,
    )
    return piece


def _disorder(ranking: list[tuple[str, str]], rank: list[str], score: list[str]) -> int:
    """Places where a line with a later rank than the line above has the higher score; rankings are (topic, tag)."""
    count = 0
    for i in range(1, len(ranking)):
        if ranking[i] == ranking[i - 1] and all(
            r.isascii() and r.isdigit() and len(r) < 8 for r in rank[i - 1 : i + 1]
        ):
            count += int(rank[i]) > int(rank[i - 1]) and float(score[i]) > float(score[i - 1])
    return count
