"""What the owner sees: the interval against the labels, the verdict, the forecast, the experts and the judge.

The fixed-look interval is not among it: before closing only numbers that hold at every look are shown.
"""

from __future__ import annotations

import math
import time

import sqlalchemy as sa

from dissensus.arrays import Values
from dissensus.audit import schema
from dissensus.audit.closing import concluded, spent
from dissensus.audit.export import Judgment, audit_frame, counted_labels, current_judgments
from dissensus.audit.live import Live
from dissensus.audit.planned import SEEN
from dissensus.audit.reliability import confusion_counts, reliability
from dissensus.audit.study import Study
from dissensus.inference.sequential.result import Verdicts
from dissensus.inference.sequential.stop import Verdict

MOST_POINTS = 400
PACE_WINDOW = 3600.0  # seconds


def overview(study: Study, live: Live, drawn: int | None = None) -> Values:
    """All of it, ready for JSON; of several pairs or scores the curve is that of number `drawn`."""
    row, sequence = study.current(), live.sequence
    judgments = current_judgments(study)
    trust = reliability(study, judgments)
    decided = sequence.decided_at
    number = nearest(sequence.verdict) if drawn is None else drawn
    text = headline(sequence.verdict) if live.prefix else "No labels yet."
    if study.stop.budget is not None and not study.scores and spent(study, counted_labels(study, live)):
        found = concluded(study, audit_frame(study, live))
        text = text if found is None else str(found.headline)
    if study.planned is not None and row.closed is not None:
        text = SEEN
    cannot = sum(grade is None for grade in live.prefix)
    return {
        "planned": study.planned is not None,
        "title": row.title, "scores": study.scores, "single": study.single, "measure": row.measure,
        "systems": list(study.systems), "judge": row.judge,
        "level": row.level, "stop": str(study.stop), "stop_text": study.stop.sentence(),
        "documents": len(study.order), "labels": len(live.prefix), "judgments": len(judgments),
        "waiting": _waiting(judgments, live), "cannot": cannot, "counted": counted_labels(study, live),
        "stopped_at": row.stopped_at, "closed": row.closed, "decided_at": decided,
        "state": state_of(sequence.verdict), "verdict": text,
        "outlook": outlook(study, live), "curve": curve(live, number), "drawn": number,
        "pairs": pairs(live),
        "experts": experts(study), "pace": pace(study),
        "agreement": {"between": trust.between.to_dict(), "within": trust.within.to_dict(), "kappa": trust.kappa},
        "disputed": [
            {"draw": d.position, "topic": d.topic, "doc": d.doc, "grades": d.grades, "adjudicated": d.adjudicated}
            for d in trust.disputed
        ],
        "grades": study.buttons, "confusion": confusion_counts(study, live.prefix), "order_hash": row.order_hash,
        "commitment": study.commitment,
        "notes": sequence.notes() if live.prefix else [],
    }  # fmt: skip


def state_of(verdict: Verdict | Verdicts) -> str:
    """decided | partly decided | leaning | undecided."""
    if isinstance(verdict, Verdicts):
        return "decided" if not verdict.open else "partly decided" if verdict.decided else "undecided"
    if verdict.state != "open":
        return "decided"
    return "leaning" if verdict.leaning is not None and verdict.labels else "undecided"


def outlook(study: Study, live: Live) -> Values:
    """{labels, text}: how many labels are still to come, as a number or a range, and what that rests on."""
    stop, n, total = study.stop, len(live.prefix), len(study.order)
    if stop.budget is not None:
        left = max(min(stop.budget, total) - n, 0)
        return {"labels": f"{left:,}", "text": f"of a budget of {min(stop.budget, total):,}"}
    sequence = live.sequence
    if not n or sequence.decided_at is not None or (stop.kind == "width" and not study.scores):
        return {"labels": "–", "text": "no forecast yet" if not n else ""}
    now, half = sequence.forecast, sequence.forecast_if_half
    if now is None or half is None:
        return {"labels": "–", "text": "no number of labels will decide it"}
    if study.scores:
        return {"labels": f"{max(now - n, 0):,}", "text": "if the experts' grades go on as they are"}
    return {
        "labels": f"{max(now - n, 0):,} to {max(half - n, 0):,}",
        "text": f"{max(now - n, 0):,} if the difference is as large as it looks now, {max(half - n, 0):,} if half",
    }


def headline(verdict: Verdict | Verdicts) -> str:
    """The verdict in a sentence; where there are several, the table below it holds each."""
    return verdict.headline if isinstance(verdict, Verdicts) else str(verdict)


def nearest(verdict: Verdict | Verdicts) -> int:
    """Which of several is looked at first: the open one whose interval is nearest to a decision, else the first."""
    if not isinstance(verdict, Verdicts):
        return 0
    # how far the end nearer to 0 has still to go, in widths of the interval
    far = [
        min(abs(v.low), abs(v.high)) / (v.high - v.low)
        if v.state == "open" and 0 < v.high - v.low < math.inf
        else math.inf
        for v in verdict.each
    ]
    return min(range(len(far)), key=far.__getitem__, default=0)


def curve(live: Live, number: int = 0) -> list[Values]:
    """labels, estimate, low, high of one number that is followed, thinned to what a screen can show."""
    if not live.prefix:
        return []
    rows = live.sequence.looks(number)
    step = max(1, math.ceil(len(rows) / MOST_POINTS))
    return rows[::step] if not rows or (len(rows) - 1) % step == 0 else [*rows[::step], rows[-1]]


def pairs(live: Live) -> list[Values]:
    """The verdict on each of many pairs."""
    verdict = live.sequence.verdict
    if not isinstance(verdict, Verdicts):
        return []
    return [
        {"a": v.a, "b": v.b, "state": v.state, "winner": v.winner, "leaning": v.leaning, "labels": v.labels,
         "low": v.low, "high": v.high}
        for v in verdict.each
    ]  # fmt: skip


def experts(study: Study) -> list[Values]:
    """What each expert has done, and what is open with them."""
    a, p = schema.assignment.c, schema.assessor.c
    with study.store.read() as connection:
        people = connection.execute(
            sa.select(schema.assessor).where(p.study == study.id, p.role == "assessor").order_by(p.id)
        ).all()
        counts = connection.execute(
            sa.select(a.assessor, a.state, sa.func.count().label("n")).group_by(a.assessor, a.state)
        ).all()
    number = {(c.assessor, c.state): c.n for c in counts}
    return [
        {"name": x.name, "joined": x.joined is not None, "judged": number.get((x.id, "graded"), 0),
         "cannot": number.get((x.id, "cannot"), 0), "open": number.get((x.id, "open"), 0),
         "idle": None if x.seen is None else max(time.time() - x.seen, 0.0)}
        for x in people
    ]  # fmt: skip


def pace(study: Study) -> Values:
    """Median seconds per judgment, and the judgments of the last hour."""
    l, i = schema.label.c, schema.item.c
    query = sa.select(l.seconds, l.at).select_from(schema.LOG)
    rows = study.store.rows(query.where(i.study == study.id, l.action.in_(("grade", "cannot"))))
    times = sorted(r.seconds for r in rows if r.seconds is not None)
    since = time.time() - PACE_WINDOW
    recent = sum(r.at >= since for r in rows)
    median = times[len(times) // 2] if times else None
    return {"median_seconds": median, "last_hour": recent}


def _waiting(judgments: list[Judgment], live: Live) -> int:
    """First judgments beyond the completed prefix: they count once the gap before them is closed."""
    return len({j.position for j in judgments if j.role == "first" and j.position > len(live.prefix)})
