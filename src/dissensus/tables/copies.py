"""Copies: assessors with the same grades for the same documents, and systems with the same rankings.

A copied assessor counts twice in every vote and agrees perfectly with its original. A copied system is one more system
that the same documents must tell apart from itself. Both happen: a file read under two names, a run submitted twice.

    >>> grades = {t: {d: (t * d) % 3 for d in range(10)} for t in range(6)}
    >>> other = {t: {d: (t + d) % 3 for d in range(10)} for t in range(6)}
    >>> copied_assessors(Judgments.from_dict({"ann": grades, "bob": other, "cyd": grades}))
    (('ann', 'cyd'),)
    >>> one = {"q": {"a": 2.0, "b": 1.0}}
    >>> copied_systems(Runs.from_dict({"A": one, "B": {"q": {"b": 2.0, "a": 1.0}}, "C": one}))
    (('A', 'C'),)
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
from numpy.typing import NDArray

from dissensus.engine.compiled import is_little
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

Groups = tuple[tuple[str, ...], ...]
FEWEST = 20  # documents from which on the same grades are no accident
CHANCE = 1e-6  # that two judges who grade as often but apart would agree on all of them
NAMED = 5


def copied_assessors(judgments: Judgments) -> Groups:
    """Groups of assessors who graded the same documents and gave every one the same grade."""
    keep = (judgments.repeat == 0) & (judgments.grade >= 0)
    names = judgments.assessors
    groups = same_labels(judgments.item[keep], judgments.assessor[keep], judgments.grade[keep], len(names))
    return tuple(tuple(names[a] for a in group) for group in groups)


def same_labels(
    item: NDArray[np.integer], who: NDArray[np.integer], grade: NDArray[np.int8], n_assessors: int
) -> list[list[int]]:
    """The same as codes, from rows that are sorted by item."""
    order = np.argsort(who, kind="stable")
    item, grade = item[order], grade[order]
    ends = np.cumsum(np.bincount(who, minlength=n_assessors))
    groups: dict[bytes, list[int]] = {}
    for a, (end, n) in enumerate(zip(ends.tolist(), np.diff(ends, prepend=0).tolist(), strict=True)):
        mine = slice(end - n, end)
        if n >= FEWEST and _telling(grade[mine], n):
            mark = hashlib.blake2b(item[mine].tobytes() + grade[mine].tobytes(), digest_size=16).digest()
            groups.setdefault(mark, []).append(a)
    return [group for group in groups.values() if len(group) > 1]


def _telling(grade: NDArray[np.int8], n: int) -> bool:
    """Would two judges with these shares of grades hardly agree on every document by chance?"""
    share = np.unique(grade, return_counts=True)[1] / n
    return n * math.log(float((share**2).sum())) < math.log(CHANCE)


def copied_systems(runs: Runs) -> Groups:
    """Groups of systems whose rankings are the same on every topic, document by document."""
    groups: dict[tuple[bytes, bytes, bytes], list[str]] = {}
    few = is_little(len(runs))
    for i, system in enumerate(runs.systems):
        segments = np.flatnonzero(runs.segment_system == i)
        if len(segments):
            rows = slice(runs.bounds[segments[0]], runs.bounds[segments[-1] + 1])  # a system's rankings are neighbours
            lengths = np.diff(runs.bounds)[segments]
            mark = (runs.segment_topic[segments].tobytes(), lengths.tobytes(), _digest(runs, rows, few))
            groups.setdefault(mark, []).append(system)
    alike = (twins for group in groups.values() if len(group) > 1 for twins in _by_ids(runs, group))
    return tuple(tuple(twins) for twins in alike if len(twins) > 1)


def _by_ids(runs: Runs, systems: list[str]) -> list[list[str]]:
    """Systems of equal hashes in groups of equal document ids: the hash alone never decides."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for system in systems:
        groups.setdefault(tuple(runs.select(systems=[system]).ids.strings()), []).append(system)
    return list(groups.values())


def _digest(runs: Runs, rows: slice, few: bool) -> bytes:
    """A hash of the documents of some rows; of their ids where these are few and hashing them would load numba."""
    if few:
        content = "\0".join(runs.ids.strings(np.arange(rows.start, rows.stop))).encode()
    else:
        content = np.ascontiguousarray(runs.key[rows]).tobytes()
    return hashlib.blake2b(content, digest_size=16).digest()


def copy_notes(judgments: Judgments | None = None, runs: Runs | None = None) -> tuple[str, ...]:
    """What there is to say about copies, a sentence for each group."""
    said = [] if judgments is None else [_of_judges(group) for group in copied_assessors(judgments)]
    return (*said, *(() if runs is None else map(_of_systems, copied_systems(runs))))


def _of_judges(group: tuple[str, ...]) -> str:
    return (
        f"{_names(group)} gave every document the same grade. If one is a copy, it counts {_times(len(group))} here: "
        "leave it out."
    )


def _of_systems(group: tuple[str, ...]) -> str:
    return f"{_names(group)} have identical rankings on all topics. If one is a copy, leave it out."


def _times(n: int) -> str:
    return "twice" if n == 2 else f"{n} times"


def _names(group: tuple[str, ...]) -> str:
    if len(group) > NAMED:
        return f"{', '.join(group[:NAMED])} and {len(group) - NAMED:,} more"
    return f"{', '.join(group[:-1])} and {group[-1]}"
