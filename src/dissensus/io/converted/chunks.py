"""The rows of a file a few at a time, in the columns of their role, whatever the size of the file.

    for chunk in chunks_of(file, options): chunk.frame       # topic, doc, system, score, or topic, doc, assessor, grade

Text is read block by block, Parquet a range of rows at a time. The functions that read whole files read both, so that
columns, options, refusals and notes are theirs. Regular TREC lines, nearly all there are, take Polars' CSV reader.
Other formats (JSON of other tools, Excel, Arrow, one column per judge) are read whole. People do not write them large.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import FileError, Note
from dissensus.io.columnar import damage_named, refuse_broken_texts, refuse_damaged_file
from dissensus.io.contents import decode
from dissensus.io.converted.blocks import Block, blocks
from dissensus.io.files import InputFile, kind, looks_like_json, packing
from dissensus.io.judgment_rows import refuse_votes
from dissensus.io.options import RoleOptions
from dissensus.io.reading import (
    is_trec,
    judgment_parts,
    judgments_from_files,
    named_rows,
    run_rows,
    runs_from_files,
)
from dissensus.io.table import Rows, TextTable, open_table, read_table, texts, with_constants
from dissensus.io.trec import QRELS_COLUMNS, RUN_COLUMNS, TrecRows, qrels_rows
from dissensus.io.trec import run_rows as trec_run_rows
from dissensus.tables.columns import Place, id_strings
from dissensus.tables.ids import LONGEST, first_unseen
from dissensus.tables.runs import finite_scores
from dissensus.wording import counted

ROWS = 1_000_000  # of a Parquet file looked at together
_TEXT = pl.String()
_RUN = {"topic": _TEXT, "second": _TEXT, "doc": _TEXT, "rank": pl.Int64(), "score": pl.Float64(), "tag": _TEXT}
_QRELS = {"topic": _TEXT, "second": _TEXT, "doc": _TEXT, "grade": _TEXT}
_BLANKS = re.compile(rb"[ \t]+")


@dataclass(frozen=True)
class Chunk:
    """Some rows, and where reading goes on behind them: a byte of the text, or a row, and the number of the line."""

    frame: pl.DataFrame
    at: int
    line: int
    notes: tuple[str, ...] = ()
    own_name: bool = False  # the rows are of whom the file is named after
    comments: int = 0
    disorder: int = 0  # places where a later rank has the higher score


def chunks_of(file: InputFile, options: RoleOptions, at: int = 0, line: int = 1) -> Iterator[Chunk]:
    """The rows of a file from a place on, at which a chunk ended."""
    columns = RUN_COLUMNS if options.role == "runs" else QRELS_COLUMNS
    if looks_like_json(file.path) and kind(file.path) != "jsonl":
        yield from _whole(file, options, at)
    elif is_trec(file.path, options, columns) and not options.intent:
        yield from _trec(file, options, at, line)
    elif kind(file.path) == "parquet" and not packing(file.path):
        yield from _parquet(file, options, at)
    elif kind(file.path) in ("csv", "tsv") and not options.numbered and options.separator is None:
        yield from _delimited(file, options, at, line)
    else:
        yield from _whole(file, options, at)


# ── TREC ──
def _trec(file: InputFile, options: RoleOptions, at: int, line: int) -> Iterator[Chunk]:
    for block in blocks(file.path, at, line):
        quick = _regular(block, options)
        rows, comments, disorder, notes = quick or _exactly(file, block, options)
        if options.role == "judgments" and block.line == 1 and options.assessor != "column":
            _refuse_votes(file, block)
        yield _chunk(file, rows, options, block, comments=comments, disorder=disorder, notes=notes)


def _regular(block: Block, options: RoleOptions) -> tuple[Rows, int, int, tuple[str, ...]] | None:
    """The rows of lines whose words are separated by one blank or tab; None where the exact reader must look."""
    data = block.data
    if block.line == 1:
        data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if b"\t" in data:
        data = _BLANKS.sub(b" ", data) if b" " in data else data.replace(b"\t", b" ")
    if not data.endswith(b"\n"):
        data += b"\n"
    text = np.frombuffer(data, np.uint8)
    lines = data.count(b"\n")
    if int(np.count_nonzero(text < 32)) != lines or not _is_plain(data, text):
        return None
    kinds = _RUN if options.role == "runs" else _QRELS
    try:  # a blank too many makes a value that is missing, or a line that is too long
        frame = pl.read_csv(data, separator=" ", has_header=False, schema=kinds, quote_char=None)
    except pl.exceptions.PolarsError:
        return None
    first = frame["topic"].rle().struct.field("value") if frame.height == lines else frame["topic"]
    comment = first.str.starts_with("#").any()
    if frame.height != lines or comment or any(frame[c].null_count() for c in frame.columns):
        return None
    if int(frame["doc"].str.len_bytes().max()) > LONGEST:  # type: ignore[arg-type]
        return None
    return _run_columns(frame, options) if options.role == "runs" else _label_columns(frame, options)


def _run_columns(frame: pl.DataFrame, options: RoleOptions) -> tuple[Rows, int, int, tuple[str, ...]] | None:
    score, rank = frame["score"], frame["rank"].to_numpy()
    if not bool(score.is_finite().all()):
        return None
    value = score.to_numpy()
    places = np.flatnonzero((rank[1:] > rank[:-1]) & (rank[:-1] >= 0) & (value[1:] > value[:-1]))
    topic, tag = ((frame[c].gather(places), frame[c].gather(places + 1)) for c in ("topic", "tag"))
    disorder = int(((topic[0] == topic[1]) & (tag[0] == tag[1])).sum())
    columns = {"topic": frame["topic"], "doc": frame["doc"], "score": score}
    named = options.system == "tag"
    if named:
        columns["system"] = frame["tag"].alias("system")
    return Rows(columns, str, named=named), 0, disorder, ()


def _label_columns(frame: pl.DataFrame, options: RoleOptions) -> tuple[Rows, int, int, tuple[str, ...]]:
    columns = {"topic": frame["topic"], "doc": frame["doc"], "grade": frame["grade"]}
    if options.assessor == "column":
        columns["assessor"] = frame["second"].alias("assessor")
    return Rows(columns, str, named=options.assessor == "column"), 0, 0, ()


def _is_plain(data: bytes, text: NDArray[np.uint8]) -> bool:
    """UTF-8 without characters that nobody sees."""
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return first_unseen(text) is None


def _exactly(file: InputFile, block: Block, options: RoleOptions) -> tuple[Rows, int, int, tuple[str, ...]]:
    """The same by the exact reader, which knows comments and irregular lines, and words every error."""
    path = file.path
    decode(block.data, path, block.line)
    if options.role == "runs":
        found = trec_run_rows(block.data, path, block.line)
        columns = {"topic": found.topic, "doc": found.doc, **({"system": found.tag} if options.system == "tag" else {})}
        score = pl.Series("score", list(map(float, found.value)), dtype=pl.Float64)
        rows = Rows({**_series(columns), "score": score}, _place(file, found), named=options.system == "tag")
        late = (f"{path}: text after the tag ignored in {counted(found.trailing, 'line')}",) if found.trailing else ()
        return rows, found.comments, 0, late
    found = qrels_rows(block.data, path, block.line)
    named = options.assessor == "column"
    columns = {"topic": found.topic, "doc": found.doc, "grade": found.value}
    if named:
        columns["assessor"] = found.second
    return Rows(_series(columns), _place(file, found), named=named), found.comments, 0, ()


def _series(columns: dict[str, list[str]]) -> dict[str, pl.Series]:
    return {role: pl.Series(role, values, dtype=pl.String) for role, values in columns.items()}


def _place(file: InputFile, found: TrecRows) -> Place:
    return lambda row: f"{file.path}:{found.line[row]}"


def _refuse_votes(file: InputFile, block: Block) -> None:
    first = block.data[: block.data.find(b"\n", 1 << 16) + 1 or len(block.data)]
    refuse_votes(file.path, qrels_rows(first, file.path))


# ── tables ──
def _delimited(file: InputFile, options: RoleOptions, at: int, line: int) -> Iterator[Chunk]:
    header = b""
    for block in blocks(file.path, quoted=True):  # the header is needed wherever reading goes on
        header = block.data[: block.data.find(b"\n") + 1]
        table = open_table(file.path, options, file.constants) if len(block.data) < 1 << 16 else _table(
            file, block.data[: block.data.rfind(b"\n", 0, 1 << 16) + 1], options)  # fmt: skip
        break
    if not header or _is_wide(table, options):
        yield from _whole(file, options, at)
        return
    for block in blocks(file.path, at, line, quoted=True):
        first = block.line == 1
        found = _table(file, block.data if first else header + block.data, options)
        moved = found if first else replace(found, line=found.line + (block.line - 2))
        yield _table_chunk(file, moved, options, block.at, block.line + block.data.count(b"\n"))


def _table(file: InputFile, data: bytes, options: RoleOptions) -> TextTable:
    return read_table(file.path, options, data=data, constants=file.constants)


def _is_wide(table: TextTable, options: RoleOptions) -> bool:
    """A table of labels with one column per judge: which columns are judges, all rows decide."""
    return options.role == "judgments" and table.has("grade") is None


def _parquet(file: InputFile, options: RoleOptions, at: int) -> Iterator[Chunk]:
    refuse_damaged_file(file.path)
    with damage_named(str(file.path)):
        rows = int(pl.scan_parquet(file.path).select(pl.len()).collect().item())
        empty = pl.scan_parquet(file.path).limit(0).collect()
    if not rows:
        raise FileError(f"{file.path} holds no rows.", "Leave it out, or write it again.")
    if _is_wide(
        TextTable.of(with_constants(empty, file.constants), file.path, np.empty(0, np.int64), options), options
    ):
        yield from _whole(file, options, at)
        return
    for start in range(at, rows, ROWS):
        with damage_named(str(file.path), start + 1):
            frame = pl.scan_parquet(file.path).slice(start, ROWS).collect()
            refuse_broken_texts(frame)
        line = np.arange(start + 1, start + frame.height + 1)
        table = TextTable.of(with_constants(frame, file.constants), file.path, line, options)
        yield _table_chunk(file, table, options, min(start + ROWS, rows), 1)


def _table_chunk(file: InputFile, table: TextTable, options: RoleOptions, at: int, line: int) -> Chunk:
    rows = run_rows(table, options) if options.role == "runs" else None
    return _chunk(file, table if rows is None else rows, options, Block(b"", line, at))


# ── what is read whole ──
def _whole(file: InputFile, options: RoleOptions, at: int) -> Iterator[Chunk]:
    if at:
        return
    given = {file.name: file.path} if file.name is not None else file.path
    if options.role == "runs":
        runs = runs_from_files([given], options)
        yield Chunk(runs.to_frame().select("topic", "doc", "system", "score"), 1, 1, runs.notes)
        return
    judgments = judgments_from_files([given], replace(options, repeated="keep"))
    frame = judgments.to_frame().with_columns(texts(judgments.to_frame()["grade"]).alias("grade"))
    yield Chunk(frame.select("topic", "doc", "assessor", "grade"), 1, 1, judgments.notes)


# ── rows with their names ──
def _chunk(
    file: InputFile, found: Rows | TextTable, options: RoleOptions, block: Block,
    *, comments: int = 0, disorder: int = 0, notes: tuple[str, ...] = (),
) -> Chunk:  # fmt: skip
    if options.role == "runs":
        assert isinstance(found, Rows)
        _, rows = named_rows(file, found, options)
        order = ("topic", "doc", "system", "score")
        last = pl.Series("score", finite_scores(rows.columns["score"], rows.place))
    else:
        (rows,) = judgment_parts([(file, found)], options, [file])
        order, last = ("topic", "doc", "assessor", "grade"), texts(rows.columns["grade"]).alias("grade")
    own = not (found.named if isinstance(found, Rows) else found.has("assessor") is not None)
    ids = (id_strings(rows.columns[c], c, rows.place).alias(c) for c in order[:-1])
    frame = pl.DataFrame([*ids, last])
    line = block.line + block.data.count(b"\n")
    return Chunk(frame, block.at, line, (*rows.notes, *notes), own, comments, disorder)


def disorder_note(file: InputFile, places: int) -> Note:
    """The note on ranks that contradict scores."""
    return Note("runs.ranks-contradict", path=file.path, places=counted(places, "place"))
