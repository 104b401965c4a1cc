"""Files of any size into a folder of parts: rows are read in chunks, put into buckets by topic, and written by part.

There are three steps, each resumed where it was interrupted. The inputs are read in their order. Every part is written,
and checked by the readers of files: what they refuse is refused now. The manifest is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import dissensus
from dissensus.errors import InputError, OutputError
from dissensus.io.converted import chunks
from dissensus.io.converted.buckets import ELSEWHERE, Buckets
from dissensus.io.converted.manifest import FOLDER, NAME, Contents, Manifest, PartFile, Side, checksum, names_in_order
from dissensus.io.elsewhere import ADDRESS
from dissensus.io.files import InputFile, packing, refuse_namesakes
from dissensus.io.options import ReadOptions, RoleOptions
from dissensus.io.reading import judgments_of
from dissensus.io.table import Rows
from dissensus.tables.judge_scores import scores_of
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale
from dissensus.work.atomic import atomic_path
from dissensus.work.progress import Progress

PART = 1_000_000  # rows of the runs in a part, on average
MOST = 8192  # parts
LINE = 45  # bytes of a line of a run
GROWTH = 5  # how much text is in a packed file
TOGETHER = 1_000_000  # rows that are put into buckets together
GRADES = 10_000  # different grades that are counted; more are scores
PAIRS = 1_000_000  # of assessors and grades that a manifest lists


@dataclass(frozen=True)
class Input:
    """A file, and what it holds: rows that are read in chunks, or a table that is there already."""

    side: Side
    file: InputFile
    options: RoleOptions
    table: Any = None  # () → the whole table, for preferences and scores

    @property
    def about(self) -> list[object]:
        """What tells the file from another one."""
        state = self.file.path.stat()
        return [self.side, str(self.file.path.absolute()), self.file.name, state.st_size, state.st_mtime_ns]

    @property
    def text(self) -> int:
        """About how many bytes of text it has."""
        return self.file.path.stat().st_size * (GROWTH if packing(self.file.path) else 1)


@dataclass
class Held:
    """Rows that wait until there are enough of them to be put into buckets together."""

    frames: dict[Side, list[pl.DataFrame]] = field(default_factory=dict)
    rows: int = 0

    def add(self, side: Side, frame: pl.DataFrame) -> None:
        self.frames.setdefault(side, []).append(frame)
        self.rows += frame.height


def parts_for(inputs: Sequence[Input]) -> int:
    """How many parts inputs of this size are divided into."""
    lines = sum(i.text for i in inputs if i.side == "runs") // LINE
    return max(1, min(-(-lines // PART), MOST))


def convert_files(
    inputs: Sequence[Input], output: Path, options: ReadOptions, parts: int | None, progress: str | None
) -> Manifest:
    """Convert the inputs into a folder. An interrupted conversion of the same inputs goes on."""
    if not inputs:
        raise InputError("there is nothing to convert.", "Name run files, judgments, preferences or scores.")
    if parts is not None and not 1 <= parts <= MOST:
        raise InputError(f"{parts} parts: a folder has 1 to {MOST:,} parts.")
    _refuse_other_folder(output)
    _refuse_namesakes(inputs)
    number = parts_for(inputs) if parts is None else parts
    labels, ran = options.judgments, options.runs
    how = {"columns": {r: dict(getattr(options, r).columns) for r in ("runs", "judgments")},
           "separator": ran.separator, "missing": ran.missing, "system": ran.system,
           "assessor": labels.assessor}  # fmt: skip
    about = {"version": dissensus.__version__, "parts": number, "inputs": [i.about for i in inputs], "options": how}
    buckets = Buckets(output, about)
    _read(inputs, buckets, progress)
    _refuse_unnamed(inputs, buckets)
    options.refuse_unused()
    manifest = _write(inputs, buckets, output, options, progress)
    manifest.write()
    buckets.remove()
    return manifest


def _refuse_other_folder(output: Path) -> None:
    if ADDRESS.match(f"{output}".replace(":/", "://", 1)):
        raise OutputError(
            f"{output} is an address, and parts are written to a folder of this machine.",
            "Name a folder here, and copy it to the store.",
        )
    if output.exists() and not output.is_dir():
        raise OutputError(f"{output} is a file.", "Name a folder.")
    there = sorted(os.listdir(output)) if output.is_dir() else []
    if NAME in there:
        raise OutputError(f"{output} is converted already: it holds a {NAME}.", ELSEWHERE)
    if there and FOLDER not in there:
        raise OutputError(f"{output} is not empty: it holds {', '.join(there[:3])}.", "Name a new folder.")


def _refuse_namesakes(inputs: Sequence[Input]) -> None:
    runs = [i for i in inputs if i.side == "runs" and i.options.system != "tag"]
    refuse_namesakes({(i.file.dataset, i.file.name): None for i in runs}, "a system")


def _refuse_unnamed(inputs: Sequence[Input], buckets: Buckets) -> None:
    """Refuse two files of labels whose rows would be of one assessor, which is named after both."""
    own = [inputs[k].file for k in dict.fromkeys(buckets.progress.unnamed) if inputs[k].side == "judgments"]
    assessor = next((i.options.assessor for i in inputs if i.side == "judgments"), None)
    if assessor in (None, "file", "column"):
        refuse_namesakes({(f.dataset, f.name): None for f in own}, "an assessor", qrels=True)


# ── files → buckets ──
def _read(inputs: Sequence[Input], buckets: Buckets, progress: str | None) -> None:
    state = buckets.progress
    total = sum(i.text for i in inputs) >> 20
    with Progress(None if progress is None else f"{progress}: MB read", max(total, 1)) as bar:
        bar.advance(sum(i.text for i in inputs[: state.file]) >> 20)
        held = Held()
        for number in range(state.file, len(inputs)):
            one = inputs[number]
            before = bar.done
            for chunk in _chunks(one, state.at if number == state.file else 0, state.line):
                held.add(one.side, chunk.frame)
                _count(buckets, one, number, chunk)
                state.file, state.at, state.line = number, chunk.at, chunk.line
                if held.rows >= TOGETHER:
                    _flush(held, buckets)
                bar.advance(before + (min(chunk.at, one.text) >> 20) - bar.done)
            state.file, state.at, state.line = number + 1, 0, 1
            bar.advance(before + (one.text >> 20) - bar.done)
        _flush(held, buckets)


def _chunks(one: Input, at: int, line: int) -> Iterator[chunks.Chunk]:
    if one.table is None:
        yield from chunks.chunks_of(one.file, one.options, at, line if at else 1)
    elif not at:
        frame, notes = one.table()
        yield chunks.Chunk(frame, 1, 1, notes)


def _count(buckets: Buckets, one: Input, number: int, chunk: chunks.Chunk) -> None:
    """Note what the account of the whole needs of a chunk."""
    state, path = buckets.progress, str(one.file.path)
    notes = state.notes.setdefault(one.side, [])
    notes += [str(n) for n in chunk.notes if str(n) not in notes]
    if chunk.comments:
        state.comments[path] = state.comments.get(path, 0) + chunk.comments
    if chunk.disorder:
        state.disorder[path] = state.disorder.get(path, 0) + chunk.disorder
    if chunk.own_name and number not in state.unnamed:
        state.unnamed.append(number)
    if one.side == "judgments" and state.grades is not None:
        found = set(state.grades) | set(chunk.frame["grade"].drop_nulls().unique().to_list())
        state.grades = sorted(found) if len(found) <= GRADES else None


def _flush(held: Held, buckets: Buckets) -> None:
    for side, frames in held.frames.items():
        if frames:
            buckets.add(side, pl.concat(frames, rechunk=True))
    held.frames, held.rows = {}, 0
    buckets.note()


# ── buckets → parts ──
def _write(
    inputs: Sequence[Input], buckets: Buckets, output: Path, options: ReadOptions, progress: str | None
) -> Manifest:
    state = buckets.progress
    sides = [s for s in ("runs", "judgments", "preferences", "scores") if state.rows.get(s)]
    number = _grades_are_numbers(state.grades)
    files: dict[Side, list[PartFile]] = {}
    with Progress(None if progress is None else f"{progress}: parts written", len(sides) * buckets.parts) as bar:
        for side in sides:
            (output / side).mkdir(exist_ok=True)
            files[side] = []  # type: ignore[index]
            for part in range(buckets.parts):
                done = state.finished.get(side, {}).get(str(part))
                file = PartFile(**done) if done else _part(buckets, side, part, output, options, number)  # type: ignore[arg-type]
                if file is not None:
                    files[side].append(file)  # type: ignore[index]
                bar.advance()
    grades = _grades(output, files.get("judgments", []))
    return Manifest(
        output, buckets.parts, {s: _contents(s, output, files[s], inputs, buckets) for s in files},
        _scale(grades, options.judgments), grades,
        tuple({"side": i.side, "file": str(i.file.path), "bytes": i.file.path.stat().st_size} for i in inputs),
        dissensus.__version__,
    )  # fmt: skip


def _part(buckets: Buckets, side: Side, part: int, output: Path, options: ReadOptions, number: bool) -> PartFile | None:
    frame = buckets.rows_of(side, part)
    if frame is None:
        return None
    inside = f"{side}/part-{part:05}.parquet"
    who = next((c for c in ("system", "assessor") if c in frame.columns), "topic")
    frame = frame.sort("topic", who, maintain_order=True)
    _check(side, frame, output / inside, options)
    if side == "judgments" and number:
        frame = frame.with_columns(pl.col("grade").cast(pl.Int16))
    topics = frame["topic"].n_unique()
    frame = frame.with_columns(pl.col(c).cast(pl.Categorical) for c in ("system", "assessor") if c in frame.columns)
    with atomic_path(output / inside) as temporary:
        frame.write_parquet(temporary, compression="zstd", compression_level=1, row_group_size=1 << 19)
        data = temporary.read_bytes()
    file = PartFile(part, inside, frame.height, topics, len(data), checksum(data))
    buckets.finished(side, part, file)
    return file


def _check(side: Side, frame: pl.DataFrame, path: Path, options: ReadOptions) -> None:
    """Refuse what the readers of files refuse in these rows: a document twice in a ranking, ids that are none …"""
    place = lambda row: f"{path}, row {row + 1}"  # noqa: E731
    columns = dict(frame.to_dict())
    if side == "runs":
        Runs.from_columns(*(columns[c] for c in ("system", "topic", "doc", "score")), place=place)
    elif side == "judgments":
        judgments_of([Rows(columns, place)], _kept(columns["grade"], options.judgments))


def _kept(grades: pl.Series, options: RoleOptions) -> RoleOptions:
    """How rows are checked that are kept as they are: repeats stay, and scores are cut where the folder is read."""
    numbers = scores_of(grades) if options.scale is None else None
    cut = numbers is not None and bool((numbers != np.floor(numbers)).any())
    return replace(options, repeated="keep", map={}, threshold=(0.0,) if cut else None)


def _grades_are_numbers(grades: Iterable[str] | None) -> bool:
    """Are all grades whole numbers as they are written? Then they are kept as numbers."""
    found = None if grades is None else list(grades)
    if not found or not all(len(g) < 5 and g.removeprefix("-").isdigit() and g.isascii() for g in found):
        return False
    return all(str(int(g)) == g for g in found)


# ── the account ──
def _contents(
    side: Side, output: Path, files: Sequence[PartFile], inputs: Sequence[Input], buckets: Buckets
) -> Contents:
    state = buckets.progress
    mine = {str(i.file.path): i.file for i in inputs if i.side == side}
    notes = list(state.notes.get(side, []))
    if side == "runs":
        notes += [f"{p}: {_lines(n)} skipped" for p, n in state.comments.items() if p in mine]
        notes += [str(chunks.disorder_note(mine[p], n)) for p, n in state.disorder.items() if p in mine]
    elif skipped := sum(n for p, n in state.comments.items() if p in mine):
        notes.append(f"{_lines(skipped)} skipped")
    names: set[str] = set()
    column = {"runs": "system", "judgments": "assessor", "preferences": "assessor", "scores": "system"}[side]
    for file in files:
        names |= set(pl.scan_parquet(output / file.path).select(pl.col(column).unique()).collect()[column].to_list())
    rows, topics = sum(f.rows for f in files), sum(f.topics for f in files)
    return Contents(rows, topics, names_in_order(n for n in names if n is not None), tuple(files), tuple(notes))


def _lines(n: int) -> str:
    return f"{n:,} comment line{'' if n == 1 else 's'}"


def _grades(output: Path, files: Sequence[PartFile]) -> tuple[tuple[str, str, int], ...]:
    """How often each assessor gave each grade; nothing where these are too many to be listed."""
    counts: dict[tuple[str, str], int] = {}
    for file in files:
        found = (
            pl.scan_parquet(output / file.path)
            .group_by(pl.col("assessor").cast(pl.String), pl.col("grade").cast(pl.String))
            .agg(pl.len())
            .collect()
        )
        for who, grade, n in found.iter_rows():
            counts[who, grade] = counts.get((who, grade), 0) + n
        if len(counts) > PAIRS:
            return ()
    return tuple((who, grade, n) for (who, grade), n in sorted(counts.items(), key=lambda c: (c[0][0], str(c[0][1]))))


def _scale(grades: Sequence[tuple[str, str, int]], options: RoleOptions) -> Scale | None:
    """The scale of all labels, as if they had been read together; None where judges give scores."""
    how = _kept(pl.Series([g for _, g, _ in grades], dtype=pl.String), options)
    return scale_of(grades, how) if grades and how.threshold is None else None


def scale_of(grades: Sequence[tuple[str, str, int]], options: RoleOptions) -> Scale | None:
    """The scale of labels of which each assessor's different grades are known."""
    who, grade = ([g[i] for g in grades] for i in (0, 1))
    each = pl.Series("topic", [str(i) for i in range(len(grades))])
    columns = {"topic": each, "doc": each.alias("doc"), "assessor": pl.Series("assessor", who, dtype=pl.String),
               "grade": pl.Series("grade", grade, dtype=pl.String)}  # fmt: skip
    place = lambda row: f"the labels of {who[row]}"  # noqa: E731
    found: Judgments = judgments_of([Rows(columns, place)], replace(options, repeated="keep"))
    return None if found.scale.binned else found.scale
