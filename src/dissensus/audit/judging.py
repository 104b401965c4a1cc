"""What an assessor does, in one transaction each: get the next documents, judge one."""

from __future__ import annotations

import json
import math
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.arrays import Values
from dissensus.audit import assigning, labelling, schema
from dissensus.audit.study import Study

PREFETCH = 3

# put together once: every label runs them
_MINE = schema.assignment.c.assessor == sa.bindparam("who")
_STATE = sa.select(
    schema.study.c.closed,
    schema.study.c.stopped_at,
    schema.study.c.opened,
    sa.select(sa.func.count()).where(_MINE, schema.assignment.c.state == "open").scalar_subquery().label("open"),
    sa.select(sa.func.count())
    .where(
        schema.assessor.c.study == sa.bindparam("study"),
        schema.assessor.c.role == "assessor",
        schema.assessor.c.joined.is_not(None),
    )
    .scalar_subquery()
    .label("here"),
    sa.select(sa.func.count())
    .where(_MINE, schema.assignment.c.state.in_(("graded", "cannot")))
    .scalar_subquery()
    .label("judged"),
).where(schema.study.c.id == sa.bindparam("study"))
_OPEN = (
    sa.select(schema.assignment.c.id, schema.item.c.topic_text, schema.item.c.doc_text)
    .join(schema.item, schema.item.c.id == schema.assignment.c.item)
    .join(schema.study, schema.study.c.id == schema.item.c.study)
    .where(
        schema.assignment.c.assessor == sa.bindparam("who"),
        schema.assignment.c.state == "open",
        schema.study.c.id == sa.bindparam("study"),
        schema.study.c.closed.is_(None),
        schema.study.c.stopped_at.is_(None),
    )
    .order_by(schema.assignment.c.turn)
    .limit(sa.bindparam("count"))
)


def arrive(study: Study, who: int) -> None:
    """An assessor opens the page."""
    with study.store.write() as connection:
        assigning.join(connection, study.id, who)


def upcoming(study: Study, who: int, count: int = PREFETCH) -> list[Values]:
    """The assessor's next documents, as they may see them; a new block is opened where they have none left."""
    return list(situation(study, who, count)["documents"])


def situation(study: Study, who: int, count: int = PREFETCH) -> Values:
    """{documents, judged, left, sure, over}: all that an assessor's page asks for."""
    with study.store.read() as connection:
        found = _situation(connection, study, who, count)
    return found if found["documents"] or found["over"] else _with_new_block(study, who, count)


def _with_new_block(study: Study, who: int, count: int) -> dict[str, object]:
    with study.store.write() as connection:
        assigning.lock(connection, study.id)
        if not _open(connection, study.id, who, 1):
            assigning.open_block(connection, study.id, who)
        return _situation(connection, study, who, count)


def judge(study: Study, who: int, entry: labelling.Entry) -> bool:
    """Write an entry; True once it is on disk, False where it was there already."""
    with study.store.write() as connection:
        return labelling.record(connection, study.id, who, entry, study.grades)


def judge_and_go_on(study: Study, who: int, entry: labelling.Entry) -> dict[str, object]:
    """Write an entry, and what comes next, in one transaction; returns when it is on disk."""
    with study.store.write() as connection:
        labelling.record(connection, study.id, who, entry, study.grades)
        found = _situation(connection, study, who, PREFETCH)
    return found if found["documents"] or found["over"] else _with_new_block(study, who, PREFETCH)


def judged(study: Study, who: int) -> int:
    """How many judgments an assessor has made."""
    with study.store.read() as connection:
        return int(_situation(connection, study, who, 1)["judged"])


def _situation(connection: Connection, study: Study, who: int, count: int) -> Values:
    row = connection.execute(_STATE, {"study": study.id, "who": who}).one()
    over = row.closed is not None or row.stopped_at is not None
    documents = [] if over else [_view(r) for r in _open(connection, study.id, who, count)]
    budget, total = study.stop.budget, len(study.order)
    to_come = max((total if budget is None else min(budget, total)) - row.opened, 0)
    left = 0 if over else int(row.open) + math.ceil(to_come / max(int(row.here), 1))
    return {"documents": documents, "judged": int(row.judged), "left": left, "sure": budget is not None, "over": over}


def _open(connection: Connection, study_id: str, who: int, count: int) -> list[Any]:
    """Open assignments; none once the study has stopped or is closed."""
    return list(connection.execute(_OPEN, {"study": study_id, "who": who, "count": count}))


def _view(row: Any) -> Values:
    """All that an assessor's browser gets of a document: no id, rank, system or label is among it."""
    return {"assignment": row.id, "topic": json.loads(row.topic_text), "document": json.loads(row.doc_text)}
