"""Writing the log: one row and one transaction per label, acknowledged after the commit.

A request carries an id of its own. The same request sent again (a lost answer, a double click) finds its row and
changes nothing; another request with a used id is refused. Undo and skip are rows, too: nothing is overwritten.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal, get_args

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.arrays import Values
from dissensus.audit import assigning
from dissensus.audit.schema import assessor, assignment, item, label
from dissensus.audit.seal import label_row, link
from dissensus.errors import InputError

Action = Literal["grade", "cannot", "skip", "undo"]
LONGEST_COMMENT, LONGEST_REQUEST, MOST_SECONDS, MOST_NUMBER = 2000, 64, 86_400.0, 2**53
# statements that every label runs are put together once: building one costs more than running it
_GIVEN = (
    sa.select(assignment, item.c.study, item.c.position)
    .join(item, item.c.id == assignment.c.item)
    .where(assignment.c.id == sa.bindparam("assignment"))
)
_OLD = sa.select(label).where(label.c.request == sa.bindparam("request"))
_ADD = label.insert()
_CHANGE = assignment.update().where(assignment.c.id == sa.bindparam("which"))
_SEEN = assessor.update().where(assessor.c.id == sa.bindparam("who")).values(seen=sa.bindparam("now"))
_GRADES = (
    sa.select(assignment.c.role, label.c.grade)
    .join(label, label.c.assignment == assignment.c.id)
    .where(
        assignment.c.item == sa.bindparam("item"),
        assignment.c.role.in_(("first", "second")),
        assignment.c.state == "graded",
        label.c.action == "grade",
    )
    .order_by(label.c.id)
)
AFTER = {"grade": "graded", "cannot": "cannot", "skip": "open", "undo": "open"}


class Refused(InputError):
    """A label that the study does not take; `status` is the answer's number on the web."""

    def __init__(self, what: str, *ways_out: str, status: int = 409) -> None:
        super().__init__(what, *ways_out)
        self.status = status


@dataclass(frozen=True)
class Entry:
    """What an assessor does to one assignment."""

    assignment: int
    action: Action
    request: str
    grade: str | None = None
    cannot: str | None = None
    comment: str | None = None
    seconds: float | None = None
    at: float | None = None  # when it was made, where that is not now (a page that came by mail)

    def check(self, grades: tuple[str, ...]) -> None:
        """Refuse what cannot be a label of this study."""
        if self.action not in get_args(Action):
            raise Refused(f"the action {self.action!r} is not one of {', '.join(get_args(Action))}.", status=400)
        if not 1 <= len(self.request) <= LONGEST_REQUEST or not _storable(self.request):
            raise Refused(f"a request's id has 1 to {LONGEST_REQUEST} characters of plain text.", status=400)
        if not 0 < self.assignment < MOST_NUMBER:
            raise Refused("the assignment is not a number that we gave out.", status=400)
        if (self.action == "grade") != (self.grade is not None):
            raise Refused("a grade belongs to the action 'grade', and to no other.", status=400)
        if self.grade is not None and self.grade not in grades:
            raise Refused(f"the grade {self.grade!r} is not on the scale {', '.join(grades)}.", status=400)
        if (self.action == "cannot") != (self.cannot is not None):
            raise Refused("a reason belongs to the action 'cannot', and to no other.", status=400)
        if self.cannot is not None and not self.cannot.strip():
            raise Refused("say why it cannot be judged.", status=400)
        for text in (self.cannot, self.comment):
            if text is not None and (len(text) > LONGEST_COMMENT or not _storable(text)):
                raise Refused(f"a comment is plain text of at most {LONGEST_COMMENT:,} characters.", status=400)
        if self.seconds is not None and not 0 <= self.seconds <= MOST_SECONDS:
            raise Refused(f"{str(self.seconds)[:20]} seconds are not between 0 and a day.", status=400)
        if self.at is not None and not 0 <= self.at <= MOST_NUMBER:
            raise Refused("the time is not one of a calendar.", status=400)


def _storable(text: str) -> bool:
    """Can every database keep this text? Half of a character (a lone surrogate) and NUL cannot be kept."""
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def record(connection: Connection, study_id: str, who: int, entry: Entry, grades: tuple[str, ...]) -> bool:
    """Add an entry to the log; False where this request is in it already."""
    entry.check(grades)
    row = assigning.lock(connection, study_id)
    given = connection.execute(_GIVEN, {"assignment": entry.assignment}).first()
    if given is None or given.assessor != who or given.study != study_id:
        raise Refused(f"assignment {entry.assignment} is not one of yours.", status=404)
    if _seen_before(connection, entry):
        return False
    if row.closed is not None:
        raise Refused("the study is closed.")
    _check_state(connection, given, entry)
    now = time.time()
    add_row(connection, study_id, given, entry, now)
    changed: Values = {"state": AFTER[entry.action]}
    if entry.action == "skip":
        changed["turn"] = _turn(connection, who, sa.func.max) + 1
    elif entry.action == "undo":
        changed["turn"] = _turn(connection, who, sa.func.min) - 1
    connection.execute(_CHANGE, {**changed, "which": entry.assignment})
    connection.execute(_SEEN, {"who": who, "now": now})
    _follow_up(connection, study_id, given, entry)
    return True


def add_row(connection: Connection, study_id: str, given: Any, entry: Entry, now: float) -> None:
    """Write the row and its link in the chain; `given` is the assignment with the position of its document."""
    seconds = None if entry.seconds is None else float(entry.seconds)
    at = float(now if entry.at is None else entry.at)
    values = {"action": entry.action, "grade": entry.grade, "cannot": entry.cannot, "comment": entry.comment or None,
              "seconds": seconds, "at": at, "request": entry.request}  # fmt: skip
    row = label_row(given.position, given.role, given.attempt, given.assessor, values)
    place = link(connection, study_id, "label", row)
    connection.execute(_ADD, {"assignment": given.id, **values, **place})


def _seen_before(connection: Connection, entry: Entry) -> bool:
    old = connection.execute(_OLD, {"request": entry.request}).first()
    if old is None:
        return False
    if (old.assignment, old.action, old.grade, old.cannot) != (
        entry.assignment, entry.action, entry.grade, entry.cannot
    ):  # fmt: skip
        raise Refused("this request's id was used for something else.")
    return True


def _check_state(connection: Connection, given: Any, entry: Entry) -> None:
    if entry.action != "undo":
        if given.state != "open":
            raise Refused(f"assignment {given.id} is {given.state} already.", "Undo it first.")
        return
    if given.state not in ("graded", "cannot"):
        raise Refused(f"assignment {given.id} has nothing to undo.")
    later = connection.execute(
        sa.select(assignment).where(
            assignment.c.item == given.item,
            assignment.c.id != given.id,
            sa.or_(
                (assignment.c.role == given.role) & (assignment.c.attempt > given.attempt),
                (assignment.c.role == "adjudicate") & (given.role != "adjudicate"),
            ),
        )
    ).all()
    if any(row.state not in ("open", "released") for row in later):
        raise Refused("somebody else has judged this document since.")
    for row in later:  # given to somebody who has not judged it yet: taken back
        connection.execute(assignment.update().where(assignment.c.id == row.id).values(state="released"))


def _follow_up(connection: Connection, study_id: str, given: Any, entry: Entry) -> None:
    """What a label sets off: another assessor where somebody cannot judge, a third one where two differ."""
    if entry.action == "cannot" and given.role == "first":
        assigning.pass_on(connection, study_id, given.item)
    if entry.action == "grade" and given.role in ("first", "second"):
        grades = current_grades(connection, given.item)
        if len(grades) == 2 and len(set(grades.values())) == 2:
            there = sa.select(assignment.c.id).where(
                assignment.c.item == given.item,
                assignment.c.role == "adjudicate",
                assignment.c.state != "released",
            )
            if connection.execute(there).first() is None:
                assigning.pass_on(connection, study_id, given.item, "adjudicate")


def current_grades(connection: Connection, item_id: int) -> dict[str, str]:
    """{role: grade} of a document's first and second judgment, where they are made."""
    rows = connection.execute(_GRADES, {"item": item_id})
    return {str(r.role): str(r.grade) for r in rows}


def _turn(connection: Connection, who: int, end: Any) -> int:
    """The first or last turn among the documents that an assessor has open."""
    query = sa.select(end(assignment.c.turn)).where(assignment.c.assessor == who, assignment.c.state == "open")
    return int(connection.execute(query).scalar() or 0)
