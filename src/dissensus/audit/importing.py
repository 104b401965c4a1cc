"""Judgments that were made elsewhere, back into the log: our own JSONL, Label Studio's JSON, Quepid's JSON or CSV.

Every file is checked as a whole before its first label is written. A file can be imported twice: what is there already
is counted and left alone. What the study no longer takes (judged or released meanwhile) is listed, never dropped.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from dissensus.audit import schema
from dissensus.audit.judging import judge
from dissensus.audit.labelling import Entry, Refused
from dissensus.audit.offline import CANNOT, quepid_queries
from dissensus.audit.study import Study
from dissensus.errors import FileError
from dissensus.io.contents import contents, decode

FIELDS = {"assignment", "action", "request", "grade", "cannot", "comment", "seconds", "at"}


@dataclass
class Imported:
    """How many labels were new, known already, or refused (with the reason and the place)."""

    new: int = 0
    known: int = 0
    refused: list[str] = field(default_factory=list)


def import_file(study: Study, path: Path) -> Imported:
    """Read a file of judgments and add them to the log."""
    entries = list(_entries(study, path, decode(contents(path), path)))
    given = _assignments(study)
    for where, entry in entries:
        try:
            entry.check(study.grades)
        except Refused as error:
            raise FileError(f"{where}: {error.what}") from error
        if entry.assignment not in given:
            raise FileError(
                f"{where}: assignment {entry.assignment} is not one of this study.",
                "Was the page made from another study?",
            )
    result = Imported()
    for where, entry in entries:
        try:
            if judge(study, given[entry.assignment], entry):
                result.new += 1
            else:
                result.known += 1
        except Refused as error:
            result.refused.append(f"{where}: {error.what}")
    return result


def _entries(study: Study, path: Path, text: str) -> Iterator[tuple[str, Entry]]:
    start = text.lstrip()[:1]
    if start == "[":
        return _from_label_studio(study, path, _json(path, text))
    if start == "{" and '"query_doc_pairs"' in text:
        return _from_quepid(study, path, _json(path, text))
    if start == "{":
        return _from_jsonl(study, path, text)
    return _from_quepid_csv(study, path, text)


def _json(path: Path, text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path} is not valid JSON ({error}).", "Export it again.") from error


def _from_jsonl(study: Study, path: Path, text: str) -> Iterator[tuple[str, Entry]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = json.loads(line)
            marked = row.pop("dissensus_audit")
            of = row.pop("study")
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
            raise FileError(
                f"{where} is not a line of a judged page.", "Import the file that the page wrote."
            ) from error
        if marked != 1:
            raise FileError(f"{where} has schema {marked}; this version of dissensus reads 1.", "Update dissensus.")
        if of != study.id:
            raise FileError(f"{where} belongs to another study ({str(of)[:8]}).", "Import it into that one.")
        unknown = set(row) - FIELDS
        typed = isinstance(row.get("assignment"), int) and all(
            isinstance(row.get(k), str) for k in ("action", "request")
        )
        numbers = all(isinstance(row.get(k), int | float | None) for k in ("seconds", "at"))
        texts = all(isinstance(row.get(k), str | None) for k in ("grade", "cannot", "comment"))
        if unknown or not (typed and numbers and texts):
            raise FileError(f"{where} is not a label: {line[:80]!r}.", "Import the file as the page wrote it.")
        yield where, Entry(**row)


def _from_label_studio(study: Study, path: Path, tasks: Any) -> Iterator[tuple[str, Entry]]:
    for number, task in enumerate(tasks, 1):
        where = f"{path}, task {number}"
        if not isinstance(task, dict):
            raise FileError(f"{where} is not a task.", "Export the project from Label Studio as JSON.")
        data = task.get("data", task)
        if data.get("dissensus_study") != study.id or not isinstance(data.get("assignment"), int):
            raise FileError(f"{where} is not a task of this study.", "Import tasks made by: dissensus audit page")
        if "annotations" not in task:  # Label Studio's short form
            if "grade" in task:
                yield (
                    where,
                    _choice(data["assignment"], str(task["grade"]), str(task.get("annotation_id", number)), task),
                )
            continue
        done = [a for a in task["annotations"] if not a.get("was_cancelled")]
        if not done:
            continue
        last = max(done, key=lambda a: str(a.get("updated_at") or a.get("created_at") or ""))
        parts = {r.get("from_name"): r.get("value", {}) for r in last.get("result", [])}
        choices = parts.get("grade", {}).get("choices", [])
        if len(choices) != 1:
            raise FileError(f"{where} has {len(choices)} grades.", "Give each task one.")
        comment = " ".join(parts.get("comment", {}).get("text", []))
        extra = {"comment": comment, "lead_time": last.get("lead_time")}
        yield where, _choice(data["assignment"], str(choices[0]), str(last.get("id", number)), extra)


def _choice(assignment: int, choice: str, mark: str, extra: dict[str, object]) -> Entry:
    seconds = extra.get("lead_time")
    known = float(seconds) if isinstance(seconds, int | float) and 0 <= seconds <= 86_400 else None
    request, comment = f"label-studio-{assignment}-{mark}"[:64], str(extra.get("comment") or "") or None
    if choice == CANNOT:
        return Entry(assignment, "cannot", request, cannot=comment or CANNOT, seconds=known)
    return Entry(assignment, "grade", request, choice, comment=comment, seconds=known)


def _from_quepid(study: Study, path: Path, book: Any) -> Iterator[tuple[str, Entry]]:
    place = _by_query(study)
    for number, pair in enumerate(book["query_doc_pairs"], 1):
        where = f"{path}, pair {number}"
        given = [j for j in pair.get("judgements") or [] if not j.get("judge_later")]
        if not given:
            continue
        if len(given) > 1:
            raise FileError(f"{where} has {len(given)} judgements.", "A book of one expert has one per pair.")
        key = _in_fields(pair.get("document_fields"))
        if key is None:
            key = _assigned(place, pair.get("query_text"), pair.get("doc_id"), where)
        comment = given[0].get("explanation") or None
        if given[0].get("unrateable"):
            yield where, Entry(key, "cannot", f"quepid-{key}-unrateable", cannot=comment or "unrateable")
        else:
            grade = _rating(study, given[0].get("rating"), where)
            yield where, Entry(key, "grade", f"quepid-{key}-{grade}"[:64], grade, comment=comment)


def _in_fields(fields: Any) -> int | None:
    """The assignment that `quepid_book` put among the document's fields, if it is still there."""
    try:
        value = json.loads(fields) if isinstance(fields, str) else fields
        return int(value["assignment"])
    except (ValueError, TypeError, KeyError):
        return None


def _from_quepid_csv(study: Study, path: Path, text: str) -> Iterator[tuple[str, Entry]]:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    header = [h.strip().lower() for h in rows[0]] if rows else []
    if header[:2] != ["query", "docid"] or len(header) != 3:
        raise FileError(
            f"{path} is not a file of judgments that we know.",
            "Import a judged page (.jsonl), Label Studio's JSON, or a Quepid book (JSON; CSV of one rater).",
        )
    place = _by_query(study)
    for number, row in enumerate(rows[1:], 2):
        if len(row) == 3 and row[2].strip():
            where = f"{path}:{number}"
            key = _assigned(place, row[0], row[1], where)
            grade = _rating(study, row[2], where)
            yield where, Entry(key, "grade", f"quepid-{key}-{grade}"[:64], grade)


def _rating(study: Study, rating: Any, where: str) -> str:
    try:
        value = float(rating)
        level = int(value) - study.scale.low
        if value == int(value) and 0 <= level < len(study.grades):
            return study.grades[level]
    except (TypeError, ValueError, OverflowError):
        pass
    raise FileError(f"{where}: the rating {rating!r} is not on the scale {study.scale}.", "Use the book's scale.")


def _assigned(place: dict[tuple[str, str], int], query: object, doc: object, where: str) -> int:
    key = place.get((str(query), str(doc)))
    if key is None:
        raise FileError(
            f"{where}: query {query!r} and document {doc!r} were not given out.", "Is it this study's book?"
        )
    return key


def _assignments(study: Study) -> dict[int, int]:
    """{assignment: its assessor}."""
    a, i = schema.assignment.c, schema.item.c
    query = sa.select(a.id, a.assessor).select_from(schema.GIVEN).where(i.study == study.id)
    return {r.id: r.assessor for r in study.store.rows(query)}


def _by_query(study: Study) -> dict[tuple[str, str], int]:
    """{(query, document): assignment} of first judgments, as `quepid_book` wrote them."""
    a, i = schema.assignment.c, schema.item.c
    query = sa.select(a.id, i.topic, i.doc).select_from(schema.GIVEN)
    rows = study.store.rows(query.where(i.study == study.id, a.role == "first").order_by(a.id))
    names = quepid_queries(study)
    return {(names[r.topic], r.doc): r.id for r in rows}
