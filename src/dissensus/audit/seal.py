"""The seal: a chain of hashes from what was committed through every label and event.

    h₀ = sha256(committed)        hashes of settings, order with rates, texts, weights, runs, judgments, people
    hₙ = sha256(hₙ₋₁ ‖ [n, kind, row])        kind: label or event; an undo is a label row like any other

`audit new` prints h₀, the commitment. With it, kept elsewhere, you can prove later that settings, order and rates are
those of that day. A later hash proves all rows up to it. Without such a hash a study can only be shown to be consistent
with itself: somebody who changes a row can compute the chain anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.arrays import Values
from dissensus.audit.schema import GIVEN, assessor, assignment, event, item, label, source, study, weight
from dissensus.errors import FileError

SETTINGS = (
    "id", "title", "seed_hash", "salt", "order_hash", "measure", "systems", "pair", "scores", "target", "level", "stop",
    "scale", "names", "bronze_scale", "judge", "guideline", "mark_query", "second_share", "repeat_share",
)  # fmt: skip
_HEAD = sa.select(study.c.head, study.c.entries).where(study.c.id == sa.bindparam("study")).with_for_update()
_ADVANCE = study.update().where(study.c.id == sa.bindparam("which"))
STATES = {"grade": {"graded"}, "cannot": {"cannot"}, "skip": {"open", "released"}, "undo": {"open", "released"}}


@dataclass(frozen=True)
class Seal:
    """What was found when the chain was computed anew; `hashes[n]` is the hash after n rows, [0] the commitment."""

    sealed: bool
    hashes: tuple[str, ...] = ()
    labels: int = 0
    problems: tuple[str, ...] = ()

    @property
    def commitment(self) -> str | None:
        return self.hashes[0] if self.hashes else None

    @property
    def head(self) -> str | None:
        return self.hashes[-1] if self.hashes else None

    def refuse(self, name: str) -> None:
        """An error where something does not fit."""
        if self.problems:
            raise FileError(
                f"{name} was changed after it was written: {self.problems[0]}.",
                f"See all that changed: dissensus audit verify {name}",
                "Restore a backup: dissensus audit restore",
            )


def sha256(*parts: str | bytes) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part)
    return found.hexdigest()


def text(value: object) -> str:
    """A value in its one form: sorted keys, no spaces, shortest floats."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def lines(rows: Iterable[Any]) -> str:
    """One hash of many rows."""
    found = hashlib.sha256()
    for row in rows:
        found.update(text(list(row)).encode() + b"\n")
    return found.hexdigest()


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def commit(connection: Connection, study_id: str) -> str:
    """Begin the chain of a new study; returns the commitment."""
    committed = text(parts(connection, study_id))
    first = sha256(committed)
    values = {"committed": committed, "head": first, "entries": 0}
    connection.execute(study.update().where(study.c.id == study_id).values(**values))
    return first


def link(connection: Connection, study_id: str, kind: str, row: list[Any]) -> Values:
    """{n, hash} of a row that is about to be written; nothing for a study made before there was a chain."""
    head, entries = connection.execute(_HEAD, {"study": study_id}).one()
    if head is None:
        return {}
    n = int(entries) + 1
    found = next_hash(head, n, kind, row)
    connection.execute(_ADVANCE, {"which": study_id, "head": found, "entries": n})
    return {"n": n, "hash": found}


def next_hash(head: str, n: int, kind: str, row: list[object]) -> str:
    return sha256(head, text([n, kind, row]))


def label_row(position: int, role: str, attempt: int, who: int, values: Values) -> list[Any]:
    """What the chain holds of a label: which document in which role, who, and all that they said."""
    said = [values.get(k) for k in ("action", "grade", "cannot", "comment", "seconds", "at", "request")]
    return [position, role, attempt, who, *said]


# ── computing it anew ────────────────────────────────────────────────────────────────────────────────────────────────
def parts(connection: Connection, study_id: str) -> dict[str, str]:
    """The hash of each part of what is committed."""
    i, p = item.c, assessor.c
    row = connection.execute(sa.select(study).where(study.c.id == study_id)).one()
    here = i.study == study_id
    order = sa.select(
        i.position, i.topic, i.doc, i.bronze, i.rate, i.next_key, i.first_draw, i.second_draw, i.repeat_draw
    ).where(here)  # fmt: skip
    weights = sa.select(i.position, weight.c.system, weight.c.w).join(item, i.id == weight.c.item).where(here)
    people = sa.select(p.id, p.name, p.role).where(p.study == study_id).order_by(p.id)
    inputs = connection.execute(sa.select(source.c.name, source.c.body).where(source.c.study == study_id))
    return {
        "settings": lines([[k, getattr(row, k)] for k in SETTINGS]),
        "order": lines(connection.execute(order.order_by(i.position))),
        "weights": lines(sorted(map(tuple, connection.execute(weights)))),
        "texts": lines(connection.execute(sa.select(i.topic_text, i.doc_text).where(here).order_by(i.position))),
        "people": lines(connection.execute(people)),
        **{name: sha256(bytes(body)) for name, body in sorted(map(tuple, inputs))},
    }


def examine(connection: Connection, study_id: str) -> Seal:
    """Compute the whole chain again, and say what does not fit."""
    row = connection.execute(sa.select(study).where(study.c.id == study_id)).one()
    if row.committed is None or row.head is None:
        return Seal(False)
    problems = list(_differing(row.committed, parts(connection, study_id)))
    hashes, kept = [sha256(row.committed)], 0
    for n, (place, kind, content, found) in enumerate(_rows(connection, study_id), 1):
        expected = next_hash(hashes[-1], n, kind, content)
        if place != n:
            lost = f"row {n} of the log is gone"
            problems.append(lost if place is not None else f"the log has a row ({kind}) that is not in the chain")
            break
        if found != expected:
            problems.append(f"row {n} of the log ({kind}) is not what was written")
            break
        hashes.append(expected)
        kept += kind == "label"
    if not problems and (len(hashes) - 1 != row.entries or hashes[-1] != row.head):
        problems.append(f"the log ends after {len(hashes) - 1} of {row.entries} rows")
    problems += _inconsistent(connection, row)
    return Seal(True, tuple(hashes), kept, tuple(problems))


def _differing(committed: str, now: dict[str, str]) -> Iterator[str]:
    try:
        then = dict(json.loads(committed))
    except (ValueError, TypeError):
        yield "what it committed to cannot be read"
        return
    for name in sorted({*then, *now}):
        if then.get(name) != now.get(name):
            yield f"the {name} {'is' if name == 'order' else 'are'} not what was committed"


def _rows(connection: Connection, study_id: str) -> list[tuple[int | None, str, list[object], str | None]]:
    """(n, kind, what the chain holds of it, hash) of every label and event, along the chain."""
    a, i, l = assignment.c, item.c, label.c
    said = (l.action, l.grade, l.cannot, l.comment, l.seconds, l.at, l.request)
    labels = sa.select(l.n, l.hash, i.position, a.role, a.attempt, a.assessor, *said).select_from(label.join(GIVEN))
    events = sa.select(event.c.n, event.c.hash, event.c.at, event.c.who, event.c.what).where(event.c.study == study_id)
    rows = [(r[0], "label", list(r[2:]), r[1]) for r in connection.execute(labels.where(i.study == study_id))]
    rows += [(r[0], "event", list(r[2:]), r[1]) for r in connection.execute(events)]
    return sorted(rows, key=lambda r: (r[0] is not None, r[0] or 0))


def _inconsistent(connection: Connection, row: Any) -> Iterator[str]:
    """What is kept beside the log must follow from it."""
    a, i, l = assignment.c, item.c, label.c
    last = sa.select(sa.func.max(l.id).label("last")).group_by(l.assignment).subquery()
    mine = sa.select(a.id, a.state).select_from(GIVEN).where(i.study == row.id)
    given = {r.id: r.state for r in connection.execute(mine)}
    ends = sa.select(l.assignment, l.action).join(last, last.c.last == l.id)
    actions = {r.assignment: r.action for r in connection.execute(ends) if r.assignment in given}
    for key, state in given.items():
        if state not in STATES.get(actions.get(key, "skip"), ()):
            yield f"assignment {key} is {state!r}, and the log says otherwise"
            break
    said = set(connection.execute(sa.select(event.c.what).where(event.c.study == row.id)).scalars())
    if row.stopped_at is not None and f"stop rule {row.stop} met after {row.stopped_at} labels" not in said:
        yield "the label at which it stopped is not that of the log"
    if (row.closed is not None) != any(what.startswith("closed after ") for what in said):
        yield "whether it is closed is not what the log says"
