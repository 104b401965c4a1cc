"""Files in: `read_audit`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from dissensus.data.readers.api import read_judgments
from dissensus.data.readers.files import TABLES, PathLike, find_files, kind
from dissensus.data.readers.table import Table, read_table
from dissensus.data.tables.audit import Audit
from dissensus.data.tables.design import frame_path, rebuild
from dissensus.data.tables.scale import Scale
from dissensus.errors import FileError


def read_audit(
    path: PathLike,
    *,
    scale: Scale | Sequence[str] | str | None = None,
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
) -> Audit:
    """An audit from a file: a table (.csv, .tsv, .jsonl, .parquet, .arrow) with topic, doc, grade and, if known,
    inclusion; or any file of judgments of one assessor, then without inclusion probabilities.
    """
    if not Path(path).is_file():
        raise FileError(f"{path} is not a file.", "An audit is one file of gold judgments.")
    (file,) = find_files([path], "read_audit")
    if kind(file) in TABLES:
        table = read_table(file, columns, separator=separator)
        return Audit.from_frame(
            table.frame, scale=scale, source=str(path), columns=table.named, place=table.place,
            everyone=_frame_beside(table),
        )  # fmt: skip
    return Audit(read_judgments(file, scale=scale))


def _frame_beside(table: Table) -> pl.DataFrame | None:
    """The probabilities of all documents, where the audit's file names a design; without them it is refused."""
    column = next((c for c in table.frame.columns if c.strip().lower() == "design"), None)
    if column is None:
        return None
    designs = table.frame[column].drop_nulls().cast(pl.String).unique().sort().to_list()
    path = frame_path(table.path)
    if not designs:
        return None
    if not path.is_file():
        raise FileError(
            f"{table.path} was drawn by a design, and its frame {path.name} is not beside it: without it the "
            "probabilities of documents that were not drawn are lost.",
            f"Put {path.name} back into the folder of {table.path.name}.",
            rebuild(designs[0], str(path)),
            "To have them guessed, which widens intervals, take the column design out of the file.",
        )
    return read_table(path).frame
