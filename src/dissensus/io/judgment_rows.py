"""Rows of judgments: from a table with one label a row or one column per judge, or from qrels.

Two kinds of files look like judgments and are not: votes of a crowd without names, which are refused, and preferences,
which are told from the beginning of the file: columns doc_a and doc_b, `@ …`, or winners that are documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from dissensus.errors import FileError, Fix, InputError, JudgmentError, Option
from dissensus.io.columnar import damage_named, read_arrow, refuse_damaged_file
from dissensus.io.contents import contents, lines_of, unpacking
from dissensus.io.files import TYPED, input_files, kind
from dissensus.io.options import RoleOptions
from dissensus.io.table import Rows, TextTable, texts
from dissensus.io.trec import TrecRows, qrels_rows, words_of
from dissensus.tables.columns import MANY_LABELS, NUMBER, ONE_TOPIC, SYNONYMS, Place, one_text
from dissensus.tables.facets import label_columns
from dissensus.tables.grades import ScaleLike, grade_text, missing_values, strays
from dissensus.tables.id_text import id_text
from dissensus.tables.large_frames import change_rows
from dissensus.wording import counted

SHOWN = 3  # judges and labels of theirs that a note on strays shows
NAMED = 10  # judges of a wide table that a note names
CROWD = (
    Fix("If column 2 of the qrels file names the assessor, say ", Option("assessor", "column"), "."),
    Fix("Say which column names the assessor with ", Option("columns"), ", as in assessor=worker; in a file without a "
        "header columns are numbers: assessor=3,doc=2,grade=4."),
    Fix("If one assessor did judge documents again, keep one with ", Option("repeated", "first"), " or both with ",
        Option("repeated", "keep"), "."),
)  # fmt: skip
FEW = 20  # repeated documents that may be slips
_QUEPID_CASE = {"query", "docid", "rating"}
# columns that are numbers and not a judge's
_OTHER = {"position", "rank", "inclusion", "weight", "weight_pi", "draw", "rate", "id", "_trust", "_golden", "_tainted"}

LOOKED_AT = 65536  # bytes from which a file of preferences is told
PAIRS = ({"doc_a", "doc_b"}, {"doca", "docb"}, {"model_a", "model_b", "winner"}, {"system_a", "system_b", "winner"})


def table_judgments(table: TextTable, options: RoleOptions) -> Rows:
    """Rows with topic, doc, grade and, where the table names them, assessor."""
    notes: list[str] = []
    height = table.frame.height
    grade = table.has("grade") or _only_answer(table)
    topic = table.has("topic")
    named = table.has("assessor")
    wide = grade is None and named is None and not options.labels
    if wide and (judges := _judge_columns(table, topic, options.scale)):
        return _wide(table, topic, judges)
    columns = {"doc": table["doc"]}
    if topic is None:
        columns["topic"] = one_text(ONE_TOPIC, height)
        notes.append(f"{table.path} has no column for the topic: all labels belong to one topic, {ONE_TOPIC!r}")
    else:
        columns["topic"] = table["topic"]
    columns |= _facets(table, options) if options.labels else {}
    if not options.labels:
        columns["grade"] = table["grade"] if grade is None else table.column(grade, "grade")
    if named is not None:
        columns["assessor"] = table["assessor"]
    if options.intent:
        columns["intent"] = table["intent"]
    audit = table.has("inclusion") == "inclusion"
    rows = Rows(columns, table.place, tuple(notes), named=named is not None, audit=audit)
    quepid = {c.strip().lower() for c in table.frame.columns} == _QUEPID_CASE
    return skip_missing(rows, "unrated:") if quepid else skip_missing(rows) if options.missing == "skip" else rows


def label_column(number: int) -> str:
    """What the rows call the n-th column of labels."""
    return f"label {number}"


def _facets(table: TextTable, options: RoleOptions) -> dict[str, pl.Series]:
    """The columns that a label is put together from, and where all of them are there (`grade`)."""
    label_columns(table.frame, options.labels, str(table.path))
    found = {label_column(i): table.column(name, label_column(i)) for i, name in enumerate(options.labels)}
    gone = np.any([missing_values(column) for column in found.values()], axis=0)
    there = pl.Series("grade", [None if g else "given" for g in gone.tolist()], dtype=pl.String)
    return {**found, "grade": there}


def trec_judgments(path: Path, options: RoleOptions) -> Rows:
    """The rows of a qrels file."""
    rows = qrels_rows(contents(path), path)
    if options.assessor != "column" and not options.intent:
        refuse_votes(path, rows)
    columns = {"topic": rows.topic, "doc": rows.doc, "grade": rows.value}
    if options.assessor == "column" or options.intent:
        columns["intent" if options.intent else "assessor"] = rows.second
    series = {role: pl.Series(role, values, dtype=pl.String) for role, values in columns.items()}
    place = lambda row: f"{path}:{rows.line[row]}"  # noqa: E731
    return Rows(series, place, comments=rows.comments, named=options.assessor == "column")


def skip_missing(rows: Rows, word: str = "without a grade") -> Rows:
    """The rows that have a grade, with a note on the others."""
    gone = missing_values(rows.columns["grade"])
    if not gone.any():
        return rows
    return rows.keep(np.flatnonzero(~gone), f"{counted(int(gone.sum()), 'row')} {word} left out")


def _only_answer(table: TextTable) -> str | None:
    """The one answer of a crowd's export whose question has its own name: Mechanical Turk's, CrowdFlower's."""
    names = table.frame.columns
    answers = [c for c in names if c.lower().startswith("answer.")]
    sure = [c for c in names if f"{c}:confidence" in names or f"{c}_gold" in names]
    found = answers or sure
    return found[0] if len(found) == 1 else None


def _judge_columns(table: TextTable, topic: str | None, scale: ScaleLike) -> list[str]:
    """Columns of grades that play no role: at least two, each a judge."""
    if table.has("score") is not None or table.has("system") is not None:
        return []
    doc = table.has("doc")
    known = {name for names in SYNONYMS.values() for name in names} | _OTHER
    found = []
    for name in table.frame.columns:
        values = table.frame[name]
        if name in (topic, doc) or name.strip().lower() in known or name.startswith("column "):
            continue
        if values.dtype.is_numeric() or values.dtype == pl.Boolean or _are_grades(values, scale):
            found.append(name)
    return found if len(found) > 1 and (doc is not None or topic is not None) else []


def _are_grades(values: pl.Series, scale: ScaleLike) -> bool:
    """Are most texts that are there numbers, or grades of the declared scale? A judge's column may hold strays."""
    if values.dtype != pl.String:
        return False
    there = values.filter(pl.Series(~missing_values(values))).value_counts()
    text, count = there[values.name], there["count"].to_numpy()
    number = np.array([NUMBER.fullmatch(v.strip()) is not None for v in text], bool)
    named = np.zeros(len(text), bool) if scale is None or isinstance(scale, Mapping) else ~strays(text, scale)
    return bool(count[number | named].sum() > count.sum() / 2)


def _wide(table: TextTable, topic: str | None, judges: list[str]) -> Rows:
    """One row per label from a table with one column per judge; empty cells are no labels."""
    height, doc = table.frame.height, table.has("doc")
    one = one_text(ONE_TOPIC, height)
    response = one_text("response", height)
    parts, places = [], []
    empty = 0
    for judge in judges:
        rows = np.flatnonzero(~missing_values(table.frame[judge]))
        empty += height - len(rows)
        name = judge.removesuffix("_score").removesuffix("_label")
        part = {
            "topic": (table["topic"] if topic else one).gather(rows),
            "doc": (table["doc"] if doc else response).gather(rows),
            "assessor": one_text(name, len(rows)),
            "grade": table.frame[judge].gather(rows).cast(pl.String),
        }
        parts.append(pl.DataFrame({r: c.cast(pl.String).alias(r) for r, c in part.items()}))
        places.append(rows)
    left = [c for c in table.frame.columns if c not in (topic, doc, *judges)]
    more = f" and {len(judges) - NAMED:,} more" if len(judges) > NAMED else ""
    listed = ", ".join(judges[:NAMED]) + more
    notes = [f"{table.path} has one column per judge: {listed}"]
    notes += [f"columns left out: {', '.join(left)}"] if left else []
    notes += [f"no column for the topic: all labels belong to one topic, {ONE_TOPIC!r}"] if topic is None else []
    notes += ["no column for the document: each topic has one, 'response'"] if doc is None else []
    notes += [f"{counted(empty, 'empty cell')} left out"] if empty else []
    where = np.concatenate(places)
    frame = pl.concat(parts)
    return Rows({c: frame[c] for c in frame.columns}, lambda row: table.place(int(where[row])), tuple(notes))


def refuse_crowd(rows: Rows, source: str) -> None:
    """Refuse a file without assessors that looks like many people's votes.

    A document that one assessor judged again and again is a worker column that was not recognised, or a file of votes
    (number, question, worker, label) read as qrels.
    """
    if not _may_repeat(rows.columns["topic"], rows.columns["doc"]):
        return
    frame = pl.DataFrame({r: texts(rows.columns[r]) for r in ("topic", "doc")})
    repeats = frame.height - frame.unique().height
    if repeats >= FEW and repeats * 10 >= frame.height:
        raise JudgmentError(
            f"{source} names no assessor, and {repeats:,} of its {frame.height:,} labels are of a document judged "
            "before.",
            *CROWD,
        )


def _may_repeat(topic: pl.Series, doc: pl.Series) -> bool:
    """Can many labels be of documents judged before? A quick look at hashes, which are the same for one document."""
    if len(doc) < MANY_LABELS or topic.null_count() or not (topic.dtype == pl.String or topic.dtype.is_integer()):
        return True
    from dissensus.engine.join.ordering import count_repeats

    rows = change_rows(topic)
    ids = id_text(doc) if topic.gather(rows).n_unique() == len(rows) else None  # every topic stands together
    if ids is None:
        return True
    repeats = int(count_repeats(np.r_[rows, len(doc)], ids.key))
    return repeats >= FEW and repeats * 10 >= len(doc)


def refuse_votes(path: Path, rows: TrecRows) -> None:
    """Refuse lines of four columns that number their votes."""
    if _looks_like_votes(rows.topic, rows.second):
        raise JudgmentError(
            f"{path} does not look like qrels: no two of its {len(rows.topic):,} lines share a topic, and column "
            f"2, which is the same in qrels, has {len(set(rows.second)):,} values. Votes are written like this: "
            "number, question, worker, label.",
            *CROWD,
        )


def _looks_like_votes(topic: Sequence[str], second: Sequence[str]) -> bool:
    """Do four columns number their lines? Then they are votes (number, question, worker, label), not qrels.

    Qrels may hold one document per topic, but their second column is then the same on all lines.
    """
    n = len(topic)
    return n >= 2 * FEW and len(set(topic)) == n and len(set(second)) >= 3


def renamed(rows: Rows, name: str) -> Rows:
    """The same rows, all by one assessor."""
    who = one_text(name, len(rows))
    return replace(rows, columns={**rows.columns, "assessor": who}, named=True)


def mapped(grade: pl.Series, who: pl.Series, table: Mapping[str, Mapping[str, str]]) -> tuple[pl.Series, list[str]]:
    """Grades with some assessors' labels changed, and notes on how many."""
    if not table:
        return grade, []
    assessors = who.cast(pl.String).to_list()
    changed = {name: 0 for name in table if name in set(assessors)}
    out: list[str | None] = []
    for value, name in zip(grade.to_list(), assessors, strict=True):
        text = None if value is None else grade_text(value)
        new = table.get(name, {}).get(text or "", text)
        if name in changed:
            changed[name] += new != text
        out.append(new)
    notes = [f"{changed[name]:,} labels of {name} mapped: {', '.join(f'{a}={b}' for a, b in table[name].items())}"
             for name in changed]  # fmt: skip
    return pl.Series("grade", out, dtype=pl.String), notes


def on_scale(
    columns: dict[str, pl.Series], place: Place, scale: ScaleLike
) -> tuple[dict[str, pl.Series], Place, list[str]]:
    """Columns without the labels that are no grade of the declared scale, where rows are, and a note on whose went."""
    gone = strays(columns["grade"], scale)
    if not gone.any():
        return columns, place, []
    rows = np.flatnonzero(~gone)
    lost = pl.DataFrame({r: columns[r].filter(pl.Series(gone)).cast(pl.String) for r in ("assessor", "grade")})
    by = lost.group_by("assessor", maintain_order=True).agg(pl.len(), pl.col("grade").unique(maintain_order=True))
    told = [
        f"{counted(n, 'label')} of {who} ({', '.join(given[:SHOWN])})" for who, n, given in by.head(SHOWN).iter_rows()
    ]
    more = f" and {counted(int(by['len'][SHOWN:].sum()), 'label')} of other judges" if by.height > SHOWN else ""
    note = f"left out, because they are no grade of the scale: {', '.join(told)}{more}"
    return {r: c.gather(rows) for r, c in columns.items()}, lambda row: place(int(rows[row])), [note]


def stacked(columns: list[pl.Series]) -> pl.Series:
    """One column from several files; texts where the files disagree on the type."""
    if len({c.dtype for c in columns}) == 1:
        return pl.concat(columns)
    if any(c.dtype == pl.Object for c in columns):
        return pl.Series(columns[0].name, [v for c in columns for v in c.to_list()], dtype=pl.Object)
    return pl.concat([c.cast(pl.String) for c in columns])


def are_preferences(paths: Iterable[object]) -> bool:
    """Do these files hold preferences? Preferences beside judgments are an error."""
    files = [file.path for file in input_files(paths, "read_judgments")]  # of a folder with both, judgments
    which = [looks_like_preferences(path) for path in files]
    if any(which) and not all(which):
        one, other = files[which.index(True)], files[which.index(False)]
        raise InputError(f"{one} holds preferences and {other} does not.", "Give one kind of file at a time.")
    return any(which)


def looks_like_preferences(path: Path) -> bool:
    """Does one file begin as preferences do?"""
    form = kind(path)
    if path.is_dir() or form == "json":
        return False
    if form in TYPED:
        return _names_pairs(_columns(path, form))
    lines = _first_lines(path)
    line = lines[0] if lines else ""
    if form != "trec":
        quoted = set(re.findall(r'"([^"]+)"\s*:', line))  # the keys of a JSON line
        return _names_pairs(re.split("[,;\t]", line.replace('"', ""))) or _names_pairs(quoted)
    words = words_of(line)
    return words[0] == "@" if len(words) == 5 else bool(words) and _winners(lines)


def _names_pairs(columns: Iterable[str]) -> bool:
    """Do the columns name the two documents of a pair?"""
    names = {c.strip().lower().replace(" ", "_") for c in columns}
    return any(names >= pair for pair in PAIRS)


def _winners(lines: list[str]) -> bool:
    """Does every line end in one of two documents? The iteration of qrels, `301 0 FT-7 0`, is not a document."""
    rows: list[list[str]] = []
    for line in lines:
        row = words_of(line)
        if len(row) != 4 or row[1] == row[2] or row[3] not in row[1:3]:
            return False
        rows.append(row)
    return any(r[3] == r[2] or not r[3].lstrip("-").isdigit() for r in rows) or len({r[1] for r in rows}) > 2


def _columns(path: Path, form: str) -> set[str]:
    """Names of the columns; none where a file is packed or damaged: its reader says why."""
    try:
        if form == "arrow":
            return set(read_arrow(path)[0].columns)
        refuse_damaged_file(path)
        with damage_named(str(path)):
            return set(pl.read_parquet_schema(path))
    except FileError:
        return set()


def _first_lines(path: Path) -> list[str]:
    """The first lines that are neither empty nor comments; none where the file cannot be read: its reader says why."""
    try:
        with path.open("rb") as packed:
            start = packed.read(4)
            packed.seek(0)
            with unpacking(packed, start, path) as file:
                data = file.read(LOOKED_AT)
    except (OSError, FileError):
        return []
    lines = list(lines_of(data.decode("utf-8-sig", "replace")))
    lines = lines[:-1] if len(data) == LOOKED_AT and len(lines) > 1 else lines  # the last one may be cut
    return [line for line in lines if line.strip() and not line.startswith("#")]
