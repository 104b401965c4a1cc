"""Audits and planned samples from files and frames, with the probabilities of all documents that lie next to them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from dissensus.errors import FileError, InputError
from dissensus.io.contents import contents, decode
from dissensus.io.elsewhere import ADDRESS, STANDARD_INPUT, neighbour
from dissensus.io.files import TABLES, PathLike, find_files, kind
from dissensus.io.options import ReadOptions, RoleOptions
from dissensus.io.reading import judgments_from_files
from dissensus.io.table import TextTable, open_table, read_table
from dissensus.tables.audit import Audit
from dissensus.tables.design import ROLES, SUFFIX, Frame, frame_path, rebuild
from dissensus.tables.facets import CLASS, with_classes


def audit_from_file(given: PathLike, options: RoleOptions) -> Audit:
    """The audit in a file."""
    file = _one_file(given, "An audit is one file of gold judgments.")
    if kind(file) in TABLES:
        return _audit_of(open_table(file, _separated(file, options)), options, _frame_beside)
    return Audit(judgments_from_files([file], options))


def _one_file(given: PathLike, what: str) -> Path:
    """The file that a path or an address names; a folder, a glob and nothing are refused with what is wanted."""
    if not Path(given).is_file() and ADDRESS.match(os.fspath(given)) is None and os.fspath(given) != STANDARD_INPUT:
        raise FileError(f"{given} is not a file.", what)
    found = find_files([given], "read_audit")
    if len(found) != 1:
        raise FileError(f"{given} names {len(found):,} files.", what)
    return found[0]


def _separated(file: Path, options: RoleOptions) -> RoleOptions:
    """Spreadsheets of many countries separate values by semicolons: a header without commas says so."""
    if kind(file) != "csv" or options.separator is not None:
        return options
    header = decode(contents(file), file).lstrip("\n").partition("\n")[0]
    return replace(options, separator=";") if "," not in header and header.count(";") >= 2 else options


def audit_from_frame(frame: pl.DataFrame, options: RoleOptions) -> Audit:
    """The audit in a frame."""
    return _audit_of(TextTable.of_frame(frame, options), options)


def _audit_of(table: TextTable, options: RoleOptions, beside: Any = None) -> Audit:
    frame, scale, named = table.frame, options.scale, table.named
    if options.labels:
        frame, scale = with_classes(frame, options.labels, scale, table.place, str(table.path))
        named = {**named, "grade": CLASS}
    return Audit.from_frame(
        frame, scale=scale, source=str(table.path), columns=named, place=table.place,
        everyone=None if beside is None else beside(table),
    )  # fmt: skip


def frame_of_sample(path: PathLike) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(a planned sample that nobody has graded, the probabilities of all documents beside it)."""
    file = _one_file(path, "A sample is what dissensus plan --sample writes.")
    table = open_table(file, _separated(file, ReadOptions().audit))
    frame = _frame_beside(table)
    if frame is None:
        raise FileError(
            f"{path} does not say how it was drawn: it has no column design.",
            "Write it with dissensus plan --sample FILE, and keep its frame in the same folder.",
        )
    return table.frame, frame


def _frame_beside(table: TextTable) -> pl.DataFrame | None:
    """The probabilities of all documents, where the audit's file names a design; without them it is refused."""
    column = next((c for c in table.frame.columns if c.strip().lower() == "design"), None)
    if column is None:
        return None

    designs = table.frame[column].drop_nulls().cast(pl.String).unique().sort().to_list()
    if not designs:
        return None
    path = neighbour(table.path, frame_path(table.path).name)
    if not path.is_file():  # the sample was renamed: another frame in its folder may be its own
        path = _of_design(table.path.parent, designs[0]) or path
    if not path.is_file():
        raise FileError(
            f"{table.path} was drawn by a design, and its frame {path.name} is not next to it: without it the "
            "probabilities of documents that were not drawn are lost.",
            f"Put {path.name} back into the folder of {table.path.name}.",
            rebuild(designs[0], str(path)),
            "To have them guessed, which widens intervals, take the column design out of the file.",
        )
    return read_table(path).frame


def _of_design(folder: Path, design: str) -> Path | None:
    """The frame in a folder whose checksum is that of a design."""
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            found = read_table(path).frame
        except InputError:
            continue  # not a frame of ours
        if set(ROLES) <= set(found.columns) and design.endswith(f"#{Frame(found).checksum}"):
            return path
    return None
