"""What a file is, found out by reading it: runs, labels, an audit, a planned sample, clicks, features, texts.

Every reader is asked in turn, the one with the strictest format first; the first that takes the file says what it is.
A file that none takes keeps what the reader nearest to it said, so that its owner learns what is missing.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import polars as pl

from dissensus.arrays import Values
from dissensus.errors import DissensusError, DissensusWarning, FileError
from dissensus.io.audit_files import audit_from_file
from dissensus.io.click_files import click_format, read_clicks
from dissensus.io.contents import contents
from dissensus.io.documents import NAMES
from dissensus.io.exports import nested
from dissensus.io.files import TABLES, find_files, kind, looks_like_json
from dissensus.io.opening import door_of, read_document
from dissensus.io.options import ReadOptions
from dissensus.io.reading import judgments_from_files, runs_from_files
from dissensus.io.score_files import MEASURE_LIKE, has_no_header, scores_from_files
from dissensus.io.table import read_table
from dissensus.io.topic_texts import read_topic_texts
from dissensus.tables.columns import column_or_none
from dissensus.tables.features import read_features
from dissensus.wording import counted

FEATURES = re.compile(r"\s*-?\d+(\.\d+)?\s+(qid:\S+\s+)?\d+:")  # a line of LETOR or SVMlight
What = Literal[
    "runs",
    "labels",
    "audit",
    "sample",
    "frame",
    "scores",
    "preferences",
    "features",
    "clicks",
    "documents",
    "topic texts",
    "unknown",
]


@dataclass(frozen=True)
class Recognised:
    """A file, what it is, and what it holds; `problem` is why it is nothing that can be read."""

    path: str
    what: What
    holds: str = ""
    problem: str = ""
    raised: type[DissensusError] | None = None  # the kind of error that the nearest reader raised
    systems: tuple[str, ...] = ()
    assessors: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    top: int = 0  # the highest grade of labels
    ordered: bool = False  # an audit whose documents have a committed order
    notes: tuple[str, ...] = field(default=(), repr=False)


def recognise(path: str, options: ReadOptions | None = None) -> list[Recognised]:
    """What each file behind a path or glob is; the file of a tool may be several things: rankings, labels, scores."""
    how = options or ReadOptions()
    return [one for file in find_files([path], "check") for one in _of_a_tool(file, how) or [_one(file, how)]]


def _of_a_tool(file: Path, options: ReadOptions) -> list[Recognised]:
    """Everything that the JSON file of another tool holds; nothing for other files."""
    if not looks_like_json(file):
        return []
    try:
        if door_of(read_document(file)) in (None, nested):
            return []
    except DissensusError:
        return []
    result = []
    for attempt in (_runs, _labels, _score_table):
        with contextlib.suppress(DissensusError), warnings.catch_warnings():
            warnings.simplefilter("ignore", DissensusWarning)
            result.append(attempt(file, options))
    return result


def _one(file: Path, options: ReadOptions) -> Recognised:
    first: DissensusError | None = None
    for attempt in _attempts(file):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DissensusWarning)
                result = attempt(file, options)
        except DissensusError as error:
            first = first or error
            continue
        if result is not None:
            return result
    if first is None:
        return Recognised(str(file), "unknown", problem="no reader of dissensus knows this format.")
    return Recognised(str(file), "unknown", problem=str(first.what), raised=type(first))


def _attempts(file: Path) -> list[Callable[[Path, ReadOptions], Recognised | None]]:
    """Readers in the order in which they are asked; the first error of a likely one is the one to show."""
    texts = [_features, _topic_texts]
    if kind(file) in TABLES and not _bare_lines(file):
        return [_audit, _scores, _labels_or_runs, _wide_scores, _texts, _clicks, *texts]
    if looks_like_json(file):
        return [_labels_or_runs, _texts]
    return [_features, _scores, _labels_or_runs, _clicks, _topic_texts]


def _bare_lines(file: Path) -> bool:
    """A .tsv with TREC lines and no header."""
    if kind(file) != "tsv":
        return False
    return len(contents(file)[:4096].decode("utf-8", "replace").partition("\n")[0].split("\t")) in (4, 6)


# ── one reader each ──────────────────────────────────────────────────────────────────────────────────────────────────
def _audit(file: Path, options: ReadOptions) -> Recognised | None:
    """An audit or a planned sample: a table with inclusion probabilities, or with draws."""
    frame = read_table(file, separator=options.audit.separator).frame
    names = {c.strip().lower() for c in frame.columns}
    ordered = {"draw", "rate"} <= names
    if not ordered and column_or_none(frame.columns, "inclusion", str(file)) is None:
        return None
    grade = column_or_none(frame.columns, "grade", str(file))
    if grade is None and not ordered:
        return Recognised(str(file), "frame", f"probabilities of {counted(frame.height, 'document')} of a plan")
    given = 0 if grade is None else frame.height - int(frame[grade].cast(str).str.strip_chars().is_in(["", None]).sum())
    if not given:
        holds = f"{counted(frame.height, 'document')} to be graded"
        return Recognised(str(file), "sample", holds, ordered=ordered)
    audit = audit_from_file(file, options.audit)
    holds = f"{counted(len(audit), 'graded document')}" + (" of a committed order" if ordered else "")
    gold = audit.judgments
    return Recognised(
        str(file), "audit", holds, topics=gold.topics, top=gold.scale.top, ordered=ordered, notes=audit.notes
    )


def _scores(file: Path, options: ReadOptions) -> Recognised | None:
    """Scores by system, measure and topic: a table with measure and value, trec_eval's three columns, or four."""
    if kind(file) == "trec" or has_no_header(file):
        words = contents(file)[:4096].decode("utf-8", "replace").partition("\n")[0].split()
        if len(words) != 3 and not (len(words) == 4 and any(MEASURE_LIKE.search(w) for w in words[1:3])):
            return None
    elif not {"measure", "value"} <= {
        c.strip().lower() for c in read_table(file, separator=options.scores.separator).frame.columns
    }:
        return None
    return _score_table(file, options)


def _wide_scores(file: Path, options: ReadOptions) -> Recognised | None:
    """Columns of topics, systems or both, and columns of numbers: one for each measure, system or topic."""
    table = read_table(file, options.scores)
    down = {table.has(role) for role in ("assessor", "system", "topic")} - {None}
    others = [c for c in table.frame.columns if c not in down]
    numbers = [table.frame[c].cast(pl.String).cast(pl.Float64, strict=False) for c in others]
    if not down or not others or any(n.null_count() == len(n) for n in numbers):
        return None
    return _score_table(file, options)


def _score_table(file: Path, options: ReadOptions) -> Recognised:
    scores = scores_from_files([file], options.scores)
    systems, topics = (tuple(map(str, scores[name].values)) for name in ("system", "topic"))
    sizes = ((len(scores.data_vars), "measure"), (len(systems), "system"), (len(topics), "topic"))
    measures = tuple(map(str, scores.data_vars))
    holds = ", ".join(counted(n, w) for n, w in sizes)
    return Recognised(str(file), "scores", holds, systems=systems, topics=topics, measures=measures)


def _labels_or_runs(file: Path, options: ReadOptions) -> Recognised:
    """Labels or runs: whichever reader takes it; of two that do, labels if every number is a small grade."""
    tables: Values = {}
    errors: list[DissensusError] = []
    readers: dict[str, Callable[[], Any]] = {"runs": lambda: runs_from_files([file], options.runs),
               "labels": lambda: judgments_from_files([file], options.judgments)}  # fmt: skip
    for name, read in readers.items():
        try:
            tables[name] = read()
        except DissensusError as error:
            errors.append(error)
    if len(tables) == 2:
        tables.pop("runs" if _are_grades(tables["runs"].score) else "labels")
    if tables:
        return _runs(file, options, tables["runs"]) if "runs" in tables else _labels(file, options, tables["labels"])
    with contextlib.suppress(DissensusError):
        return _labels(file, options)
    raise errors[0] if _says_run(file) else errors[-1]


def _runs(file: Path, options: ReadOptions, runs: Any = None) -> Recognised:
    runs = runs_from_files([file], options.runs) if runs is None else runs
    holds = ", ".join(counted(n, w) for n, w in ((len(runs.systems), "system"), (len(runs.topics), "topic")))
    return Recognised(str(file), "runs", holds, systems=runs.systems, topics=runs.topics, notes=runs.notes)


def _labels(file: Path, options: ReadOptions, labels: Any = None) -> Recognised:
    skipping = ""
    if labels is None:
        try:
            labels = judgments_from_files([file], options.judgments)
        except DissensusError:
            labels = judgments_from_files([file], replace(options.judgments, missing="skip"))
            skipping = "; some rows have no grade: add --missing skip"
    sizes = ((len(labels), "label"), (len(labels.assessors), "assessor"), (len(labels.topics), "topic"))
    holds = ", ".join(counted(n, w) for n, w in sizes) + f", grades {labels.scale}{skipping}"
    return Recognised(
        str(file), "labels", holds, assessors=labels.assessors, topics=labels.topics, top=labels.scale.top,
        notes=labels.notes,
    )  # fmt: skip


def _are_grades(score: Any) -> bool:
    return bool(((score == score.round()) & (score <= 10)).all())


def _says_run(file: Path) -> bool:
    """Does a file look like a run rather than labels? (Only to choose whose error is shown.)"""
    line = contents(file)[:4096].decode("utf-8", "replace").partition("\n")[0].lower()
    return len(line.split()) == 6 or "score" in line


def _features(file: Path, options: ReadOptions) -> Recognised | None:
    if not FEATURES.match(contents(file)[:4096].decode("utf-8", "replace")):
        return None
    features = read_features(file)
    return Recognised(str(file), "features", f"{counted(len(features.y), 'document')} with features")


def _clicks(file: Path, options: ReadOptions) -> Recognised | None:
    line = contents(file)[:65536].decode("utf-8", "replace").partition("\n")[0]
    if click_format(line) is None:
        return None
    read_clicks(file)
    return Recognised(str(file), "clicks", "a click log")


def _texts(file: Path, options: ReadOptions) -> Recognised | None:
    """Texts of documents (doc, text) or of topics (topic, query)."""
    names = {c.strip().lower() for c in read_table(file, separator=options.scores.separator).frame.columns}
    if names & set(NAMES["text"]) and names & set(NAMES["doc"]):
        return Recognised(str(file), "documents", "texts of documents")
    return _topic_texts(file, options) if names & {"query", "title"} else None


def _topic_texts(file: Path, options: ReadOptions) -> Recognised | None:
    if kind(file) == "trec" and b"<top" not in contents(file)[:4096].lower():
        return None
    texts = read_topic_texts(file)
    if not texts:
        raise FileError(f"{file} holds no topics.")
    return Recognised(str(file), "topic texts", counted(len(texts), "topic"), topics=tuple(texts))
