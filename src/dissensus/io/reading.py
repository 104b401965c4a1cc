"""From whatever a user holds to Runs, Judgments and Audit: columns found, values checked, coded. One road for all.

Files, frames, dicts and objects become `Rows` (columns by what they are, each row with its place). Rows become the
tables, with the same options, refusals and notes wherever they came from. Plain TREC files may take the scanner of
`engine`, which declines what it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from dissensus.engine.join.concatenate import Piece, pieces_of
from dissensus.errors import FileError, Fix, InputError, Option, Text
from dissensus.io.contents import contents
from dissensus.io.converted.given import declared, folder_notes
from dissensus.io.files import (
    Given,
    InputFile,
    assessor_of,
    input_files,
    is_small,
    kind,
    looks_like_json,
    refuse_namesakes,
    refuse_too_large,
    stem,
)
from dissensus.io.judgment_files import qrels_judgments
from dissensus.io.judgment_rows import (
    label_column,
    mapped,
    on_scale,
    refuse_crowd,
    renamed,
    skip_missing,
    stacked,
    table_judgments,
    trec_judgments,
)
from dissensus.io.opening import judgment_opener, open_document, read_document
from dissensus.io.options import RoleOptions
from dissensus.io.table import Rows, TextTable, has_named_column, open_table, place_in
from dissensus.io.trec import trec_runs
from dissensus.tables.columns import NUMBER, nested_rows, one_text, plain_column
from dissensus.tables.facets import classes
from dissensus.tables.grades import missing_values
from dissensus.tables.judgment_table import skipped, unlabelled
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.wording import counted
from dissensus.work.threads import on_threads


# ── runs ──
def runs_from_files(given: Sequence[Given], options: RoleOptions) -> Runs:
    """The runs of files, globs and folders of Parquet files."""
    files = input_files(given, "read_runs")
    if options.system != "tag":
        way_out = Fix("Name systems after their tags with ", Option("system", "tag"), ".")
        refuse_namesakes({(f.dataset, f.name): None for f in files}, "a system", way_out)
    refuse_too_large(file.path for file in files)
    small = is_small(file.path for file in files)
    read = on_threads(lambda file: _run_file(file, small, options), files)
    runs = Runs.from_pieces(
        [*(r for r in read if isinstance(r, Piece)), *_pieces([r for r in read if isinstance(r, tuple)])]
    )
    return replace(runs, notes=(*notes, *runs.notes)) if (notes := folder_notes(files)) else runs


def runs_from_tables(tables: Sequence[tuple[InputFile, TextTable]], options: RoleOptions) -> Runs:
    """The runs of tables of files; none where there is no table."""
    pieces = _pieces([named_rows(file, run_rows(table, options), options) for file, table in tables])
    return Runs.from_pieces(pieces) if pieces else Runs.from_dict({})


def runs_from_frame(frame: pl.DataFrame, options: RoleOptions, nameless: str) -> Runs:
    """The runs of a frame; a frame without a column for the system is of one, `nameless`."""
    rows = run_rows(TextTable.of_frame(frame, options), options)
    return _runs_of(rows, rows.columns["system"] if rows.named else one_text(nameless, len(rows)))


def runs_from_dict(nested: Mapping[object, object], options: RoleOptions) -> Runs:
    """The runs of {system: {topic: {doc: score}}}; a system without topics stays."""
    rows = _nested(nested, ("system", "topic", "doc", "score"))
    return _runs_of(_with_scores(rows, options), None, tuple(map(str, nested)))


NamedRows = tuple[InputFile, Rows]


def _run_file(file: InputFile, small: bool, options: RoleOptions) -> Piece | NamedRows:
    path, system = file.path, options.system
    if looks_like_json(path):
        found = open_document(read_document(path), "runs", options)
        rows = found if isinstance(found, Rows) else run_rows(found, options)
    elif is_trec(path, options, 6):
        return trec_runs(path, by_tag=system == "tag", small=small, name=file.name)
    else:
        rows = run_rows(open_table(path, options, file.constants), options)
    return named_rows(file, rows, options)


def named_rows(file: InputFile, rows: Rows, options: RoleOptions) -> NamedRows:
    """The rows of a file with their systems: those of the rows, or one, which is named after the file."""
    if rows.named and options.system != "file" and file.name is None:
        return file, rows
    own = one_text(file.name or stem(file.dataset), len(rows))
    return file, replace(rows, columns={**rows.columns, "system": own}, named=True)


def _pieces(read: Sequence[NamedRows]) -> list[Piece]:
    """The rankings of every dataset; files of one folder may hold parts of a ranking."""
    datasets: dict[Path, list[Rows]] = {}
    for file, rows in read:
        datasets.setdefault(file.dataset, []).append(rows)
    return on_threads(lambda one: _piece(*one), list(datasets.items()))


def _piece(dataset: Path, parts: list[Rows]) -> Piece:
    columns = {role: stacked([p.columns[role] for p in parts]) for role in ("system", "topic", "doc", "score")}
    notes = tuple(dict.fromkeys(n for p in parts for n in p.notes))
    rows = Rows(columns, place_in(parts), notes)
    return pieces_of(_runs_of(rows, None), str(dataset))[0]


def run_rows(table: TextTable, options: RoleOptions) -> Rows:
    named = table.has("system") is not None or options.system == "tag"
    roles = ["topic", "doc", "score", *(["system"] if named else [])]
    rows = Rows({r: table[r] for r in roles}, table.place, named=named)
    return _with_scores(rows, options, f"{table.path}: ")


def _with_scores(rows: Rows, options: RoleOptions, where: str = "") -> Rows:
    gone = missing_values(rows.columns["score"]) if options.missing == "skip" else np.zeros(len(rows), bool)
    if not gone.any():
        return rows
    return rows.keep(np.flatnonzero(~gone), f"{where}{counted(int(gone.sum()), 'row')} without a score left out")


def _runs_of(rows: Rows, system: pl.Series | None, systems: Sequence[str] = ()) -> Runs:
    columns = rows.columns
    return Runs.from_columns(
        columns["system"] if system is None else system, columns["topic"], columns["doc"], columns["score"],
        place=rows.place, notes=rows.notes, systems=systems,
    )  # fmt: skip


def is_trec(path: Path, options: RoleOptions, columns: int) -> bool:
    """Is this a TREC file of so many columns, and not a table whose columns the user named?

    A .tsv file is one where it has no header.
    """
    if kind(path) not in ("trec", "tsv") or options.numbered:
        return False
    if kind(path) == "trec" and not options.columns:
        return True
    first = contents(path)[:4096].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").partition("\n")[0]
    if options.columns and has_named_column(first.rstrip("\r"), options):
        return False
    values = first.rstrip("\r").split("\t")
    number = values[4 if columns == 6 else 3] if len(values) == columns else ""
    return kind(path) == "trec" or NUMBER.fullmatch(number.strip(" ")) is not None


# ── judgments ──
def judgments_from_files(given: Sequence[Given], options: RoleOptions) -> Judgments:
    """The judgments of files and globs."""
    assessor, plain = options.assessor, RoleOptions(options.role, scale=options.scale, repeated=options.repeated)
    if assessor == "":
        raise InputError(
            Text(Option("assessor", ""), " is not a valid name."),
            Fix("Use ", Option("assessor", "file"), ", ", Option("assessor", "column"), ", or a name."),
        )
    if options.intent and assessor == "column":
        raise InputError(
            "column 2 of a qrels file names the assessor or the intent, not both.",
            Fix("Use ", Option("assessor", "column"), " or ", Option("intent", "column"), "."),
        )
    files = input_files(given, "read_judgments")
    refuse_too_large(file.path for file in files)
    options = declared(files, options)
    simple = replace(options, assessor=None) == plain
    if simple and not is_small(file.path for file in files) and all(_is_qrels(file.path) for file in files):
        named = [(file.path, file.name) for file in files]
        if assessor in (None, "file"):
            refuse_namesakes(named, "an assessor", qrels=True)

        quick = qrels_judgments(named, assessor, options.scale, options.repeated)
        if quick is not None:
            return quick
    return _judgments(list(_opened(files, options)), options, files)


def judgments_from_tables(tables: Sequence[tuple[InputFile, TextTable]], options: RoleOptions) -> Judgments:
    """The judgments of tables of files."""
    return _judgments(tables, options, [file for file, _ in tables])


def _judgments(
    opened: Sequence[tuple[InputFile, Rows | TextTable]], options: RoleOptions, files: Sequence[InputFile]
) -> Judgments:
    found = judgments_of(judgment_parts(opened, options, files), options)
    return replace(found, notes=(*notes, *found.notes)) if (notes := folder_notes(files)) else found


def judgments_from_frame(frame: pl.DataFrame, options: RoleOptions, nameless: str) -> Judgments:
    """The judgments of a frame; a frame without a column for the assessor is of one, `nameless`."""
    rows = _labels(table_judgments(TextTable.of_frame(frame, options), options), "the frame", options)
    return judgments_of([rows if rows.named else renamed(rows, nameless)], options)


def judgments_from_dict(nested: Mapping[Any, object], options: RoleOptions) -> Judgments:
    """The judgments of {assessor: {topic: {doc: grade}}}."""
    rows = _nested(nested, ("assessor", "topic", "doc", "grade"))
    notes = unlabelled(nested, set(rows.columns["assessor"]))
    return judgments_of([_labels(replace(rows, notes=notes), "the dict", options)], options)


def _nested(nested: Mapping[Any, object], levels: tuple[str, str, str, str]) -> Rows:
    rows = nested_rows(nested, levels)
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(levels)
    series = {role: plain_column(role, list(values)) for role, values in zip(levels, columns, strict=True)}
    return Rows(series, lambda row: f"the dict, row {row + 1}")


def _is_qrels(path: Path) -> bool:
    return kind(path) == "trec" and path.is_file() and not looks_like_json(path)


def judgment_parts(
    opened: Sequence[tuple[InputFile, Rows | TextTable]], options: RoleOptions, files: Sequence[InputFile]
) -> list[Rows]:
    """The rows of every file, each with its assessors."""
    assessor = options.assessor
    parts: list[Rows] = []
    unnamed: dict[tuple[Path, str | None], None] = {}
    for file, found in opened:
        path, name = file.path, file.name
        if isinstance(found, TextTable) and assessor == "column":
            found.find("assessor")
        if options.labels and not isinstance(found, TextTable):
            raise FileError(
                f"{path} is no table with a column for each label.",
                "Labels of several columns are read from CSV, TSV, JSONL, Parquet, Arrow, Excel and frames.",
            )
        rows = _labels(table_judgments(found, options) if isinstance(found, TextTable) else found, str(path), options)
        if assessor not in (None, "file", "column") or name is not None or not rows.named or assessor == "file":
            own = rows.named and name is not None and rows.columns["assessor"].n_unique() > 1
            if own:
                raise FileError(f"{path} names several assessors. {name}= cannot name them all.", "Leave it out.")
            if name is None and assessor in (None, "file", "column"):
                unnamed[file.dataset, None] = None
            rows = renamed(rows, assessor_of(file.dataset, name, assessor))
        parts.append(rows)
    refuse_namesakes(unnamed, "an assessor", qrels=True)
    if not parts:
        raise FileError(f"{files[0].path} holds requests and no judgments.", "Name the file with the judgments, too.")
    return parts


def _labels(rows: Rows, source: str, options: RoleOptions) -> Rows:
    """Rows that are labels of judges: neither an audit nor the votes of a crowd without names."""
    if rows.audit:
        raise FileError(
            f"{source} has a column 'inclusion': it is an audit, not the judgments that are to be corrected.",
            Fix("Read it with ds.read_audit(path).", reader="python"),
            Fix("Give it with --audit, and the judges' labels with --judgments.", reader="command"),
        )
    if options.missing == "skip":
        rows = skip_missing(rows)
    if not rows.named and options.repeated == "error" and not options.intent:
        refuse_crowd(rows, source)
    return rows


def _opened(files: Sequence[InputFile], options: RoleOptions) -> Iterator[tuple[InputFile, Rows | TextTable]]:
    """(file, the table or rows in it); files that only hold the ids of what others judge are left out."""
    json = [file.path for file in files if looks_like_json(file.path)]
    if json:
        open_json = judgment_opener(json, options, others=len(files) > 1)
    for file in files:
        path = file.path
        if path in json:
            found = open_json(path)
        elif is_trec(path, options, 4):
            found = trec_judgments(path, options)
        else:
            found = open_table(path, options, file.constants)
        if found is not None:
            yield file, found


def judgments_of(parts: list[Rows], options: RoleOptions) -> Judgments:
    """The judgments of rows, mapped and graded as the options say."""
    facets = [label_column(i) for i in range(len(options.labels))]
    roles = ("topic", "doc", "assessor", "grade", *facets, *(("intent",) if options.intent else ()))
    columns = {role: stacked([p.columns[role] for p in parts]) for role in roles}
    declared = {p.scale for p in parts}
    own = declared.pop() if len(declared) == 1 else None
    options.seen.assessors.update(columns["assessor"].unique().cast(pl.String).to_list() if options.map else ())
    place = place_in(parts)
    scale = own if options.scale is None and own is not None else options.scale
    if facets:
        columns["grade"], scale = classes([columns[f] for f in facets], options.labels, scale, place)
    columns["grade"], notes = mapped(columns["grade"], columns["assessor"], options.map)
    if options.missing == "skip" and options.threshold is None and not facets:
        columns, place, said = on_scale(columns, place, options.scale)
        notes += said
    return Judgments.from_columns(
        columns["topic"], columns["doc"], columns["assessor"], columns["grade"], intent=columns.get("intent"),
        scale=scale, repeated=options.repeated, threshold=options.threshold, place=place,
        notes=(*dict.fromkeys(n for p in parts for n in p.notes), *skipped(sum(p.comments for p in parts)), *notes),
    )  # fmt: skip
