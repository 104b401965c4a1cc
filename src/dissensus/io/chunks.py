"""Runs and judgments larger than memory, divided into pieces of whole topics.

A piece is a few row ranges of Parquet files, read where and when they are needed; every vocabulary is local to its
piece, so that memory is bounded by the size of a piece, whatever the size of the data.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import FileError, RunError
from dissensus.io.files import PathLike
from dissensus.io.parquet_source import Index, Source, index, sources
from dissensus.tables.grades import parse_grades
from dissensus.tables.ids import natural_order
from dissensus.tables.judgment_table import Repeated
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale, as_scale
from dissensus.work.threads import on_threads

PIECE = 500_000  # rows of a piece, unless one topic alone has more
_FRAGMENTS = 50  # row ranges per piece and file on average, above which files are sorted too differently
Ranges = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Plan:
    """Everything a piece needs to know about the whole, and the row ranges of every piece."""

    runs: tuple[Source, ...]
    judgments: tuple[Source, ...]
    systems: tuple[str, ...]
    assessors: tuple[str, ...]
    scale: Scale
    topics: int
    unknown: int  # topics of the runs that were not judged
    pieces: tuple[dict[str, Any], ...]

    @property
    def rows(self) -> int:
        return sum(s.rows for s in (*self.runs, *self.judgments))


def plan(
    runs: Iterable[PathLike],
    judgments: Iterable[PathLike],
    *,
    scale: Scale | Sequence[str] | str | None = None,
    piece: int = PIECE,
) -> Plan:
    """Divide two datasets into pieces of about `piece` rows, each with whole topics."""
    run_files = sources(runs, ("system", "topic", "doc", "score"), "system")
    judged_files = sources(judgments, ("topic", "doc", "assessor", "grade"), "assessor")
    judged, ran = on_threads(index, judged_files), on_threads(index, run_files)
    order = pl.concat([i.topics for i in judged]).unique(maintain_order=True)
    lookup = pl.DataFrame({"topic": order, "number": np.arange(len(order))})
    runs_at = [_numbered(i, lookup) for i in ran]
    judged_at = [_numbered(i, lookup) for i in judged]
    _refuse_strangers(run_files, runs_at, ran, order)
    weight = np.zeros(len(order), np.int64)
    for numbers, found in zip((*runs_at, *judged_at), (*ran, *judged), strict=True):
        np.add.at(weight, numbers[numbers >= 0], np.diff(found.starts)[numbers >= 0])
    edges = _edges(weight, piece)
    cut = list(itertools.pairwise(edges))
    sides = {
        "runs": [_ranges(n, i.starts, cut) for n, i in zip(runs_at, ran, strict=True)],
        "judgments": [_ranges(n, i.starts, cut) for n, i in zip(judged_at, judged, strict=True)],
    }
    _refuse_scatter(sides, [*run_files, *judged_files], len(cut))
    labels = pl.Series("grade", [v for s in judged_files for v in s.values("grade")], strict=False)
    _, common = parse_grades(labels.unique(), as_scale(scale), lambda row: judged_files[0].path)
    return Plan(
        tuple(run_files),
        tuple(judged_files),
        _names(run_files, "system"),
        _names(judged_files, "assessor"),
        common,
        len(order),
        pl.concat([i.topics.filter(pl.Series(n < 0)) for n, i in zip(runs_at, ran, strict=True)]).n_unique(),
        tuple({side: [f[k] for f in files] for side, files in sides.items()} for k in range(len(cut))),
    )


def _names(files: Sequence[Source], role: str) -> tuple[str, ...]:
    unique = list(dict.fromkeys(str(v) for values in on_threads(lambda s: s.values(role), files) for v in values))
    return tuple(unique[i] for i in natural_order(unique))


def _numbered(found: Index, lookup: pl.DataFrame) -> NDArray[np.int64]:
    """The number of each topic of a file in the common order; −1 where it was not judged."""
    joined = found.topics.to_frame().join(lookup, on="topic", how="left", maintain_order="left")["number"]
    return joined.fill_null(-1).to_numpy().astype(np.int64)


def _edges(weight: NDArray[np.int64], piece: int) -> list[int]:
    """Where pieces begin: as many topics as fit, one at least."""
    before = np.r_[0, np.cumsum(weight)]
    edges = [0]
    while edges[-1] < len(weight):
        fits = int(np.searchsorted(before, before[edges[-1]] + max(piece, 1), side="right")) - 1
        edges.append(min(max(fits, edges[-1] + 1), len(weight)))
    return edges


def _ranges(
    numbers: NDArray[np.int64], starts: NDArray[np.int64], cut: list[tuple[int, int]]
) -> list[list[tuple[int, int]]]:
    """Row ranges of every piece in one file; neighbours are joined."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    out = []
    for a, b in cut:
        places = np.sort(order[np.searchsorted(ordered, a) : np.searchsorted(ordered, b)])
        breaks = np.flatnonzero(np.diff(places) > 1) + 1
        out.append([(int(starts[s[0]]), int(starts[s[-1] + 1])) for s in np.split(places, breaks) if len(s)])
    return out


def _refuse_strangers(
    files: list[Source], numbers: list[NDArray[np.int64]], found: list[Index], order: pl.Series
) -> None:
    lost = [k for k, n in enumerate(numbers) if not (n >= 0).any()]
    if lost:
        topics = ", ".join(found[lost[0]].topics.head(3).to_list())
        raise RunError(
            f"no topic of {files[lost[0]].path} was judged: it has {topics} …, judged are "
            f"{', '.join(order.head(3).to_list())} ….",
            "Check that both use the same topic ids.",
        )


def _refuse_scatter(sides: dict[str, Any], files: list[Source], pieces: int) -> None:
    every = [*sides["runs"], *sides["judgments"]]
    for source, ranges in zip(files, every, strict=True):
        if sum(map(len, ranges)) > _FRAGMENTS * pieces + 1000:
            raise FileError(
                f"{source.path} has its topics in quite another order than the judgments.",
                "Sort all files by topic in the same way (all as numbers, or all as text).",
            )


# ── a piece ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def read_piece(plan: Plan, unit: dict[str, Any], repeated: Repeated = "error") -> tuple[Runs, Judgments]:
    """The runs and judgments of one piece, with vocabularies of their own."""
    ran, run_place = _rows(plan.runs, unit["runs"], ("system", "topic", "doc", "score"))
    judged, judged_place = _rows(plan.judgments, unit["judgments"], ("topic", "doc", "assessor", "grade"))
    runs = Runs.from_columns(
        ran["system"], ran["topic"], ran["doc"], ran["score"], source="the runs", place=run_place, systems=plan.systems
    )
    judgments = Judgments.from_columns(
        judged["topic"], judged["doc"], judged["assessor"], judged["grade"],
        scale=plan.scale, repeated=repeated, source="the judgments", place=judged_place,
    )  # fmt: skip
    return runs, judgments


def _rows(
    files: Sequence[Source], ranges: Sequence[Sequence[tuple[int, int]]], roles: Sequence[str]
) -> tuple[Any, Any]:
    used = [(s, r) for s, r in zip(files, ranges, strict=True) if r]
    frames = [s.read(r, roles).select(roles) for s, r in used]
    if not frames:
        empty = {"score": pl.Float64, "grade": pl.Int64}
        return pl.DataFrame(schema={r: empty.get(r, pl.String) for r in roles}), None
    if len({tuple(f.dtypes) for f in frames}) > 1:  # files that disagree on the type of an id
        frames = [f.with_columns([pl.col(r).cast(pl.String) for r in roles if r != "score"]) for f in frames]
    spans = [(s.path, a, b) for s, r in used for a, b in r]
    ends = np.cumsum([b - a for _, a, b in spans])

    def place(row: int) -> str:
        k = int(np.searchsorted(ends, row, side="right"))
        path, _, b = spans[k]
        return f"{path}, row {row - int(ends[k]) + b + 1:,}"

    return pl.concat(frames), place
