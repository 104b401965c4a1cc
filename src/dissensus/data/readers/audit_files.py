"""Files in: `read_audit`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dissensus.data.readers.api import read_judgments
from dissensus.data.readers.files import PathLike, find_files, kind
from dissensus.data.readers.table import read_table
from dissensus.data.tables.audit import Audit
from dissensus.data.tables.scale import Scale
from dissensus.errors import FileError


def read_audit(
    path: PathLike,
    *,
    scale: Scale | Sequence[str] | str | None = None,
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
) -> Audit:
    """An audit from a file: a table (.csv, .tsv, .jsonl, .parquet) with topic, doc, grade and, if known, inclusion; or
    any file of judgments of one assessor, then without inclusion probabilities.
    """
    if not Path(path).is_file():
        raise FileError(f"{path} is not a file.", "An audit is one file of gold judgments.")
    (file,) = find_files([path], "read_audit")
    if kind(file) in ("csv", "tsv", "jsonl", "parquet"):
        table = read_table(file, columns, separator=separator)
        return Audit.from_frame(table.frame, scale=scale, source=str(path), columns=table.named, place=table.place)
    return Audit(read_judgments(file, scale=scale))
