"""What is odd about runs: ties, missing topics, short, constant and identical rankings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dissensus.data.check.findings import Finding, listed
from dissensus.data.tables.runs import Runs
from dissensus.errors import Fix, Note, Option
from dissensus.work.compiled import plain_is_quick

CUTOFFS = (10, 100, 1000)
SHORT = 10


def check_runs(runs: Runs) -> Iterator[Finding]:
    """Everything odd that the runs alone show."""
    for note in runs.notes:
        contradiction = isinstance(note, Note) and note.kind == "runs.ranks-contradict"
        yield Finding(
            "warning" if contradiction else "note",
            note,
            fixes=("Ranks follow from scores and document ids; correct the scores.",) if contradiction else (),
        )
    yield from _silent(runs)
    yield from _ties(runs)
    yield from _constant(runs)
    yield from _missing_topics(runs)
    yield from _short(runs)
    yield from _identical(runs)


def _silent(runs: Runs) -> Iterator[Finding]:
    silent = [s for i, s in enumerate(runs.systems) if not (runs.segment_system == i).any()]
    yield from listed("warning", "systems that retrieved nothing at all", silent)


def _ties(runs: Runs) -> Iterator[Finding]:
    """Ties that straddle a cut-off: there the order by document id decides who is in."""
    start, stop = runs.bounds[:-1], runs.bounds[1:]
    for k in CUTOFFS:
        long = np.flatnonzero(stop - start > k)
        at = start[long] + k
        tied = long[runs.score[at - 1] == runs.score[at]]
        yield from listed(
            "warning",
            f"{len(tied):,} of {len(start):,} rankings have tied scores at rank {k}: document ids decide",
            sorted({runs.systems[s] for s in runs.segment_system[tied]}),
            Fix("Score with ", Option("ties", "expected"), " to average over the orders of tied documents."),
        )


def _constant(runs: Runs) -> Iterator[Finding]:
    start, stop = runs.bounds[:-1], runs.bounds[1:]
    flat = (stop - start > 1) & (runs.score[start] == runs.score[np.maximum(stop - 1, 0)]) if len(start) else start > 0
    for i, system in enumerate(runs.systems):
        mine = runs.segment_system == i
        if mine.any() and flat[mine].all():
            yield Finding(
                "warning",
                "every ranking has one score only: its order is that of the document ids",
                where=system,
                count=int(mine.sum()),
                fixes=("Write the system's real scores, or minus the rank.",),
            )


def _missing_topics(runs: Runs) -> Iterator[Finding]:
    have = np.zeros((len(runs.systems), len(runs.topics)), bool)
    have[runs.segment_system, runs.segment_topic] = True
    for i, system in enumerate(runs.systems):
        lost = np.flatnonzero(~have[i])
        if have[i].any():
            yield from listed(
                "warning",
                f"{len(lost):,} of {len(runs.topics):,} topics that other systems have are missing",
                (runs.topics[t] for t in lost),
                Fix("Missing topics score 0; average over common ones with ", Option("topics", "shared"), "."),
                where=system,
            )


def _short(runs: Runs) -> Iterator[Finding]:
    lengths = np.diff(runs.bounds)
    if not len(lengths):
        return
    short = np.flatnonzero((lengths < SHORT) & (lengths * 10 < np.median(lengths)))
    yield from listed(
        "note",
        f"{len(short):,} rankings hold fewer than {SHORT} documents; the median is {np.median(lengths):,.0f}",
        (f"{runs.systems[runs.segment_system[s]]}/{runs.topics[runs.segment_topic[s]]}" for s in short),
        "Was the file cut off?",
    )


def _identical(runs: Runs) -> Iterator[Finding]:
    """Systems whose rankings are the same, document by document."""
    groups: dict[tuple[bytes, bytes, bytes], list[str]] = {}
    few = plain_is_quick(len(runs))
    for i, system in enumerate(runs.systems):
        segments = np.flatnonzero(runs.segment_system == i)
        if len(segments):
            rows = slice(runs.bounds[segments[0]], runs.bounds[segments[-1] + 1])  # a system's rankings are neighbours
            lengths = np.diff(runs.bounds)[segments]
            mark = (runs.segment_topic[segments].tobytes(), lengths.tobytes(), _digest(runs, rows, few))
            groups.setdefault(mark, []).append(system)
    for twins in (t for group in groups.values() if len(group) > 1 for t in _by_ids(runs, group)):
        if len(twins) > 1:
            fix = "Is one a copy of the other? Comparing them says nothing."
            yield from listed("warning", "systems with identical rankings on all topics", twins, fix)


def _by_ids(runs: Runs, systems: list[str]) -> list[list[str]]:
    """Systems of equal hashes in groups of equal document ids: the hash alone never decides."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for system in systems:
        groups.setdefault(tuple(runs.select(systems=[system]).ids.strings()), []).append(system)
    return list(groups.values())


def _digest(runs: Runs, rows: slice, few: bool) -> bytes:
    """A hash of the documents of some rows; of their ids where these are few and hashing them would load numba."""
    import hashlib

    if few:
        content = "\0".join(runs.ids.strings(np.arange(rows.start, rows.stop))).encode()
    else:
        content = np.ascontiguousarray(runs.key[rows]).tobytes()
    return hashlib.blake2b(content, digest_size=16).digest()
