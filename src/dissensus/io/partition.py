"""Runs and judgments larger than memory, divided into pieces of whole topics.

A piece is a few row ranges of Parquet files, read where and when they are needed. They are read as files in memory are,
by the same functions, with the same options. Every vocabulary is local to its piece, so that memory is bounded by the
size of a piece, whatever the size of the data.

A converted folder is divided already. Its manifest says everything, and no data are read for the plan. All that is
asked of other files is that the rows of a topic stand together, as they do in a file sorted by topic. One pass over the
topic columns, in bounded memory, finds the topics. A piece names only the ranges that it has, so a plan is as long as
files and pieces together.
"""

from __future__ import annotations

import io
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.errors import FileError
from dissensus.io.columnar import damage_named, refuse_broken_texts, refuse_damaged_file
from dissensus.io.converted.convert import scale_of
from dissensus.io.converted.given import declared, folder_notes
from dissensus.io.converted.manifest import AGAIN, NAME, Manifest, PartFile, checksum, manifest_for
from dissensus.io.elsewhere import ADDRESS, Fetched, bytes_at, is_elsewhere
from dissensus.io.files import InputFile, input_files, kind, packing
from dissensus.io.options import ReadOptions, RoleOptions
from dissensus.io.reading import judgments_from_tables, runs_from_tables
from dissensus.io.table import TextTable, with_constants
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale
from dissensus.work.settings import AUTO, settings
from dissensus.work.threads import on_threads

LARGE = 20_000_000  # rows of Parquet files above which they are read in pieces
PIECE = 500_000  # rows of a piece, unless one topic alone has more
_FRAGMENTS = 50  # row ranges per piece and file on average, above which files are sorted too differently
_SCAN = 8_000_000  # rows of a topic column looked at together


@dataclass(frozen=True)
class Source:
    """One Parquet file, its rows, and the columns of it that are read."""

    file: InputFile
    rows: int
    topic: str | None  # its column; None where the folder names the topic
    constant_topic: str
    columns: tuple[str, ...]
    where: str = ""  # the path as every process finds it, whatever folder it works in
    sum: str = ""  # the checksum of a part of a converted folder

    @property
    def path(self) -> str:
        return str(self.file.path)

    def read(self, ranges: Sequence[tuple[int, int]], columns: Sequence[str]) -> pl.DataFrame:
        """Some columns of the rows of some ranges."""
        where = self.where or self.path
        if not is_elsewhere(where) and not os.path.exists(where):
            raise FileError(
                f"{where} is not there on {platform.node() or 'the machine'} that reads it.",
                "Give a folder that has the same name on every machine of the cluster.",
            )
        with damage_named(self.path, ranges[0][0] + 1):
            if self.sum:
                data = bytes_at(where) if is_elsewhere(where) else Path(where).read_bytes()
                if checksum(data) != self.sum:
                    raise FileError(f"{self.path} is damaged: its checksum is not the one in {NAME}.", AGAIN)
                frame = pl.read_parquet(io.BytesIO(data), columns=list(columns))
            else:
                scan = pl.scan_parquet(where).select(columns)
                frame = pl.concat([scan.slice(a, b - a).collect() for a, b in ranges])
            refuse_broken_texts(frame)
        return frame

    def table(self, ranges: Sequence[tuple[int, int]], options: RoleOptions) -> TextTable:
        """The rows of some ranges as a table, each with the number of its row."""
        line = np.concatenate([np.arange(a + 1, b + 1) for a, b in ranges])
        frame = with_constants(self.read(ranges, self.columns), self.file.constants)
        return TextTable.of(frame, self.file.path, line, options)


@dataclass(frozen=True)
class Partition:
    """What a piece needs to know about the whole, and the row ranges of every piece."""

    runs: tuple[Source, ...]
    judgments: tuple[Source, ...]
    options: ReadOptions
    scale: Scale
    pieces: tuple[Values, ...]  # by side, [file, first row, row behind the last]
    notes: tuple[str, ...] = ()  # of the conversion


def partition(runs: object, judgments: object, options: ReadOptions) -> Partition | None:
    """How large Parquet files are divided; None where they are not large, or not plain enough: they are read whole."""
    sides = [_parquet(runs, "read_runs"), _parquet(judgments, "read_judgments")]
    if options.judgments.intent or options.judgments.labels or not all(sides):
        return None
    ready = _as_converted(sides[0], sides[1], options)
    if ready is not None:
        return ready if _worth(ready) else None
    counts = [[_rows(f.path) for f in side] for side in sides]
    if sum(map(sum, counts)) <= LARGE:
        return None
    ran = [_source(f, n, options.runs) for f, n in zip(sides[0], counts[0], strict=True)]
    judged = [_source(f, n, options.judgments) for f, n in zip(sides[1], counts[1], strict=True)]
    if any(s is None for s in (*ran, *judged)):
        return None
    return _plan([s for s in ran if s is not None], [s for s in judged if s is not None], options)


def _parquet(given: object, reader: str) -> list[InputFile]:
    """The files behind paths where all of them are Parquet, else none."""
    paths = [given] if isinstance(given, str | Path) else given
    if not isinstance(paths, list | tuple) or not all(isinstance(p, str | Path) for p in paths):
        return []
    if not paths or not all(Path(p).is_dir() or ".parquet" in str(p) or ADDRESS.match(str(p)) for p in paths):
        return []
    files = input_files([given], reader)
    plain = all(kind(f.path) == "parquet" and not packing(f.path) and _is_file(f.path) for f in files)
    return files if plain else []


def _is_file(path: Path) -> bool:
    return isinstance(path, Fetched) or path.is_file()  # looking at what is elsewhere would copy it


def _rows(path: Path) -> int:
    refuse_damaged_file(path)
    with damage_named(str(path)):
        return int(pl.scan_parquet(path).select(pl.len()).collect().item())


def _source(file: InputFile, rows: int, options: RoleOptions) -> Source | None:
    """A file whose columns play plain roles; None for all others, which the readers know."""
    with damage_named(str(file.path)):
        schema = pl.read_parquet_schema(file.path)
    head = with_constants(pl.DataFrame(schema=schema), file.constants)
    table = TextTable.of(head, file.path, np.empty(0, np.int64), options)
    needed = ("topic", "doc", "score") if options.role == "runs" else ("topic", "doc", "grade")
    owner = "system" if options.role == "runs" else "assessor"
    found = {role: table.has(role) for role in (*needed, owner)}
    if not rows or any(found[role] is None for role in needed):
        return None
    columns = [c for c in found.values() if c is not None]
    if table.has("inclusion") == "inclusion":
        return None  # an audit, which the reader refuses
    topic = found["topic"] if found["topic"] in schema else None
    kept = tuple(c for c in dict.fromkeys(columns) if c in schema)
    constant = file.constants.get(str(found["topic"]), "")
    return Source(file, rows, topic, constant, kept, os.path.abspath(file.path))


def _worth(plan: Partition) -> bool:
    """Are the data large, or is the work done elsewhere?"""
    rows = sum(s.rows for s in (*plan.runs, *plan.judgments))
    return rows > LARGE or settings().executor not in (None, AUTO)


# ── a converted folder ──
def _as_converted(ran: Sequence[InputFile], judged: Sequence[InputFile], options: ReadOptions) -> Partition | None:
    """The plan of folders that were converted alike, from their manifests; None for all other files."""
    runs, labels = (_listed(side) for side in (ran, judged))
    if runs is None or labels is None or runs[0].parts != labels[0].parts:
        return None
    roles = options.runs, options.judgments
    if any(o.columns or o.assessor not in (None, "column") or o.system == "file" for o in roles):
        return None  # the readers know these
    how = replace(options, judgments=declared(judged, options.judgments))
    sources = {
        "runs": _parts_of(ran, runs[1], ("topic", "doc", "score", "system")),
        "judgments": _parts_of(judged, labels[1], ("topic", "doc", "grade", "assessor")),
    }
    pieces: dict[int, Values] = {}
    for side, listed in (("judgments", labels[1]), ("runs", runs[1])):
        for number, one in enumerate(listed):
            piece = pieces.setdefault(one.part, {"runs": [], "judgments": []})
            piece[side].append([number, 0, one.rows])
    scale = scale_of(labels[0].grades, how.judgments) if labels[0].grades else None
    return Partition(
        sources["runs"], sources["judgments"], how, scale or _scale(sources["judgments"], how.judgments),
        tuple(pieces[k] for k in sorted(pieces)), folder_notes([*ran, *judged]),
    )  # fmt: skip


def _listed(files: Sequence[InputFile]) -> tuple[Manifest, list[PartFile]] | None:
    """The one manifest that lists all the files, and what it says of each."""
    found = [manifest_for(f.path) if f.root is not None else None for f in files]
    listed = [f for f in found if f is not None]
    if len(listed) < len(files) or any(m is not listed[0][0] for m, _ in listed):
        return None
    return listed[0][0], [one for _, one in listed]


def _parts_of(files: Sequence[InputFile], listed: Sequence[PartFile], columns: tuple[str, ...]) -> tuple[Source, ...]:
    return tuple(
        Source(file, one.rows, "topic", "", columns, str(file.path.absolute()), one.sum)
        for file, one in zip(files, listed, strict=True)
    )


# ── other files ──
def _plan(ran: list[Source], judged: list[Source], options: ReadOptions) -> Partition:
    every = [*judged, *ran]
    found = on_threads(index, every)
    order = pl.concat([i.topics for i in found]).unique(maintain_order=True)
    lookup = pl.DataFrame({"topic": order, "number": np.arange(len(order))})
    numbers = [_numbered(i, lookup) for i in found]
    weight = np.zeros(len(order), np.int64)
    for number, one in zip(numbers, found, strict=True):
        np.add.at(weight, number, np.diff(one.starts))
    edges = np.array(_edges(weight, PIECE))
    pieces: tuple[Values, ...] = tuple({"runs": [], "judgments": []} for _ in edges[1:])
    for k, (source, number, one) in enumerate(zip(every, numbers, found, strict=True)):
        piece, first, last = _ranges(np.searchsorted(edges, number, side="right") - 1, one.starts)
        _refuse_scatter(source, len(piece), len(pieces))
        side, place = ("judgments", k) if k < len(judged) else ("runs", k - len(judged))
        for at, a, b in zip(piece.tolist(), first.tolist(), last.tolist(), strict=True):
            pieces[at][side].append([place, a, b])
    return Partition(tuple(ran), tuple(judged), options, _scale(judged, options.judgments), pieces)


def _scale(files: Sequence[Source], options: RoleOptions) -> Scale:
    """The scale of all labels: that of the first row of each grade of each assessor, read as all rows are."""
    tables = []
    for source in files:
        grade, who = _label_columns(source, options)
        with damage_named(source.path):
            rows = (
                pl.scan_parquet(source.path)
                .with_row_index("~row")
                .group_by([c for c in (grade, who) if c is not None])
                .agg(pl.col("~row").min())
                .collect(engine="streaming")
            )
        first = np.sort(rows["~row"].to_numpy().astype(np.int64))
        with damage_named(source.path):
            scan = pl.scan_parquet(source.path).select(source.columns).with_row_index("~row")
            frame = scan.filter(pl.col("~row").is_in(first.tolist())).collect(engine="streaming").sort("~row")
        table = with_constants(frame.drop("~row"), source.file.constants)
        tables.append((source.file, TextTable.of(table, source.file.path, first + 1, options)))
    return judgments_from_tables(tables, replace(options, repeated="keep")).scale


def _label_columns(source: Source, options: RoleOptions) -> tuple[str, str | None]:
    head = pl.DataFrame(schema=dict.fromkeys(source.columns, pl.String))
    table = TextTable.of(head, source.file.path, np.empty(0, np.int64), options)
    who = table.has("assessor")
    return table.find("grade"), who if who in source.columns else None


def read_piece(plan: Partition, unit: Values) -> tuple[Runs, Judgments | None]:
    """The runs and, where there are any, judgments of one piece, with vocabularies of their own."""
    how = plan.options
    runs = runs_from_tables(_tables(plan.runs, unit["runs"], how.runs), how.runs)
    labels = _tables(plan.judgments, unit["judgments"], how.judgments)
    return runs, replace(judgments_from_tables(labels, how.judgments), scale=plan.scale) if labels else None


def _tables(
    files: Sequence[Source], ranges: Sequence[Sequence[int]], options: RoleOptions
) -> list[tuple[InputFile, TextTable]]:
    mine: dict[int, list[tuple[int, int]]] = {}
    for number, first, last in ranges:
        mine.setdefault(number, []).append((first, last))
    return [(files[n].file, files[n].table(some, options)) for n, some in sorted(mine.items())]


# ── where each topic stands ──
@dataclass(frozen=True)
class Index:
    """The topics of a file in the order in which they stand, and the row at which each begins."""

    topics: pl.Series
    starts: NDArray[np.int64]  # one more than topics


def index(source: Source) -> Index:
    """One pass over the topic column, in bounded memory."""
    if source.topic is None:
        name = source.constant_topic
        return Index(pl.Series("topic", [name], dtype=pl.String), np.array([0, source.rows]))
    names: list[pl.Series] = []
    lengths: list[NDArray[np.int64]] = []
    for at in range(0, source.rows, _SCAN):
        column = source.read([(at, min(at + _SCAN, source.rows))], [source.topic])[source.topic]
        if column.null_count():
            row = at + int(column.is_null().arg_true()[0]) + 1
            raise FileError(f"{source.path}, row {row}: the topic is missing.")
        runs = column.rle().struct
        names.append(runs.field("value").cast(pl.String))
        lengths.append(runs.field("len").to_numpy().astype(np.int64))
    topic, length = pl.concat(names), np.concatenate(lengths)
    # a topic that a chunk's end cut in two
    again = np.r_[False, (topic[1:] == topic[:-1]).to_numpy()] if len(topic) > 1 else np.zeros(len(topic), bool)
    first = np.flatnonzero(~again)
    starts = np.r_[0, np.cumsum(length)][np.r_[first, len(length)]]
    topics = topic.gather(first)
    if topics.n_unique() < len(topics):
        twice = topics.filter(topics.is_duplicated())[0]
        where = np.flatnonzero((topics == twice).to_numpy())[:2]
        raise FileError(
            f"{source.path} is not sorted by topic: topic {twice} stands at row {starts[where[0]] + 1:,} and again at "
            f"row {starts[where[1]] + 1:,}.",
            "Sort it once, with Polars: "
            f'pl.scan_parquet("{source.path}").sort("{source.topic}").sink_parquet("sorted.parquet")',
        )
    return Index(topics.alias("topic"), starts)


def _numbered(found: Index, lookup: pl.DataFrame) -> NDArray[np.int64]:
    """The number of each topic of a file in the common order."""
    joined = found.topics.to_frame().join(lookup, on="topic", how="left", maintain_order="left")["number"]
    return joined.to_numpy().astype(np.int64)


def _edges(weight: NDArray[np.int64], piece: int) -> list[int]:
    """Where pieces begin: as many topics as fit, one at least."""
    before = np.r_[0, np.cumsum(weight)]
    edges = [0]
    while edges[-1] < len(weight):
        fits = int(np.searchsorted(before, before[edges[-1]] + max(piece, 1), side="right")) - 1
        edges.append(min(max(fits, edges[-1] + 1), len(weight)))
    return edges


def _ranges(
    piece: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(piece, first row, row behind the last) of every range of a file whose k-th topic belongs to `piece[k]`."""
    place = np.argsort(piece, kind="stable")
    of = piece[place]
    begins = np.flatnonzero(np.r_[True, (np.diff(of) != 0) | (np.diff(place) > 1)])
    ends = np.r_[begins[1:], len(place)] - 1
    return of[begins], starts[place[begins]], starts[place[ends] + 1]


def _refuse_scatter(source: Source, ranges: int, pieces: int) -> None:
    if ranges > _FRAGMENTS * pieces + 1000:
        raise FileError(
            f"{source.path} has its topics in quite another order than the judgments.",
            "Sort all files by topic in the same way (all as numbers, or all as text), or convert them: "
            "dissensus convert.",
        )
