"""Everything that is odd about runs and judgments, before any number is computed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from dissensus.errors import Fix, InputError, Option
from dissensus.io.check.findings import CheckReport, Finding, listed, some
from dissensus.io.check.oddities import check_judgments, check_runs
from dissensus.io.files import PathLike, find_files
from dissensus.io.options import ReadOptions
from dissensus.io.reading import judgments_from_files, runs_from_files
from dissensus.tables.coercion import as_judgments, as_runs
from dissensus.tables.collection import Joined, join
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

Paths = PathLike | Iterable[PathLike]
DEPTH = 10
_Read = TypeVar("_Read")


def check_with(
    runs: Runs | Paths | None, judgments: Judgments | Paths | None, options: ReadOptions, joined: Joined | None = None
) -> CheckReport:
    """What is odd about runs, judgments, and the two together; `dissensus.judging.checking` sorts files out first."""
    findings: list[Finding] = []
    found_runs = _all_runs(runs, options, findings)
    found_judgments = _all_judgments(judgments, options, findings)
    if not findings:
        _try(options.refuse_unused, findings)
    if found_runs is not None:
        findings += check_runs(found_runs)
    if found_judgments is not None:
        findings += check_judgments(found_judgments)
    if found_runs is not None and found_judgments is not None:
        findings += check_together(found_runs, found_judgments, joined)
    return CheckReport.of(findings, [repr(x) for x in (found_runs, found_judgments) if x is not None])


# ── reading, without stopping at the first error ──
def _all_runs(runs: Runs | Paths | None, options: ReadOptions, findings: list[Finding]) -> Runs | None:
    if runs is None or isinstance(runs, Runs):
        return runs
    if not are_paths(runs):
        return as_runs(runs, options.runs)
    files = _files(runs, "read_runs", findings)
    return _read_all(files, lambda *some: runs_from_files(some, options.runs), findings)


def _all_judgments(
    judgments: Judgments | Paths | None, options: ReadOptions, findings: list[Finding]
) -> Judgments | None:
    if judgments is None or isinstance(judgments, Judgments):
        return judgments
    if not are_paths(judgments):
        return as_judgments(judgments, options.judgments)

    def read(*files: Path) -> Judgments:
        return judgments_from_files(files, options.judgments)

    files = _files(judgments, "read_judgments", findings)
    return _read_all(files, read, findings)


def are_paths(given: object) -> bool:
    """Is it a path, or a list of them?"""
    if isinstance(given, str | os.PathLike):
        return True
    return isinstance(given, list | tuple) and all(isinstance(g, str | os.PathLike) for g in given)


def _read_all(files: list[Path], read: Callable[..., _Read], findings: list[Finding]) -> _Read | None:
    """All files in one go, on all cores; one by one only where something is wrong with one of them."""
    if not files:
        return None
    try:
        return read(*files)
    except InputError:
        pass
    readable = [f for f in files if _try(lambda f=f: read(f), findings) is not None]  # type: ignore[misc]
    return _try(lambda: read(*readable), findings) if readable else None


def _files(paths: Paths, reader: str, findings: list[Finding]) -> list[Path]:
    patterns: Sequence[PathLike] = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not patterns:
        findings.append(_refusal(InputError(f"{reader}() was given no file.")))
    files: list[Path] = []
    for pattern in patterns:
        files += _try(lambda p=pattern: find_files([p], reader), findings) or []  # type: ignore[misc]
    return list(dict.fromkeys(files))


def _try(read: Callable[[], _Read], findings: list[Finding]) -> _Read | None:
    try:
        return read()
    except InputError as error:
        findings.append(_refusal(error))
        return None


def _refusal(error: InputError) -> Finding:
    return Finding("error", error.what, fixes=error.fixes)


# ── together ──
def check_together(runs: Runs, judgments: Judgments, joined: Joined | None = None) -> Iterator[Finding]:
    """What only runs and judgments together show."""
    judged, retrieved = set(judgments.topics), set(runs.topics)
    if not judged & retrieved:
        yield Finding(
            "error",
            f"no topic of the runs was judged: the runs have {', '.join(runs.topics[:3])} …, "
            f"the judgments {', '.join(judgments.topics[:3])} …",
            count=len(retrieved),
            fixes=("Check that both use the same topic ids.",),
        )
        return
    yield from _topics(runs, judgments, judged, retrieved)
    lost = list(_strangers(runs, judged))
    yield from lost
    if lost or not judgments.scale.ordered:
        return
    yield from _documents(runs, judgments, joined)


def _topics(runs: Runs, judgments: Judgments, judged: set[str], retrieved: set[str]) -> Iterator[Finding]:
    absent = [t for t in judgments.topics if t not in retrieved]
    yield from listed(
        "warning",
        f"{len(absent):,} of {len(judged):,} judged topics are in no run: they score 0 for all systems",
        absent,
        Fix("Leave them out of the judgments, or score with ", Option("topics", "shared"), "."),
    )
    extra = [t for t in runs.topics if t not in judged]
    what = f"{len(extra):,} of {len(retrieved):,} topics of the runs were judged by no assessor: they are not scored"
    yield from listed("note", what, extra)


def _strangers(runs: Runs, judged: set[str]) -> Iterator[Finding]:
    known = np.array([t in judged for t in runs.topics])
    for i, system in enumerate(runs.systems):
        mine = runs.segment_topic[runs.segment_system == i]
        if not known[mine].any():
            fix = "Check the topic ids of this run, or leave it out."
            names = (runs.topics[t] for t in mine)
            yield from listed("error", "none of its topics was judged", names, fix, where=system)


def _documents(runs: Runs, judgments: Judgments, joined: Joined | None) -> Iterator[Finding]:
    joined = join(runs, judgments) if joined is None else joined.under(judgments)
    hits = np.diff(joined.hits)
    if not hits.sum():
        yield Finding(
            "error",
            f"no system retrieved a judged document: runs have ids like {runs.ids.strings(np.arange(1))[0]}, "
            f"judgments like {judgments.doc_ids(np.arange(1))[0]}",
            fixes=("Check that both use the same document ids.",),
        )
        return
    per_system = np.bincount(joined.segment_system, weights=hits, minlength=len(runs.systems))
    ranked = set(joined.segment_system.tolist())
    for i, system in enumerate(runs.systems):
        if i in ranked and not per_system[i]:
            yield Finding("warning", "retrieved no judged document at all", where=system, fixes=("Check its ids.",))
    never = judgments.n_items - len(np.unique(joined.hit_item))
    if never:
        yield Finding(
            "note", f"{never:,} of {judgments.n_items:,} judged documents were retrieved by no system", count=never
        )
    shallow = np.minimum(joined.length, DEPTH)
    seen = (joined.hit_rank <= DEPTH) & (joined.labels.max(axis=1) >= 0)[joined.hit_item]
    segment = np.repeat(np.arange(len(hits)), hits)
    judged_at = np.bincount(joined.segment_system[segment[seen]], minlength=len(runs.systems))
    room = np.bincount(joined.segment_system, weights=shallow, minlength=len(runs.systems))
    share = 1 - judged_at.sum() / room.sum()
    if share > 0:
        each = 1 - judged_at / np.maximum(room, 1)
        worst = np.argsort(-each, kind="stable")
        yield Finding(
            "warning" if share > 0.2 else "note",
            f"{share:.1%} of the documents in the top {DEPTH} are unjudged",
            count=int(room.sum() - judged_at.sum()),
            examples=some(f"{runs.systems[i]} ({each[i]:.1%})" for i in worst if room[i] and each[i] > 0),
            fixes=(
                Fix("They count as nonrelevant; ", Option("unjudged", "bounds"), " shows how far scores can move."),
            ),
        )
