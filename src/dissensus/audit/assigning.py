"""Who judges what: documents are given out in blocks along the committed order, assessors drawn by the study's seed.

A block has ten positions per assessor who is there. Each position's first assessor is the one that its committed random
number chooses among those who have joined: who judges a document never depends on the document, nor on who is quick.
Within a block an assessor's documents are grouped by topic. A seeded share goes to a second assessor, another back to
the first one, two blocks later. What somebody cannot judge, or has left lying for half an hour, goes to another
assessor as a new attempt. One item in one role and attempt has one row: the database refuses a second.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.audit.schema import assessor, assignment, event, item, label, study
from dissensus.audit.seal import link
from dissensus.audit.settings import Stop

BLOCK = 10  # positions per assessor
PATIENCE = 1800.0  # seconds without a sign of an assessor after which open documents go to others
REPEAT_AFTER = 2 * BLOCK  # documents that lie between an assessor's first look and the second one

# statements of blocks are put together once: building them costs more than running them
_LOCK = sa.select(study).where(study.c.id == sa.bindparam("study")).with_for_update()
_POSITIONS = (
    sa.select(item.c.id, item.c.topic, item.c.position, item.c.first_draw, item.c.second_draw)
    .where(
        item.c.study == sa.bindparam("study"),
        item.c.position > sa.bindparam("opened"),
        item.c.position <= sa.bindparam("last"),
    )
    .order_by(item.c.position)
)


def _old_firsts() -> Any:
    """An assessor's first judgments that may come back, with the number of documents judged `since`."""
    done, again, mine, own = (assignment.alias(n) for n in ("done", "again", "mine", "own"))
    late = label.alias("late")
    last = sa.select(sa.func.max(label.c.id)).where(label.c.assignment == done.c.id).correlate(done).scalar_subquery()
    since = (
        sa.select(sa.func.count(sa.distinct(late.c.assignment)))
        .join(mine, mine.c.id == late.c.assignment)
        .where(mine.c.assessor == sa.bindparam("who"), late.c.id > last)
        .correlate(done)
        .scalar_subquery()
    )
    judged = sa.select(sa.func.count()).where(own.c.assessor == sa.bindparam("who"), own.c.state != "open")
    return (
        sa.select(item.c.id, item.c.topic, item.c.position, since.label("since"))
        .join(done, done.c.item == item.c.id)
        .outerjoin(again, (again.c.item == item.c.id) & (again.c.role == "repeat"))
        .where(
            item.c.study == sa.bindparam("study"),
            item.c.repeat_draw < sa.bindparam("share"),
            done.c.assessor == sa.bindparam("who"),
            done.c.role == "first",
            done.c.state == "graded",
            again.c.id.is_(None),
            judged.scalar_subquery() >= REPEAT_AFTER,
        )
    )


def _missing() -> Any:
    """Last attempts at a first judgment that were given up, on documents that an assessor has not had."""
    later = assignment.alias("later")
    mine = sa.select(assignment.c.item).where(
        assignment.c.assessor == sa.bindparam("who"), assignment.c.state != "released"
    )
    newer = sa.select(later.c.id).where(
        later.c.item == assignment.c.item,
        later.c.role == "first",
        later.c.state != "released",
        later.c.attempt > assignment.c.attempt,
    )
    away = (assignment.c.state == "open") & (sa.func.coalesce(assessor.c.seen, 0.0) < sa.bindparam("gone"))
    return (
        sa.select(assignment.c.id, assignment.c.item, assignment.c.state, item.c.topic, item.c.position)
        .join(item, item.c.id == assignment.c.item)
        .join(assessor, assessor.c.id == assignment.c.assessor)
        .where(
            item.c.study == sa.bindparam("study"),
            assignment.c.role == "first",
            sa.or_(assignment.c.state == "cannot", away),
            assignment.c.item.not_in(mine),
            ~newer.exists(),
        )
        .order_by(item.c.position)
    )


_OLD_FIRSTS, _MISSING = _old_firsts(), _missing()


@dataclass(frozen=True)
class Place:
    """One document to be given to one person."""

    item: int
    assessor: int
    role: str
    attempt: int = 0
    topic: str = ""
    position: int = 0


def lock(connection: Connection, study_id: str) -> Any:
    """The study's row, locked until the transaction ends: writers of one study take turns."""
    return connection.execute(_LOCK, {"study": study_id}).one()


def note(connection: Connection, study_id: str, who: str, what: str) -> None:
    """Add an event to the log."""
    now = time.time()
    place = link(connection, study_id, "event", [now, who, what])
    connection.execute(event.insert().values(study=study_id, at=now, who=who, what=what, **place))


def present(connection: Connection, study_id: str) -> list[int]:
    """The assessors who have joined, in the order of their registration."""
    rows = connection.execute(
        sa.select(assessor.c.id)
        .where(assessor.c.study == study_id, assessor.c.role == "assessor", assessor.c.joined.is_not(None))
        .order_by(assessor.c.id)
    )
    return [int(i) for i in rows.scalars()]


def join(connection: Connection, study_id: str, who: int) -> None:
    """An assessor opened the page for the first time (or gets a page by mail)."""
    now = time.time()
    row = connection.execute(sa.select(assessor).where(assessor.c.id == who)).one()
    if row.joined is None:
        connection.execute(assessor.update().where(assessor.c.id == who).values(joined=now, seen=now))
        note(connection, study_id, row.name, "joined")
    else:
        connection.execute(assessor.update().where(assessor.c.id == who).values(seen=now))


def chosen(draw: float, among: list[int]) -> int:
    """The assessor that a uniform number chooses."""
    return among[min(int(draw * len(among)), len(among) - 1)]


def open_block(connection: Connection, study_id: str, who: int) -> bool:
    """Give out the next block, and what others left; True where `who` got something. The study must be locked."""
    row = lock(connection, study_id)
    if row.closed is not None or row.stopped_at is not None:
        return False
    here = present(connection, study_id)
    places = [*_left_behind(connection, study_id, who), *_repeats(connection, study_id, row, who)]
    got = any(p.assessor == who for p in places)
    opened, budget = row.opened, Stop.parse(row.stop).budget
    # somebody who is quick may find a whole block without a document for them: go on until there is one
    while not got:
        last = opened + BLOCK * len(here)
        block = _positions(connection, study_id, opened, last if budget is None else min(last, budget))
        if not block:
            break
        opened = block[-1].position
        places += _block(block, here, row.second_share)
        got = any(p.assessor == who for p in places)
    _give(connection, study_id, row, opened, places)
    return got


def open_through(connection: Connection, study_id: str, position: int) -> None:
    """Give out all positions up to this one, among those who have joined: for work without a server."""
    row = lock(connection, study_id)
    here = present(connection, study_id)
    budget = Stop.parse(row.stop).budget
    last = position if budget is None else min(position, budget)
    if row.closed is not None or row.stopped_at is not None or not here or last <= row.opened:
        return
    block = _positions(connection, study_id, row.opened, last)
    if block:
        _give(connection, study_id, row, block[-1].position, _block(block, here, row.second_share))


def _positions(connection: Connection, study_id: str, opened: int, last: int) -> list[Any]:
    return list(connection.execute(_POSITIONS, {"study": study_id, "opened": opened, "last": last}))


def _block(rows: list[Any], here: list[int], share: float) -> list[Place]:
    """First and second assessors of a block's positions."""
    places = []
    for row in rows:
        first = chosen(row.first_draw, here)
        places.append(Place(row.id, first, "first", 0, row.topic, row.position))
        others = [a for a in here if a != first]
        if others and row.second_draw < share:
            second = chosen(row.second_draw / share, others)
            places.append(Place(row.id, second, "second", 0, row.topic, row.position))
    return places


def _repeats(connection: Connection, study_id: str, row: Any, who: int) -> list[Place]:
    """Documents that come back to the assessor who judged them first, at least twenty documents later."""
    values = {"study": study_id, "share": row.repeat_share, "who": who}
    rows = connection.execute(_OLD_FIRSTS, values).all()
    return [Place(r.id, who, "repeat", 0, r.topic, r.position) for r in rows if r.since >= REPEAT_AFTER]


def _left_behind(connection: Connection, study_id: str, who: int) -> list[Place]:
    """First judgments that are missing although their turn is over, for `who` to make: nobody else could, or came.

    A document that `who` has had in any role is never among them.
    """
    values = {"study": study_id, "who": who, "gone": time.time() - PATIENCE}
    rows = connection.execute(_MISSING, values).all()
    for row in rows:
        if row.state == "open":
            connection.execute(assignment.update().where(assignment.c.id == row.id).values(state="released"))
            note(connection, study_id, "server", f"assignment {row.id} released: its assessor is away")
    return [Place(r.item, who, "first", _next_attempt(connection, r.item), r.topic, r.position) for r in rows]


def _next_attempt(connection: Connection, item_id: int, role: str = "first") -> int:
    last = sa.select(sa.func.max(assignment.c.attempt)).where(assignment.c.item == item_id, assignment.c.role == role)
    found = connection.execute(last).scalar()
    return 0 if found is None else int(found) + 1


def pass_on(connection: Connection, study_id: str, item_id: int, role: str = "first") -> bool:
    """Give a document to somebody who is there and has not had it; False where there is nobody.

    In the role "first" because its assessor cannot judge it, in the role "adjudicate" because two differ.
    """
    had = sa.select(assignment.c.assessor).where(assignment.c.item == item_id, assignment.c.state != "released")
    taken = set(connection.execute(had).scalars())
    others = [a for a in present(connection, study_id) if a not in taken]
    if not others:
        return False
    draw = connection.execute(sa.select(item.c.first_draw).where(item.c.id == item_id)).scalar_one()
    place = Place(item_id, chosen(draw, others), role, _next_attempt(connection, item_id, role))
    row = lock(connection, study_id)
    _give(connection, study_id, row, row.opened, [place])
    return True


def _give(connection: Connection, study_id: str, row: Any, opened: int, places: list[Place]) -> None:
    """Write the assignments: an assessor's share of a block by topic, the topics in the order they are first drawn.

    `opened` is the last position that has been given out with them.
    """
    if not places:
        return
    now = time.time()
    first_seen: dict[str, int] = {}
    for p in sorted(places, key=lambda p: p.position):
        first_seen.setdefault(p.topic, p.position)
    ordered = sorted(places, key=lambda p: (first_seen[p.topic], p.topic, p.position, p.role))
    connection.execute(
        assignment.insert(),
        [
            {"item": p.item, "assessor": p.assessor, "role": p.role, "attempt": p.attempt, "given_at": now,
             "turn": row.turns + i, "state": "open"}
            for i, p in enumerate(ordered)
        ],
    )  # fmt: skip
    connection.execute(
        study.update().where(study.c.id == study_id).values(opened=opened, turns=row.turns + len(ordered))
    )
    given = Counter(p.role for p in ordered)
    note(connection, study_id, "server", "gave out " + ", ".join(f"{n} {role}" for role, n in sorted(given.items())))
