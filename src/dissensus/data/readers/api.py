"""Files in: `read_runs` and `read_judgments`.

Any number of files and globs, in any of the formats (TREC, CSV, TSV, JSON lines, Parquet, all also as .gz); the format
follows the file's ending. Nothing depends on the order in which files or lines come.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from dissensus.data.join.concatenate import Piece
from dissensus.data.readers.files import PathLike, contents, find_files, is_small, kind, stem
from dissensus.data.readers.judgment_files import qrels_judgments
from dissensus.data.readers.run_files import trec_runs
from dissensus.data.readers.table import Table, read_table
from dissensus.data.readers.trec import qrels_rows
from dissensus.data.tables.grades import ScaleLike
from dissensus.data.tables.judgment_table import Repeated, skipped
from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.run_table import NUMBER
from dissensus.data.tables.runs import Runs
from dissensus.errors import FileError, Fix, InputError, Option, Text
from dissensus.work.cores import cores


def read_runs(*paths_or_globs: PathLike | Iterable[PathLike], system: Literal["file", "tag"] | None = None) -> Runs:
    """Read run files.

    A system is named after its file, without `.gz` and then without one of `.txt .run .res .trec .csv .tsv .jsonl
    .parquet`; tables with a system column name their systems themselves. `system="file"` takes the file's name always,
    `system="tag"` the last column of a TREC run (the system column of a table).

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "bm25.run").write_text("301 Q0 FT-7 1 12.5 tag\\n301 Q0 FT-9 2 11.0 tag\\n")
    >>> read_runs(folder / "*.run")
    Runs(1 system, 1 topic, 2 rows)
    """
    if system not in (None, "file", "tag"):
        raise InputError(Text(Option("system", system), ' is neither "file" nor "tag".'))
    files = find_files(paths_or_globs, "read_runs")
    if system != "tag":
        _refuse_namesakes(files)
    with ThreadPoolExecutor(min(cores(), len(files))) as pool:
        small = is_small(files)
        pieces = list(pool.map(lambda path: _run_file(path, system, small), files))
    return Runs.from_pieces(pieces)


def _refuse_namesakes(files: list[Path]) -> None:
    seen: dict[str, Path] = {}
    for path in files:
        other = seen.setdefault(stem(path), path)
        if other is not path:
            raise FileError(
                f"{other} and {path} are both called {stem(path)!r}, and a system is named after its file.",
                "Rename one of them.",
                Fix("Name systems after their tags with ", Option("system", "tag"), "."),
            )


def _run_file(path: Path, system: str | None, small: bool) -> Piece:
    format = kind(path)
    if format == "trec" or (format == "tsv" and _bare(path, 6)):
        return trec_runs(path, by_tag=system == "tag", small=small)
    table = read_table(path)
    named = system == "tag" or (system is None and table.has("system") is not None)
    names = table["system"] if named else _all(stem(path), table.frame.height)
    runs = Runs.from_columns(names, table["topic"], table["doc"], table["score"], source=str(path), place=table.place)
    return Piece.of(runs, str(path))


def _bare(path: Path, columns: int) -> bool:
    """Is a .tsv file a TREC file with tabs (no header, as many columns as a TREC line)?"""
    first = contents(path)[:4096].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").partition("\n")[0]
    values = first.rstrip("\r").split("\t")
    return len(values) == columns and NUMBER.fullmatch(values[4 if columns == 6 else 3].strip(" ")) is not None


def read_judgments(
    *paths_or_globs: PathLike | Iterable[PathLike],
    assessor: str | None = None,
    scale: ScaleLike = None,
    repeated: Repeated = "error",
) -> Judgments:
    """Read judgment files.

    An assessor is the column of that name in a table, and the file's name for qrels and tables without such a column.
    `assessor="file"` takes the file's name always, `assessor="column"` the second column of qrels (trec_eval's
    qrels_jg form); any other text is the name of the one assessor.

    Two grades for one (topic, document, assessor) are an error unless `repeated` says what to do: "keep" both as
    repeats, or keep the "first" or the "last" (in the order of files' names, then lines). `scale` declares the grades,
    lowest first, or maps labels to grades, for all assessors or for each (see `dissensus.data.tables.grades`).

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("topic,doc,assessor,grade\\n301,FT-7,ann,2\\n301,FT-7,bob,0\\n")
    >>> read_judgments(path, scale="0..3")
    Judgments(2 labels, 2 assessors, 1 document, 1 topic, scale 0…3)
    """
    files = find_files(paths_or_globs, "read_judgments")
    if assessor == "":
        raise InputError(
            Text(Option("assessor", ""), " is no name."),
            Fix("Use ", Option("assessor", "file"), ", ", Option("assessor", "column"), ", or a name."),
        )
    if not is_small(files) and all(kind(path) == "trec" and path.is_file() for path in files):
        quick = qrels_judgments(files, assessor, scale, repeated)
        if quick is not None:
            return quick
    parts = [_judgment_file(path, assessor) for path in files]
    starts = np.r_[0, np.cumsum([p.height for p, *_ in parts])]

    def place(row: int) -> str:
        number = int(np.searchsorted(starts, row, side="right")) - 1
        return parts[number][1].place(row - int(starts[number]))

    columns = {role: _stack([p[role] for p, *_ in parts]) for role in ("topic", "doc", "assessor", "grade")}
    return Judgments.from_columns(
        columns["topic"], columns["doc"], columns["assessor"], columns["grade"],
        scale=scale, repeated=repeated, source=", ".join(map(str, files[:3])), place=place,
        notes=skipped(sum(comments for *_, comments in parts)),
    )  # fmt: skip


def _stack(columns: list[pl.Series]) -> pl.Series:
    """One column from several files; texts where the files disagree on the type."""
    if len({c.dtype for c in columns}) == 1:
        return pl.concat(columns)
    if any(c.dtype == pl.Object for c in columns):
        return pl.Series(columns[0].name, [v for c in columns for v in c.to_list()], dtype=pl.Object)
    return pl.concat([c.cast(pl.String) for c in columns])


def _judgment_file(path: Path, assessor: str | None) -> tuple[pl.DataFrame, Table, int]:
    """(columns topic, doc, assessor, grade; where the rows are; how many comment lines were skipped)"""
    format = kind(path)
    if format == "trec" or (format == "tsv" and _bare(path, 4)):
        rows = qrels_rows(contents(path), path)
        who = _all(_name(path, assessor), len(rows.doc))
        if assessor == "column":
            who = pl.Series(rows.second, dtype=pl.String)
        frame = pl.DataFrame({"topic": rows.topic, "doc": rows.doc, "assessor": who, "grade": rows.value})
        return frame, Table(frame, path, rows.line), rows.comments
    table = read_table(path)
    columns = {role: table[role] for role in ("topic", "doc", "grade")}
    if assessor == "column" or (assessor is None and table.has("assessor") is not None):
        columns["assessor"] = table["assessor"]
    else:
        columns["assessor"] = _all(_name(path, assessor), table.frame.height)
    return pl.DataFrame(columns), table, 0


def _name(path: Path, assessor: str | None) -> str:
    return stem(path, qrels=True) if assessor in (None, "file", "column") else str(assessor)


def _all(name: str, height: int) -> pl.Series:
    return pl.repeat(name, height, dtype=pl.String, eager=True)


__all__ = ["read_judgments", "read_runs"]
