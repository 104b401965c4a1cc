"""One Runs from the rankings of several files, and Runs from some of the rankings of another.

A ranking is what one system says on one topic. Files are read in parallel into pieces, whose rankings stand in the
order of the file; here they are put into the order of systems and topics. Rankings that follow each other in a piece
stay where they are: their columns are slices of the piece's. The others are copied, column by column, and each column
is let go when it is copied: at no time are there two copies of everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Array, Values
from dissensus.engine.compiled import compiled
from dissensus.errors import Fix, Option, RunError
from dissensus.tables.columns import chosen, recode
from dissensus.tables.ids import IdColumn, IdText, natural_order
from dissensus.work.threads import on_threads

if TYPE_CHECKING:
    from dissensus.tables.runs import Runs

LARGE = 1_000_000  # rows from which a second thread saves more than it costs


@compiled
def copy_stretches(column, first, target, count, out):  # type: ignore[no-untyped-def]
    """Stretch k, `count[k]` rows of `column` from `first[k]` on, goes to `out[target[k]:]`."""
    for k in range(len(first)):
        a, b = first[k], target[k]
        for i in range(count[k]):
            out[b + i] = column[a + i]


@dataclass
class Piece:
    """Rankings in any order: what a Runs holds, with columns that can be taken out."""

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    segment_system: NDArray[np.integer[Any]]
    segment_topic: NDArray[np.integer[Any]]
    bounds: NDArray[np.int64]
    columns: dict[str, Array]  # score, start, length and, where the scanner made hashes, key
    text: NDArray[np.uint8]  # of the document ids
    source: str = ""
    notes: tuple[str, ...] = field(default=())


def pieces_of(runs: Runs, source: str = "") -> list[Piece]:
    """The rankings of a Runs, a piece for each text that its ids lie in."""
    cuts = np.searchsorted(runs.bounds, runs.ids.bounds)
    pieces = []
    for a, b, score, ids in zip(cuts, cuts[1:], runs.score_parts, runs.ids.texts, strict=False):
        columns: dict[str, Array] = {"score": score, "start": ids.start, "length": ids.length}
        if ids.hashed is not None:
            columns["key"] = ids.hashed
        rankings = runs.segment_system[a:b], runs.segment_topic[a:b], runs.bounds[a : b + 1] - runs.bounds[a]
        pieces.append(Piece(runs.systems, runs.topics, *rankings, columns, ids.text, source, runs.notes))
    return pieces


def rankings(
    columns: Mapping[str, Array],
    ids: NDArray[np.uint8],
    systems: Sequence[str],
    system_row: NDArray[np.int64],
    topics: Sequence[str],
    topic_row: NDArray[np.int64],
) -> tuple[Piece, NDArray[np.int64] | None]:
    """Rows in the order of a file, put together into rankings; and where rows were moved, the row that each was.

    Rows from `system_row[k]` on are of `systems[k]`, until the next; likewise topics. A ranking begins where the topic
    or the system changes; rows of one ranking that others interrupt come together. The document ids lie in `ids`.
    """
    n = len(next(iter(columns.values())))
    system_names, system_code = _codes(systems)
    topic_names, topic_code = _codes(topics)
    starts = np.union1d(topic_row, system_row)
    segment_topic = topic_code[np.searchsorted(topic_row, starts, side="right") - 1]
    segment_system = system_code[np.searchsorted(system_row, starts, side="right") - 1]
    lengths = np.diff(np.r_[starts, n])
    rows, origin = dict(columns), None
    segment = segment_system * len(topic_names) + segment_topic
    if len(np.unique(segment)) < len(segment):
        order = np.argsort(segment, kind="stable")
        before = np.cumsum(lengths[order]) - lengths[order]
        origin = np.repeat(starts[order] - before, lengths[order]) + np.arange(n)
        rows = {name: column[origin] for name, column in columns.items()}
        new = np.flatnonzero(np.r_[True, np.diff(segment[order]) != 0])
        lengths = np.add.reduceat(lengths[order], new)
        segment_system, segment_topic = segment_system[order][new], segment_topic[order][new]
    bounds = np.r_[0, np.cumsum(lengths)].astype(np.int64)
    return Piece(system_names, topic_names, segment_system, segment_topic, bounds, rows, ids), origin


def _codes(names: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    position = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return tuple(position), np.array([position[name] for name in names], np.int64)


def joined_fields(pieces: Sequence[Piece]) -> Values:
    """The fields of one Runs from all pieces; a ranking in two of them is an error."""
    systems, system_codes = common_names([p.systems for p in pieces])
    topics, topic_codes = common_names([p.topics for p in pieces])
    segment_system = np.concatenate([c[p.segment_system] for c, p in zip(system_codes, pieces, strict=True)])
    segment_topic = np.concatenate([c[p.segment_topic] for c, p in zip(topic_codes, pieces, strict=True)])
    segment = segment_system * max(len(topics), 1) + segment_topic
    order = np.argsort(segment, kind="stable")
    twice = np.flatnonzero(segment[order][1:] == segment[order][:-1])
    if len(twice):
        a, b = order[twice[0]], order[twice[0] + 1]
        piece = np.repeat(np.arange(len(pieces)), [len(p.segment_system) for p in pieces])
        raise RunError(
            f"{pieces[piece[a]].source} and {pieces[piece[b]].source} both hold a ranking of system "
            f"{systems[segment_system[a]]} for topic {topics[segment_topic[a]]}.",
            Fix("Name the systems after their files with ", Option("system", "file"), "."),
            "Put each ranking into one file.",
        )
    return _stitch(pieces, order, systems, topics, segment_system[order], segment_topic[order])


def selected_fields(runs: Runs, systems: Iterable[str] | None, topics: Iterable[str] | None) -> Values:
    """The fields of a Runs with the rankings of some systems and topics, vocabularies cut down to them."""
    keep_s = list(runs.systems) if systems is None else chosen(runs.systems, systems, "system")
    keep_t = list(runs.topics) if topics is None else chosen(runs.topics, topics, "topic")
    new_s = recode(runs.systems, keep_s)[runs.segment_system]
    new_t = recode(runs.topics, keep_t)[runs.segment_topic]
    keep = np.flatnonzero((new_s >= 0) & (new_t >= 0))
    return _stitch(pieces_of(runs), keep, tuple(keep_s), tuple(keep_t), new_s[keep], new_t[keep])


def common_names(names: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], list[NDArray[np.int64]]]:
    """One vocabulary for all, in natural order, and the new code of each old one."""
    union = list(dict.fromkeys(n for part in names for n in part))
    union = [union[i] for i in natural_order(union)]
    return tuple(union), [recode(part, union) for part in names]


def _stitch(
    pieces: Sequence[Piece],
    order: NDArray[np.int64],
    systems: tuple[str, ...],
    topics: tuple[str, ...],
    segment_system: NDArray[np.int64],
    segment_topic: NDArray[np.int64],
) -> dict[str, object]:
    """The rankings of all pieces in `order` (their numbers, one piece after the other)."""
    first = np.concatenate([p.bounds[:-1] for p in pieces])[order]
    count = np.concatenate([np.diff(p.bounds) for p in pieces])[order]
    piece = np.repeat(np.arange(len(pieces)), [len(p.segment_system) for p in pieces])[order]
    bounds = np.r_[0, np.cumsum(count)].astype(np.int64)
    # stretches: rankings that follow each other in one piece; blocks: stretches of one piece that follow each other
    moved = piece[1:] != piece[:-1]
    jumped = moved | (first[1:] != first[:-1] + count[:-1])
    stretch, block = (np.flatnonzero(np.r_[True, new]) if len(order) else order for new in (jumped, moved))
    cuts = np.append(np.searchsorted(stretch, block), len(stretch))
    source, rows = first[stretch], np.diff(np.r_[bounds[stretch], bounds[-1]])
    of_piece = np.bincount(piece[block], minlength=len(pieces))
    blocks_of = np.split(np.argsort(piece[block], kind="stable"), np.cumsum(of_piece)[:-1])
    parts: list[dict[str, Array]] = [{} for _ in block]

    def take(place: tuple[Piece, list[int], str]) -> None:
        p, blocks, name = place
        column = p.columns.pop(name)
        for b in blocks:
            own = slice(cuts[b], cuts[b + 1])
            parts[b][name] = _together(column, source[own], rows[own])

    places = [(p, own.tolist(), name) for p, own in zip(pieces, blocks_of, strict=True) for name in tuple(p.columns)]
    on_threads(take, places, None if len(stretch) > len(block) and bounds[-1] > LARGE else 1)
    texts = [pieces[piece[b]].text for b in block]
    empty = IdText(np.empty(0, np.uint8), np.empty(0, np.uint32), np.empty(0, np.uint16))
    return {
        "systems": systems,
        "topics": topics,
        "segment_system": segment_system.astype(np.int32),
        "segment_topic": segment_topic.astype(np.int32),
        "bounds": bounds,
        "score_parts": tuple(part["score"] for part in parts) or (np.empty(0),),
        "ids": IdColumn(
            tuple(
                IdText(text, part["start"], part["length"], part.get("key"))
                for text, part in zip(texts, parts, strict=True)
            )
            or (empty,)
        ),
        "notes": tuple(dict.fromkeys(note for p in pieces for note in p.notes)),
    }


def _together(column: Array, first: NDArray[np.int64], rows: NDArray[np.int64]) -> Array:
    """Stretches of a column one after the other: a slice where it is one, else a copy."""
    if len(first) == 1:
        return column[first[0] : first[0] + rows[0]]
    copied = np.empty(rows.sum(), column.dtype)
    copy_stretches(column, first, np.cumsum(rows) - rows, rows, copied)
    return copied
