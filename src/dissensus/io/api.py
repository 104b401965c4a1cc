"""Files in: `read_runs`, `read_judgments` and `read_audit`.

Any number of files and globs: TREC files, CSV, TSV, JSON lines, Parquet, Arrow, and what other tools write (see
`doors`), all but Parquet also as .gz and .zst. Nothing depends on the order in which files or lines come.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from dissensus.engine.join.concatenate import Piece, pieces_of
from dissensus.errors import FileError, Fix, InputError, Option, Text
from dissensus.io.contents import contents
from dissensus.io.files import (
    TABLES,
    Choices,
    Given,
    Missing,
    PathLike,
    assessor_of,
    choices,
    find_files,
    is_small,
    kind,
    looks_like_json,
    named_files,
    refuse_namesakes,
    stem,
)
from dissensus.io.judgment_rows import (
    mapped,
    refuse_crowd,
    renamed,
    skip_missing,
    stacked,
    table_judgments,
    trec_judgments,
)
from dissensus.io.table import Rows, Table, open_table, place_in, read_table
from dissensus.io.trec import trec_runs
from dissensus.tables.columns import NUMBER, one_text
from dissensus.tables.grades import ScaleLike, missing_values
from dissensus.tables.judgment_table import Repeated, skipped
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale
from dissensus.wording import counted
from dissensus.work.compiled import on_threads

if TYPE_CHECKING:
    from dissensus.tables.audit import Audit


def read_runs(
    *paths_or_globs: Given,
    system: Literal["file", "tag"] | None = None,
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    missing: Missing | None = None,
) -> Runs:
    """Read run files.

    A system is named after its file, without `.gz` or `.zst` and then without one of `.txt .run .res .trec .csv .tsv
    .jsonl .parquet .json .arrow .feather .ipc`, or by you ("NAME=FILE"); tables with a system column name their systems
    themselves. `system="file"` takes the file's name always, `system="tag"` the last column of a TREC run (the
    system column of a table). `columns={"topic": "qid"}` says which column is which, `missing="skip"` leaves rows
    without a score out.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "bm25.run").write_text("301 Q0 FT-7 1 12.5 tag\\n301 Q0 FT-9 2 11.0 tag\\n")
    >>> read_runs(folder / "*.run")
    Runs(1 system, 1 topic, 2 rows)
    """
    if system not in (None, "file", "tag"):
        raise InputError(Text(Option("system", system), ' is neither "file" nor "tag".'))
    said = choices(columns, separator, missing)
    files = named_files(paths_or_globs, "read_runs")
    if system != "tag":
        refuse_namesakes(files, "a system", Fix("Name systems after their tags with ", Option("system", "tag"), "."))
    small = is_small(path for path, _ in files)
    return Runs.from_pieces(on_threads(lambda file: _run_file(*file, system, small, said, len(files)), files))


def _run_file(path: Path, name: str | None, system: str | None, small: bool, said: Choices, files: int) -> Piece:
    if looks_like_json(path):
        from dissensus.io.opening import open_document, read_document

        table = open_document(read_document(path), "runs", said)
        if isinstance(table, Rows):
            return _run_piece(table, path, name, system)
    elif _is_trec(path, said, 6):
        return trec_runs(path, by_tag=system == "tag", small=small, name=name, files=files)
    else:
        table = open_table(path, said)
    roles = ["topic", "doc", "score", *(["system"] if table.has("system") or system == "tag" else [])]
    rows = Rows({r: table[r] for r in roles}, table.place, named="system" in roles)
    gone = missing_values(rows.columns["score"]) if said.missing == "skip" else np.zeros(len(rows), bool)
    if gone.any():
        rows = rows.keep(np.flatnonzero(~gone), f"{path}: {counted(int(gone.sum()), 'row')} without a score left out")
    return _run_piece(rows, path, name, system)


def _run_piece(rows: Rows, path: Path, name: str | None, system: str | None) -> Piece:
    own = rows.named and system != "file" and name is None
    names = rows.columns["system"] if own else one_text(name or stem(path), len(rows))
    runs = Runs.from_columns(
        names, rows.columns["topic"], rows.columns["doc"], rows.columns["score"],
        source=str(path), place=rows.place, notes=rows.notes,
    )  # fmt: skip
    return pieces_of(runs, str(path))[0]


def _is_trec(path: Path, said: Choices, columns: int) -> bool:
    """Is this a TREC file of so many columns? A .tsv file is one where it has no header."""
    if said.columns or kind(path) != "tsv":
        return not said.columns and kind(path) == "trec"
    first = contents(path)[:4096].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").partition("\n")[0]
    values = first.rstrip("\r").split("\t")
    return len(values) == columns and NUMBER.fullmatch(values[4 if columns == 6 else 3].strip(" ")) is not None


def read_judgments(
    *paths_or_globs: Given,
    assessor: str | None = None,
    intent: Literal["column"] | None = None,
    scale: ScaleLike = None,
    repeated: Repeated = "error",
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    missing: Missing | None = None,
    map: Mapping[str, Mapping[Any, Any]] | None = None,
    threshold: float | Sequence[float] | None = None,
) -> Judgments:
    """Read judgment files.

    An assessor is the column of that name in a table, or named by you ("NAME=FILE"), and else the file's name.
    `assessor="file"` takes the file's name always, `assessor="column"` the second column of qrels (trec_eval's
    qrels_jg form); any other text is the name of the one assessor.

    `intent="column"`: column 2 of qrels, the column `intent` (or subtopic) of tables, names the intent of the topic
    that a judgment is about, for measures of diversity.

    Two grades for one (topic, document, assessor) are an error unless `repeated` says what to do: "keep" both as
    repeats, or keep the "first" or the "last" (in the order of files' names, then lines). `scale` declares the grades,
    lowest first, or maps labels to grades, for all assessors or for each (see `dissensus.tables.grades`); `map`
    changes some labels of one assessor ({"bin": {1: 2}}). `columns={"topic": "qid"}` says which column is which,
    `missing="skip"` leaves rows without a grade out, `threshold=0.5` makes grades of a judge's scores.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("topic,doc,assessor,grade\\n301,FT-7,ann,2\\n301,FT-7,bob,0\\n")
    >>> read_judgments(path, scale="0..3")
    Judgments(2 labels, 2 assessors, 1 document, 1 topic, scale 0…3)
    """
    if assessor == "":
        raise InputError(
            Text(Option("assessor", ""), " is not a valid name."),
            Fix("Use ", Option("assessor", "file"), ", ", Option("assessor", "column"), ", or a name."),
        )
    cuts = tuple(threshold) if isinstance(threshold, Sequence) else threshold
    if intent not in (None, "column"):
        raise InputError(Text(Option("intent", intent), ' is not "column".'))
    if intent is not None and assessor == "column":
        raise InputError(
            "column 2 of a qrels file names the assessor or the intent, not both.",
            Fix("Use ", Option("assessor", "column"), " or ", Option("intent", "column"), "."),
        )
    said = replace(choices(columns, separator, missing, map, cuts), intent=intent is not None)
    files = named_files(paths_or_globs, "read_judgments")
    simple = not (said.columns or said.map or said.threshold or said.missing == "skip" or said.intent)
    if simple and not is_small(path for path, _ in files) and all(_is_qrels(path) for path, _ in files):
        if assessor in (None, "file"):
            refuse_namesakes(files, "an assessor", qrels=True)
        from dissensus.io.judgment_files import qrels_judgments

        quick = qrels_judgments(files, assessor, scale, repeated)
        if quick is not None:
            return quick
    return _judgments_of(_judgment_parts(files, assessor, repeated, said), scale, repeated, said, files)


def _is_qrels(path: Path) -> bool:
    return kind(path) == "trec" and path.is_file() and not looks_like_json(path)


def _judgment_parts(
    files: Sequence[tuple[Path, str | None]], assessor: str | None, repeated: Repeated, said: Choices
) -> list[Rows]:
    """The rows of every file, each with its assessors."""
    parts: list[Rows] = []
    unnamed: list[tuple[Path, str | None]] = []
    for path, name, found in _opened(files, assessor, said):
        if isinstance(found, Table) and assessor == "column":
            found.find("assessor")
        rows = table_judgments(found, said) if isinstance(found, Table) else found
        if rows.audit:
            raise FileError(
                f"{path} has a column 'inclusion': it is an audit, not the judgments that are to be corrected.",
                Fix("Read it with ds.read_audit(path).", reader="python"),
                Fix("Give it with --audit, and the judges' labels with --judgments.", reader="command"),
            )
        if said.missing == "skip":
            rows = skip_missing(rows)
        if not rows.named and repeated == "error" and not said.intent:
            refuse_crowd(rows, path)
        if assessor not in (None, "file", "column") or name is not None or not rows.named or assessor == "file":
            own = rows.named and name is not None and rows.columns["assessor"].n_unique() > 1
            if own:
                raise FileError(f"{path} names several assessors ; {name}= cannot name them all.", "Leave it out.")
            if name is None and assessor in (None, "file", "column"):
                unnamed.append((path, None))
            rows = renamed(rows, assessor_of(path, name, assessor))
        parts.append(rows)
    refuse_namesakes(unnamed, "an assessor", qrels=True)
    if not parts:
        raise FileError(f"{files[0][0]} holds requests and no judgments.", "Name the file with the judgments, too.")
    return parts


def _opened(
    files: Sequence[tuple[Path, str | None]], assessor: str | None, said: Choices
) -> Iterator[tuple[Path, str | None, Rows | Table]]:
    """(file, its name, the table or rows in it); files that only hold the ids of what others judge are left out."""
    json = [path for path, _ in files if looks_like_json(path)]
    if json:
        from dissensus.io.opening import judgment_opener

        open_json = judgment_opener(json, said, others=len(files) > 1)
    for path, name in files:
        if path in json:
            found = open_json(path)
        else:
            found = trec_judgments(path, assessor, said) if _is_trec(path, said, 4) else open_table(path, said)
        if found is not None:
            yield path, name, found


def _judgments_of(
    parts: list[Rows], scale: ScaleLike, repeated: Repeated, said: Choices, files: Sequence[tuple[Path, str | None]]
) -> Judgments:
    roles = ("topic", "doc", "assessor", "grade", *(("intent",) if said.intent else ()))
    columns = {role: stacked([p.columns[role] for p in parts]) for role in roles}
    declared = {p.scale for p in parts}
    own = declared.pop() if len(declared) == 1 else None
    grade, notes = mapped(columns["grade"], columns["assessor"], said.map)
    return Judgments.from_columns(
        columns["topic"], columns["doc"], columns["assessor"], grade, intent=columns.get("intent"),
        scale=own if scale is None and own is not None else scale, repeated=repeated, threshold=said.threshold,
        source=", ".join(str(path) for path, _ in files[:3]), place=place_in(parts),
        notes=(*dict.fromkeys(n for p in parts for n in p.notes), *skipped(sum(p.comments for p in parts)), *notes),
    )  # fmt: skip


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
    from dissensus.tables.audit import Audit

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
    from dissensus.tables.design import frame_path, rebuild

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


__all__ = ["PathLike", "read_audit", "read_judgments", "read_runs"]
