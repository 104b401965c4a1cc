"""The audit as a file: the committed order with the grades that count, and the exact probability of each document.

After n labels, τ the key of the next document, π_d = 1 − exp(−r_d·τ) (METHODS §12). Assessors are pseudonyms
(assessor-1, …) unless names are asked for. A document that no assessor could judge has the grade -1: in the pool, not
judged. `second` is the grade of a second assessor, where there is one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl
import sqlalchemy as sa

from dissensus.audit import schema
from dissensus.audit.live import Live
from dissensus.audit.planned import ABOUT
from dissensus.audit.study import Study
from dissensus.errors import InputError
from dissensus.tables.design import Coverage

UNJUDGEABLE = "-1"


@dataclass(frozen=True)
class Judgment:
    """A current judgment: of the last row of its assignment that is neither skipped nor undone."""

    position: int
    topic: str
    doc: str
    role: str
    assessor: int
    grade: str | None  # None: cannot judge
    reason: str | None
    comment: str | None
    seconds: float | None
    at: float


def current_judgments(study: Study) -> list[Judgment]:
    """All judgments that stand, by position and role."""
    a, i, l = schema.assignment.c, schema.item.c, schema.label.c
    columns = (i.position, i.topic, i.doc, a.role, a.assessor, l.grade, l.cannot, l.comment, l.seconds, l.at)
    query = sa.select(l.assignment, l.action, *columns).select_from(schema.LOG)
    rows = study.store.rows(query.where(i.study == study.id, l.action != "skip").order_by(l.id))
    last = {row.assignment: row for row in rows}
    out = [Judgment(*row[2:]) for row in last.values() if row.action in ("grade", "cannot")]
    return sorted(out, key=lambda j: (j.position, j.role, j.at))


def pseudonyms(study: Study, *, names: bool = False) -> dict[int, str]:
    """{assessor: how they are called outside}."""
    owner = {p.id: "owner" for p in study.people() if p.role == "owner"}
    return {p.id: p.name if names else f"assessor-{n}" for n, p in enumerate(study.experts(), 1)} | owner


def counted_labels(study: Study, live: Live) -> int:
    """The labels that count: those at which the stop rule was met, else the completed prefix."""
    stopped = study.current().stopped_at
    return len(live.prefix) if stopped is None else min(int(stopped), len(live.prefix))


def covers(study: Study) -> Coverage:
    """What the order can tell: scores, the difference of two systems, or all differences."""
    if study.planned is not None:
        return study.planned.covers
    if study.scores:
        return Coverage()
    return Coverage.of_pairs((study.systems[0], study.systems[1])) if study.single else Coverage.differences()


def audit_frame(study: Study, live: Live, *, names: bool = False) -> pl.DataFrame:
    """topic, doc, grade, inclusion, covers (pairs), draw, of, rate, next_key, assessor, second and stop of the order.

    The labels that count come first; the rows after them have no grade. They belong to the audit: the probabilities of
    documents that were not judged are known, too, and nothing about them has to be guessed.
    """
    study.seal().refuse(study.store.name)
    n = counted_labels(study, live)
    if n == 0:
        raise InputError("the study has no label along its order yet.", "Judge the first document of the order.")
    rows = study.order
    if study.planned is not None:
        return _sample_frame(study, live, n, names=names)
    tau = math.inf if rows[n - 1].next_key is None else rows[n - 1].next_key
    called = pseudonyms(study, names=names)
    judgments = [j for j in current_judgments(study) if j.position <= n]
    first = {j.position: called[j.assessor] for j in judgments if j.role == "first"}
    second = {j.position: j.grade for j in judgments if j.role == "second"}
    given = [UNJUDGEABLE if g is None else g for g in live.prefix[:n]]
    return pl.DataFrame(
        {
            "topic": [r.topic for r in rows],
            "doc": [r.doc for r in rows],
            "grade": pl.Series([*given, *[None] * (len(rows) - n)], dtype=pl.String),
            "inclusion": [1.0 if math.isinf(tau) else -math.expm1(-r.rate * tau) for r in rows],
            **{name: [value] * len(rows) for name, value in covers(study).columns().items()},
            "draw": [r.position for r in rows],
            "of": [len(rows)] * len(rows),
            "rate": [r.rate for r in rows],
            "next_key": [math.inf if r.next_key is None else r.next_key for r in rows],
            "assessor": pl.Series([first.get(r.position) for r in rows], dtype=pl.String),
            "second": pl.Series([second.get(r.position) for r in rows], dtype=pl.String),
            "stop": [str(study.stop)] * len(rows),
        }
    )


def _sample_frame(study: Study, live: Live, n: int, *, names: bool) -> pl.DataFrame:
    """A planned sample: topic, doc, grade, inclusion, covers (pairs), design, assessor, second."""
    assert study.planned is not None
    called = pseudonyms(study, names=names)
    judgments = current_judgments(study)
    by = {(j.role, j.position): j for j in judgments}
    table, size = study.planned.documents, len(study.order)
    first = [by.get(("first", p)) for p in range(1, size + 1)]
    second = [by.get(("second", p)) for p in range(1, size + 1)]
    given = [UNJUDGEABLE if g is None else g for g in live.prefix[:n]]
    return table.with_columns(
        pl.Series("grade", [*given, *[None] * (size - n)], dtype=pl.String),
        pl.Series("assessor", [None if j is None else called[j.assessor] for j in first], dtype=pl.String),
        pl.Series("second", [None if j is None else j.grade for j in second], dtype=pl.String),
    ).select("topic", "doc", "grade", "inclusion", *[c for c in ABOUT if c in table.columns], "assessor", "second")


def log_frame(study: Study, *, names: bool = False) -> pl.DataFrame:
    """The whole log, row by row: what each assessor did, when, and in which role."""
    a, i, l = schema.assignment.c, schema.item.c, schema.label.c
    query = sa.select(
        l.id, i.topic, i.doc, i.position, a.role, a.attempt, a.assessor, l.action, l.grade, l.cannot, l.comment,
        l.seconds, l.at,
    ).select_from(schema.LOG)  # fmt: skip
    rows = study.store.rows(query.where(i.study == study.id).order_by(l.id))
    called = pseudonyms(study, names=names)
    columns = ["row", "topic", "doc", "draw", "role", "attempt", "assessor", "action", "grade", "cannot", "comment",
               "seconds", "at"]  # fmt: skip
    table = [[called[v] if k == "assessor" else v for k, v in zip(columns, row, strict=True)] for row in rows]
    types = {"row": pl.Int64, "draw": pl.Int64, "attempt": pl.Int64, "seconds": pl.Float64, "at": pl.Float64}
    return pl.DataFrame(table, schema={c: types.get(c, pl.String) for c in columns}, orient="row")
