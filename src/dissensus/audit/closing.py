"""Closing a study: the audit with exact probabilities, corrected and pooled scores, the experts' agreement, the report.

The audited question is answered by its ruling set. Where the labels decided when to stop, ordinary intervals are too
narrow (METHODS §12): corrected scores are then shown at the level whose quantile is m_t of the stopping look.
"""

from __future__ import annotations

import secrets
import time
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl
import sqlalchemy as sa

from dissensus.audit import schema
from dissensus.audit.assigning import lock, note
from dissensus.audit.export import audit_frame, counted_labels, current_judgments
from dissensus.audit.labelling import Entry, Refused, add_row, current_grades
from dissensus.audit.live import Live
from dissensus.audit.planned import SeenSample
from dissensus.audit.record import record
from dissensus.audit.reliability import Reliability, reliability
from dissensus.audit.report import closing_report, closing_summary
from dissensus.audit.study import Person, Study
from dissensus.errors import DissensusError, DissensusWarning
from dissensus.inference.checks import NAMES, audit_checks
from dissensus.inference.comparison.outcome import Outcome
from dissensus.inference.correction.api import correct
from dissensus.inference.correction.design import lay_out
from dissensus.inference.sequential.api import Sequential
from dissensus.inference.sequential.result import Verdicts
from dissensus.inference.sequential.stop import Verdict
from dissensus.tables.audit import Audit

if TYPE_CHECKING:
    from dissensus.inference.correction.result import Corrected

FEWEST_POOLED = 4  # systems whose biases can be estimated together
MOST_CONTRASTS = 45  # up to which the mean expert is followed, too


@dataclass(frozen=True, eq=False)
class Closed:
    """What a closed study leaves: files, and sentences for people."""

    labels: int
    audit: pl.DataFrame
    scores: pl.DataFrame  # the judge's and, where the order covers single scores, corrected ones
    differences: pl.DataFrame  # corrected, and pooled where there are enough systems; empty where it cannot be
    level: float  # of the ordinary intervals in both
    stopped_by_labels: bool
    verdict: Verdict | Verdicts
    outcome: Outcome | None  # None where corrected scores cannot be had
    average: Verdict | Verdicts | None  # the same for the mean expert
    reliability: Reliability
    notes: tuple[str, ...]
    summary: str = ""
    report: str = ""
    record: str = ""  # JSON that can be computed anew to the same bytes


def close_study(study: Study, live: Live) -> Closed:
    """Close the study, if it is not, and make its files from the labels that count."""
    n = counted_labels(study, live)
    if study.planned is not None and n < len(study.order):
        raise Refused(
            f"{len(study.order) - n:,} of {len(study.order):,} documents of the sample are not judged yet.",
            "Judge them first: a planned sample is looked at once, and whole.",
        )
    frame = audit_frame(study, live)
    with study.store.write() as connection:
        row = lock(connection, study.id)
        if row.closed is None:
            note(connection, study.id, "owner", f"closed after {n} labels")
            now = {"closed": time.time(), "closing": schema.study.c.head}
            connection.execute(schema.study.update().where(schema.study.c.id == study.id).values(**now))
    if study.planned is not None:
        return _close_sample(study, live, frame)
    counted = follow(study.engine(), study, live.prefix[:n])
    fixed = spent(study, n)
    level = study.row.level if fixed or n == len(study.order) else stopping_level(counted)
    trust = reliability(study)
    scores, differences, notes, _ = corrected(study, frame, level)
    average = average_expert(study, live.prefix[:n])

    found = None if study.scores else concluded(study, frame)
    closed = Closed(
        n, frame, scores, differences, level, not fixed, counted.verdict, found, average, trust, tuple(notes)
    )
    return replace(
        closed, summary=closing_summary(study, closed), report=closing_report(study, counted, closed),
        record=record(study, closed),
    )  # fmt: skip


def _close_sample(study: Study, live: Live, frame: pl.DataFrame) -> Closed:
    """The one look at a planned sample."""
    scores, differences, notes, said = corrected(study, frame, study.row.level)
    verdict = SeenSample(said)
    closed = Closed(
        len(study.order), frame, scores, differences, study.row.level, False, verdict, concluded(study, frame), None,
        reliability(study),
        tuple(notes),
    )  # fmt: skip
    return replace(
        closed, summary=closing_summary(study, closed), report=closing_report(study, live.sequence, closed),
        record=record(study, closed),
    )  # fmt: skip


def spent(study: Study, labels: int) -> bool:
    """Was the number of labels fixed before the first one, and are they all there?"""
    return study.stop.budget is not None and labels >= min(study.stop.budget, len(study.order))


def concluded(study: Study, frame: pl.DataFrame) -> Outcome | None:
    """The outcome of the labels that count, the same that `compare` finds in the audit's file.

    None where nothing can be corrected, or nothing is decided but by the sets that hold at every look.
    """
    if len(study.systems) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DissensusWarning)
        try:
            audit = audit_of(study, frame)
            made = correct(
                study.runs.select(systems=list(study.systems)), study.judgments, audit, study.row.measure,
                target=study.row.target, level=study.row.level,
            )  # fmt: skip
            return made.outcome
        except DissensusError:
            return None


def audit_of(study: Study, frame: pl.DataFrame) -> Audit:
    """The labels that count as an audit: of an order, or of a sample that was planned."""
    if study.planned is None:
        return Audit.from_frame(frame, scale=study.scale, assessor="experts")
    return study.planned.audit(frame.drop("assessor"), study.scale)


def pair_rows(found: Outcome) -> pl.DataFrame:
    """Every pair with what is claimed of it, for people: intervals are those of the claims."""
    rows = [
        (d.a, d.b, c.kind, d.difference, *d.interval, found.target, str(c))
        for d in found.pairs
        for c in (found.claim_of(d.a, d.b),)
    ]
    columns = ["a", "b", "claim", "difference", "low", "high", "target", "sentence"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def follow(sequence: Sequential, study: Study, prefix: list[str | None]) -> Sequential:
    """The sequence after exactly these labels."""
    for row, grade in reversed(list(zip(study.order, prefix, strict=False))):
        sequence.add(row.topic, row.doc, grade)
    return sequence


def stopping_level(sequence: Sequential) -> float:
    """The level whose normal quantile is the largest m_t among what is followed."""
    names = [sequence.asked.names(k) for k in range(min(len(sequence.asked.contrasts), MOST_CONTRASTS))]
    return max(sequence.closing(a, b).level for a, b in names)


def corrected(
    study: Study, frame: pl.DataFrame, level: float
) -> tuple[pl.DataFrame, pl.DataFrame, list[str], list[str]]:
    """(scores, differences, what has to be said about them, what they show); empty where they cannot be had."""
    runs = study.runs.select(systems=list(study.systems))
    scores = differences = pl.DataFrame()
    notes: list[str] = []
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DissensusWarning)
        try:
            audit = audit_of(study, frame.drop("stop", strict=False))
            result = correct(
                runs, study.judgments, audit, study.row.measure, target=study.row.target, level=min(level, 0.9999)
            )
            scores = _with_values(result.table)
            notes = [f.sentence for f in result.audit if f.worry and f.name in NAMES]
            if len(study.systems) > 1:
                differences = all_differences(result, len(study.systems))
                said = [f"{c}." if str(c)[-1] not in ".!" else str(c) for c in result.compare_all().claims]
        except DissensusError as error:
            notes = [f"Scores could not be corrected: {error}"]
    notes += [str(w.message) for w in caught if issubclass(w.category, DissensusWarning)]
    return scores, differences, list(dict.fromkeys(notes)), said


def doubts(study: Study, live: Live) -> list[str]:
    """Why the labels so far cannot carry a conclusion, or may not: `inference.checks`."""
    if not counted_labels(study, live):
        return []
    audit = Audit.from_frame(audit_frame(study, live), scale=study.scale, assessor="experts")
    checks = audit_checks(lay_out(study.runs, study.judgments, audit))
    return [c.reason for c in checks if c.verdict != "pass"]


def _with_values(table: pl.DataFrame) -> pl.DataFrame:
    """Without columns that hold no number: an order for differences tells no single score."""
    empty = [c for c, kind in table.schema.items() if kind.is_float() and table[c].is_nan().all()]
    return table.drop([*empty, "method"] if empty else [], strict=False)


def all_differences(result: Corrected, systems: int) -> pl.DataFrame:
    """Every pair: the judge's difference, the corrected one, and the pooled one where there are enough systems."""
    plain = result.compare_all().to_frame()
    if systems < FEWEST_POOLED:
        return plain
    try:
        pooled = result.compare_all(pooled=True).to_frame()
    except DissensusError:
        return plain
    columns = [c for c in ("difference", "low", "high", "p_value") if c in pooled.columns]
    renamed = pooled.select("a", "b", *columns).rename({c: f"pooled_{c}" for c in columns})
    return plain.join(renamed, on=["a", "b"], how="left")


def average_expert(study: Study, prefix: list[str | None]) -> Verdict | Verdicts | None:
    """The verdict for the mean of all experts: the set widened by how experts differ on one document."""
    people = {p.id: p.name for p in study.people()}
    n = len(study.systems)
    contrasts = n if study.scores else n * (n - 1) // 2
    if len(study.experts()) < 2 or contrasts > MOST_CONTRASTS:
        return None
    judgments = current_judgments(study)
    first = {j.position: people[j.assessor] for j in judgments if j.role == "first"}
    drawn = tuple(first.get(r.position, "") for r in study.order)
    sequence = study.engine(drawn, mean_assessor=True)
    for j in judgments:  # before the labels, because every look asks for them
        if j.role == "second" and j.grade is not None and people[j.assessor] != drawn[j.position - 1]:
            sequence.add(j.topic, j.doc, j.grade, people[j.assessor])
    return follow(sequence, study, prefix).verdict


def adjudicate(study: Study, owner: Person, draw: int, grade: str) -> None:
    """The owner's view on a document on which two experts differ; it never enters the estimate."""
    if grade not in study.grades:
        raise Refused(f"the grade {grade!r} is not on the scale {', '.join(study.grades)}.", status=400)
    a = schema.assignment.c
    with study.store.write() as connection:
        row = lock(connection, study.id)
        if row.closed is not None:
            raise Refused("the study is closed.")
        found = connection.execute(
            sa.select(schema.item.c.id).where(schema.item.c.study == study.id, schema.item.c.position == draw)
        ).scalar()
        grades = {} if found is None else current_grades(connection, int(found))
        if len(grades) < 2 or len(set(grades.values())) < 2:
            raise Refused(f"two experts do not differ on draw {draw}.")
        given = connection.execute(
            sa.select(a.id).where(a.item == found, a.role == "adjudicate", a.state != "released")
        ).first()
        if given is not None:
            raise Refused("a third view on this document is given, or under way.")
        attempts = connection.execute(
            sa.select(sa.func.count()).where(a.item == found, a.role == "adjudicate")
        ).scalar_one()
        now = time.time()
        made = connection.execute(
            schema.assignment.insert().values(
                item=found, assessor=owner.id, role="adjudicate", attempt=attempts, given_at=now, turn=row.turns,
                state="graded",
            )
        )  # fmt: skip
        (key,) = made.inserted_primary_key or (None,)
        given = connection.execute(
            sa.select(schema.assignment, schema.item.c.position).select_from(schema.GIVEN).where(a.id == key)
        ).one()
        add_row(connection, study.id, given, Entry(given.id, "grade", secrets.token_hex(16), grade), now)
