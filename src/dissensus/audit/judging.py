"""What an assessor does, in one transaction each: get the next documents, judge one."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.audit import assigning, labelling, schema
from dissensus.audit.study import Study

PREFETCH = 3


def arrive(study: Study, who: int) -> None:
    """An assessor opens the page."""
    with study.store.write() as connection:
        assigning.join(connection, study.id, who)


def upcoming(study: Study, who: int, count: int = PREFETCH) -> list[dict[str, Any]]:
    """The assessor's next documents, as they may see them; a new block is opened where they have none left."""
    with study.store.read() as connection:
        rows = _open(connection, study.id, who, count)
    if rows:
        return [_view(row) for row in rows]
    with study.store.write() as connection:
        assigning.lock(connection, study.id)
        if not _open(connection, study.id, who, 1):
            assigning.open_block(connection, study.id, who)
        return [_view(row) for row in _open(connection, study.id, who, count)]


def judge(study: Study, who: int, entry: labelling.Entry) -> bool:
    """Write an entry; True once it is on disk, False where it was there already."""
    with study.store.write() as connection:
        return labelling.record(connection, study.id, who, entry, study.grades)


def judged(study: Study, who: int) -> int:
    """How many judgments an assessor has made: the only number that their page shows."""
    c = schema.assignment.c
    with study.store.read() as connection:
        return int(
            connection.execute(
                sa.select(sa.func.count()).where(c.assessor == who, c.state.in_(("graded", "cannot")))
            ).scalar_one()
        )


def _open(connection: Connection, study_id: str, who: int, count: int) -> list[Any]:
    """Open assignments; none once the study has stopped or is closed."""
    a, i, s = schema.assignment.c, schema.item.c, schema.study.c
    return list(
        connection.execute(
            sa.select(a.id, i.topic_text, i.doc_text)
            .join(schema.item, i.id == a.item)
            .join(schema.study, s.id == i.study)
            .where(a.assessor == who, a.state == "open", s.id == study_id, s.closed.is_(None), s.stopped_at.is_(None))
            .order_by(a.turn)
            .limit(count)
        )
    )


def _view(row: Any) -> dict[str, Any]:
    """All that an assessor's browser gets of a document: no id, rank, system or label is among it."""
    return {"assignment": row.id, "topic": json.loads(row.topic_text), "document": json.loads(row.doc_text)}
