"""The sequence behind a study, brought up to date from its log.

Labels may arrive in any order and be undone; the sequence advances along the completed prefix of the committed order
only. Reading the log from its first row, or row by row as they come, gives the same numbers to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.audit import schema
from dissensus.audit.assigning import lock, note
from dissensus.audit.planned import Once
from dissensus.audit.study import Study
from dissensus.inference.sequential.api import Sequential


@dataclass
class Live:
    """`refresh` reads what is new in the log; `sequence` then holds every look at the completed prefix."""

    study: Study
    sequence: Sequential | Once = field(init=False)
    prefix: list[str | None] = field(default_factory=list)  # grades along the order; None: no assessor could judge
    last: int = 0
    _states: dict[int, dict[int, tuple[str, str | None]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sequence = self.study.start()

    def refresh(self) -> bool:
        """Read new rows of the log; True where the prefix changed."""
        with self.study.store.read() as connection:
            touched = self._read(connection)
            if not touched:
                return False
            before = len(self.prefix)
            changed = [p for p in touched if p <= before and self._result(connection, p) != (self.prefix[p - 1],)]
            if changed:  # an undo behind the front: follow everything again
                self.prefix = []
            start = len(self.prefix)
            while (found := self._result(connection, len(self.prefix) + 1)) is not None:
                self.prefix.append(found[0])
        if changed:
            self.sequence = self.study.start()
        rows = self.study.order
        # the first document last: then all labels are read in one go
        for position in range(len(self.prefix), start, -1):
            row = rows[position - 1]
            self.sequence.add(row.topic, row.doc, self.prefix[position - 1])
        return bool(changed) or len(self.prefix) > start

    def _read(self, connection: Connection) -> list[int]:
        """Positions whose first judgment has new rows."""
        label, assignment, item = schema.label.c, schema.assignment.c, schema.item.c
        rows = connection.execute(
            sa.select(label.id, label.action, label.grade, assignment.attempt, assignment.role, item.position)
            .select_from(schema.LOG)
            .where(item.study == self.study.id, label.id > self.last)
            .order_by(label.id)
        )
        touched = []
        for row in rows:
            self.last = row.id
            if row.role == "first":
                self._states.setdefault(row.position, {})[row.attempt] = (row.action, row.grade)
                touched.append(row.position)
        return touched

    def _result(self, connection: Connection, position: int) -> tuple[str | None] | None:
        """(grade,) of a position, (None,) where no assessor can judge it, None where it is still open."""
        states = self._states.get(position, {})
        for attempt in sorted(states, reverse=True):
            action, grade = states[attempt]
            if action == "grade":
                return (grade,)
            if action == "cannot":
                return None if self._open_attempt(connection, position) else (None,)
        return None

    def _open_attempt(self, connection: Connection, position: int) -> bool:
        assignment, item = schema.assignment.c, schema.item.c
        here = (item.study == self.study.id) & (item.position == position)
        open_first = (assignment.role == "first") & (assignment.state == "open")
        query = sa.select(assignment.id).select_from(schema.GIVEN).where(here, open_first)
        return connection.execute(query).first() is not None

    # ── the stop rule ──
    def stop_at(self) -> int | None:
        """Labels of the prefix at which the stop rule was met first; None while it is not."""
        stop = self.study.stop
        n, total = len(self.prefix), len(self.study.order)
        if stop.kind == "budget":
            wanted = min(int(stop.value or 0), total)
            return wanted if n >= wanted else None
        asked = stop.kind in ("decided", "margin") or self.study.scores  # the sequence itself knows when
        met = self.sequence.decided_at if asked else self._narrow_at(float(stop.value or 0))
        return met if met is not None else total if n >= total else None

    def _narrow_at(self, width: float) -> int | None:
        """The first look at which every interval is at most `width` wide."""
        table = self.sequence.table
        if table.is_empty():
            return None
        widest = table.group_by("labels").agg(wide=(pl.col("high") - pl.col("low")).max())
        hits = widest.filter(pl.col("wide") <= width)["labels"]
        return min(hits, default=None)

    def mark_stop(self) -> int | None:
        """Write down that the stop rule is met, once; returns the labels at which it was."""
        at = self.stop_at()
        if at is None:
            return None
        with self.study.store.write() as connection:
            row: Any = lock(connection, self.study.id)
            if row.stopped_at is not None:
                return int(row.stopped_at)
            if row.closed is None:
                connection.execute(
                    schema.study.update().where(schema.study.c.id == self.study.id).values(stopped_at=at)
                )
                note(connection, self.study.id, "server", f"stop rule {self.study.stop} met after {at} labels")
        return at
