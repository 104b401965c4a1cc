"""Parquet files too large for memory: which columns play which role, and where in the file each topic begins.

A dataset is a file, several files, or a folder of them (also partitioned, `runs/system=bm25/part-0.parquet`). All that
is asked of it is that the rows of a topic stand together in each file, as they do when a file is sorted or partitioned
by topic. One pass over the topic column, in bounded memory, finds the topics.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import FileError
from dissensus.io.files import PathLike, find_files, kind, packing, stem
from dissensus.io.parquet import damage_named, refuse_damaged_file
from dissensus.tables.columns import column_or_none, find_column

_SCAN = 8_000_000  # rows of a topic column looked at together


@dataclass(frozen=True)
class Source:
    """One Parquet file: the column of each role, and roles whose value is the same in the whole file."""

    path: str
    columns: dict[str, str]
    constant: dict[str, str]
    rows: int

    def scan(self, *roles: str) -> pl.LazyFrame:
        with damage_named(self.path):
            return pl.scan_parquet(self.path).select(
                [pl.col(self.columns[r]).alias(r) for r in roles if r in self.columns]
            )

    def read(self, ranges: Sequence[tuple[int, int]], roles: Sequence[str]) -> pl.DataFrame:
        """The rows of some ranges, one column per role."""
        with damage_named(self.path, ranges[0][0] + 1):
            frame = pl.concat([self.scan(*roles).slice(a, b - a).collect() for a, b in ranges])
        return frame.with_columns([pl.lit(self.constant[r]).alias(r) for r in roles if r not in self.columns])

    def values(self, role: str) -> list[Any]:
        """The different values of a column."""
        if role not in self.columns:
            return [self.constant[role]]
        with damage_named(self.path):
            unique: list[Any] = self.scan(role).unique().collect(engine="streaming")[role].to_list()
        return unique


# ── finding the files ────────────────────────────────────────────────────────────────────────────────────────────────
def is_parquet(paths: Iterable[PathLike]) -> bool:
    """Are these all Parquet files, or folders of them?"""
    return all(
        any(Path(p).rglob("*.parquet")) if Path(p).is_dir() else kind(Path(p)) == "parquet" and not packing(Path(p))
        for p in paths
    )


def count_rows(paths: Iterable[PathLike]) -> int:
    """Rows of Parquet files, from their footers; 0 for files that are not there, which the reader will say."""
    files = [p for p in map(Path, paths) if p.is_file()]
    try:
        return sum(_rows(p) for p in files)
    except FileError:
        return 0


def _rows(path: Path) -> int:
    refuse_damaged_file(path)
    with damage_named(str(path)):
        return int(pl.scan_parquet(path).select(pl.len()).collect().item())


def sources(paths: Iterable[PathLike], roles: Sequence[str], named: str) -> list[Source]:
    """Every Parquet file of a dataset; `named` is the role that a file's or folder's name can play."""
    out = []
    for given in paths:
        folder = Path(given)
        if folder.is_dir():
            files = sorted(p for p in folder.rglob("*.parquet") if p.is_file())
            if not files:
                raise FileError(f"{folder} is a folder without Parquet files.")
            out += [_source(f, roles, named, folder) for f in files]
        else:
            out += [_source(f, roles, named, None) for f in find_files([given], "evaluate")]
    _refuse_namesakes(out, named)
    return out


def _refuse_namesakes(files: list[Source], named: str) -> None:
    seen: dict[str, str] = {}
    for source in files:
        name = source.constant.get(named)
        if name is not None and f"{named}=" not in source.path:
            other = seen.setdefault(name, source.path)
            if other != source.path and Path(other).parent != Path(source.path).parent:
                raise FileError(
                    f"{other} and {source.path} are both called {name!r}, and the {named} is named after the file.",
                    f"Rename one of them, or add a column '{named}'.",
                )


def _source(path: Path, roles: Sequence[str], named: str, folder: Path | None) -> Source:
    rows = _rows(path)
    with damage_named(str(path)):
        schema = pl.read_parquet_schema(path)
    inside = path.relative_to(folder).parts[:-1] if folder else ()
    by_folder = dict(part.split("=", 1) for part in inside if "=" in part)
    columns: dict[str, str] = {}
    constant: dict[str, str] = {}
    for role in roles:
        found = column_or_none(list(schema), role, str(path))
        from_folder = column_or_none(list(by_folder), role, str(path))
        if found is not None:
            columns[role] = found
        elif from_folder is not None:
            constant[role] = by_folder[from_folder]
        elif role == named:
            constant[role] = stem(folder or path, qrels=role == "assessor")
        else:
            find_column(list(schema), role, str(path))
    if not rows:
        raise FileError(f"{path} holds no rows.", "Leave it out, or write it again.")
    return Source(str(path), columns, constant, rows)


# ── where each topic stands ──────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Index:
    """The topics of a file in the order in which they stand, and the row at which each begins."""

    topics: pl.Series
    starts: NDArray[np.int64]  # one more than topics


def index(source: Source) -> Index:
    """One pass over the topic column, in bounded memory."""
    if "topic" not in source.columns:
        return Index(pl.Series("topic", [source.constant["topic"]], dtype=pl.String), np.array([0, source.rows]))
    names: list[pl.Series] = []
    lengths: list[NDArray[np.int64]] = []
    for at in range(0, source.rows, _SCAN):
        column = source.read([(at, min(at + _SCAN, source.rows))], ["topic"])["topic"]
        if column.null_count():
            row = at + int(column.is_null().arg_true()[0]) + 1
            raise FileError(f"{source.path}, row {row:,}: the topic is missing.")
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
            f'pl.scan_parquet("{source.path}").sort("{source.columns["topic"]}").sink_parquet("sorted.parquet")',
        )
    return Index(topics.alias("topic"), starts)
