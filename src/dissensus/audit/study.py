"""A study: made once, then opened as often as one likes.

    study = new_study(store, runs, judgments, settings, texts)     # the order is committed here
    study = Study.load(StudyStore.open("study.db"))

Runs and judgments are kept in the database, as Parquet: whoever has the study can close it, and replay it.
"""

from __future__ import annotations

import io
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.arrays import Values
from dissensus.audit import schema, seal
from dissensus.audit.assigning import note
from dissensus.audit.planned import Once, Planned, check_documents
from dissensus.audit.settings import Stop, StudySettings, scale_from_json, scale_to_json
from dissensus.audit.store import StudyStore
from dissensus.errors import InputError
from dissensus.inference.correction.design import one_judge
from dissensus.inference.sequential.api import Sequential
from dissensus.tables.design import Frame
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale
from dissensus.work.seeds import generator

if TYPE_CHECKING:
    from dissensus.io.documents import Document
    from dissensus.io.topic_texts import TopicText

MOST_KEYS = 10


@dataclass(frozen=True)
class Texts:
    """What assessors read; a study without texts shows ids."""

    topics: Mapping[str, TopicText] = field(default_factory=dict)
    documents: Mapping[str, Document] = field(default_factory=dict)


@dataclass(frozen=True)
class Person:
    """Somebody with a link."""

    id: int
    name: str
    role: str


@dataclass(frozen=True, eq=False)
class Study:
    """A study in its store; `row` holds what was fixed at the start."""

    store: StudyStore
    id: str
    row: Any

    @classmethod
    def load(cls, store: StudyStore, which: str | None = None, *, check: bool = True) -> Study:
        """The study of a database; where there are several, the one whose title or id is named.

        A study that is not what was written is refused, unless `check` is False.
        """
        rows = store.rows(sa.select(schema.study).order_by(schema.study.c.created))
        fitting = [r for r in rows if which is None or r.title == which or r.id.startswith(which)]
        if len(fitting) == 1:
            found = cls(store, fitting[0].id, fitting[0])
            if check:
                found.seal().refuse(store.name)
            return found
        titles = ", ".join(f"{r.title!r} ({r.id[:8]})" for r in rows) or "none"
        what = f"{len(fitting)} studies" if which is None else f"{len(fitting)} studies called {which!r}"
        raise InputError(f"{store.name} holds {what}.", f"Name one of: {titles}.")

    def seal(self) -> seal.Seal:
        """The chain of hashes, computed anew."""
        with self.store.snapshot() as connection:
            return seal.examine(connection, self.id)

    @property
    def commitment(self) -> str | None:
        """The hash that `audit new` printed; None for a study made before there were seals."""
        return None if self.row.committed is None else seal.sha256(self.row.committed)

    @cached_property
    def scale(self) -> Scale:
        return scale_from_json(self.row.scale)

    @property
    def grades(self) -> tuple[str, ...]:
        return self.scale.names

    @cached_property
    def buttons(self) -> list[dict[str, str]]:
        """What is on the grade buttons: the grade, its key, its name."""
        digits = all(len(g) == 1 and g.isdigit() for g in self.grades)
        names = json.loads(self.row.names)
        return [
            {"grade": g, "key": g if digits else str(i) if i < MOST_KEYS else "", "name": names[i]}
            for i, g in enumerate(self.grades)
        ]

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(json.loads(self.row.systems))

    @property
    def scores(self) -> bool:
        """Is the score of each system asked for, not a difference?"""
        return bool(self.row.scores)

    @property
    def single(self) -> bool:
        """Is there one number to follow: the difference of two systems, or the score of one?"""
        return len(self.systems) == (1 if self.scores else 2)

    @property
    def stop(self) -> Stop:
        return Stop.parse(self.row.stop)

    @cached_property
    def runs(self) -> Runs:
        return Runs.from_frame(self._source("runs"))

    @cached_property
    def judgments(self) -> Judgments:
        return Judgments.from_frame(self._source("judgments"), scale=scale_from_json(self.row.bronze_scale))

    def _source(self, name: str) -> pl.DataFrame:
        c = schema.source.c
        (row,) = self.store.rows(sa.select(c.body).where(c.study == self.id, c.name == name))
        return pl.read_parquet(io.BytesIO(row.body))

    @cached_property
    def planned(self) -> Planned | None:
        """The sample that is judged once; None where a committed order is followed."""
        c = schema.source.c
        if not self.store.rows(sa.select(c.name).where(c.study == self.id, c.name == "sample")):
            return None
        return Planned(self._source("sample"), Frame(self._source("frame")))

    @cached_property
    def order(self) -> list[Any]:
        """position, topic, doc, bronze, rate, next_key of every item, in the committed order."""
        c = schema.item.c
        query = sa.select(c.position, c.topic, c.doc, c.bronze, c.rate, c.next_key)
        return self.store.rows(query.where(c.study == self.id).order_by(c.position))

    def start(self) -> Sequential | Once:
        """What labels are added to, before the first one."""
        return self.engine() if self.planned is None else Once()

    def engine(self, drawn: tuple[str, ...] = (), **options: Any) -> Sequential:
        """The sequence before its first label, on the committed order; `drawn` are the assessors by draw."""
        rows = self.order
        order = pl.DataFrame(
            {
                "topic": [r.topic for r in rows],
                "doc": [r.doc for r in rows],
                "grade": pl.Series([None] * len(rows), dtype=pl.String),
                "draw": [r.position for r in rows],
                "rate": [r.rate for r in rows],
                "next_key": [np.inf if r.next_key is None else r.next_key for r in rows],
                **({"assessor": list(drawn)} if drawn else {}),
            }
        )
        return Sequential(
            self.runs, self.judgments, self.row.measure, self.systems, None, self.row.level,
            margin=self.stop.half_width(self.scores), target=self.row.target, order=order, scale=self.scale,
            scores=self.scores, **options,
        )  # fmt: skip

    def people(self) -> list[Person]:
        """Everybody with a link, in the order of registration."""
        c = schema.assessor.c
        rows = self.store.rows(sa.select(c.id, c.name, c.role).where(c.study == self.id).order_by(c.id))
        return [Person(*row) for row in rows]

    def experts(self) -> list[Person]:
        """Those who judge."""
        return [p for p in self.people() if p.role == "assessor"]

    def current(self) -> Any:
        """The study's row as it is now (opened, stopped, closed)."""
        (row,) = self.store.rows(sa.select(schema.study).where(schema.study.c.id == self.id))
        return row


def plan_order(runs: Runs, judgments: Judgments, settings: StudySettings, assessor: str | None = None) -> Sequential:
    """The sequence that `settings` ask for, its order drawn from their seed: nothing is written yet."""
    settings = _of_one(settings, runs)
    return Sequential(
        runs, one_judge(judgments, assessor), settings.measure, settings.systems, None, settings.level,
        margin=settings.stop.half_width(settings.scores), target=settings.target, seed=settings.seed,
        scale=settings.scale, scores=settings.scores,
    )  # fmt: skip


def _of_one(settings: StudySettings, runs: Runs) -> StudySettings:
    """One system alone can only be asked for its score."""
    return replace(settings, scores=True) if len(runs.systems) == 1 else settings


def new_study(
    store: StudyStore, runs: Runs, judgments: Judgments, settings: StudySettings, texts: Texts | None = None,
    assessor: str | None = None, planned: Planned | None = None,
) -> Study:  # fmt: skip
    """Commit the order, and write the study; nothing can change it afterwards.

    `planned`: a sample that is judged once, instead of an order that may be looked at after every label.
    """
    judge, settings = one_judge(judgments, assessor), _of_one(settings, runs)
    drawn = _drawn(runs, judge, settings) if planned is None else _sampled(runs, judge, settings, planned)
    scale, systems = drawn.scale, drawn.systems
    names = settings.names or scale.names
    if len(names) != len(scale.names):
        raise InputError(f"{len(names)} names for the {len(scale.names)} grades of the scale {scale}.")
    order = drawn.order
    study_id, salt = secrets.token_hex(16), secrets.token_hex(16)
    row: Values = {
        "id": study_id, "salt": salt, "seed_hash": seal.sha256(f"{salt}:{settings.seed}"),
        "order_hash": order_hash(order), "measure": settings.measure, "pair": settings.systems is not None,
        "title": settings.title or default_title(settings, runs),
        "scores": settings.scores, "systems": json.dumps(systems, ensure_ascii=False),
        "target": settings.target,
        "level": settings.level, "stop": str(settings.stop), "scale": scale_to_json(scale),
        "names": json.dumps(names, ensure_ascii=False), "bronze_scale": scale_to_json(judge.scale),
        "judge": judge.assessors[0], "guideline": settings.guideline, "mark_query": settings.mark_query,
        "second_share": settings.second_share, "repeat_share": settings.repeat_share, "created": time.time(),
        "opened": 0, "turns": 0,
    }  # fmt: skip
    with store.write() as connection:
        connection.execute(schema.study.insert().values(**row))
        for name, body in {**_bodies(runs, judge), **({} if planned is None else planned.bodies())}.items():
            connection.execute(schema.source.insert().values(study=study_id, name=name, body=body))
        _write_items(connection, study_id, drawn, settings, texts or Texts())
        people = [(name, "assessor") for name in settings.experts] + [("owner", "owner")]
        connection.execute(
            schema.assessor.insert(),
            [
                {"study": study_id, "name": n, "role": r, "token_hash": seal.sha256(secrets.token_hex())}
                for n, r in people
            ],
        )
        seal.commit(connection, study_id)
        note(connection, study_id, "owner", f"committed the order {row['order_hash'][:12]} of {order.height} documents")
    return Study.load(store, study_id)


def _bodies(runs: Runs, judge: Judgments) -> dict[str, bytes]:
    """The inputs as Parquet."""
    out = {}
    for name, frame in (("runs", runs.to_frame()), ("judgments", judge.to_frame())):
        body = io.BytesIO()
        frame.write_parquet(body)
        out[name] = body.getvalue()
    return out


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What is to be judged: documents in their order, the judge's grades, and what each weighs for each system."""

    order: pl.DataFrame
    scale: Scale
    systems: tuple[str, ...]
    bronze: Mapping[tuple[str, str], str]
    weights: list[tuple[str, str, str, float]] = field(default_factory=list)  # topic, document, system, weight


def _drawn(runs: Runs, judge: Judgments, settings: StudySettings) -> _Drawn:
    """A committed order of a linear measure."""
    sequence = plan_order(runs, judge, settings)
    layout, names = sequence.layout, sequence.layout.names()
    grades = judge.scale.names
    bronze = {n: grades[int(g)] for n, g in zip(names, layout.label, strict=True) if int(g) < len(grades)}
    entries = zip(layout.system.tolist(), layout.item.tolist(), layout.weight.tolist(), strict=True)
    weights = [(*names[i], layout.systems[s], w) for s, i, w in entries]
    return _Drawn(sequence.order, layout.scale, sequence.asked.systems, bronze, weights)


def _sampled(runs: Runs, judge: Judgments, settings: StudySettings, planned: Planned) -> _Drawn:
    """A planned sample of any measure."""
    check_documents(planned, judge)
    bronze = {(t, d): g for t, d, _, g in judge.to_frame().select("topic", "doc", "assessor", "grade").iter_rows()}
    return _Drawn(planned.order, settings.scale or judge.scale, runs.systems, bronze)


def _write_items(connection: Connection, study_id: str, drawn: _Drawn, settings: StudySettings, texts: Texts) -> None:
    order = drawn.order
    draws = generator(settings.seed, 7).random((order.height, 3)).tolist()
    rows = []
    for i, (topic, doc, rate, after) in enumerate(order.select("topic", "doc", "rate", "next_key").iter_rows()):
        asked, text = texts.topics.get(topic), texts.documents.get(doc)
        rows.append(
            {"study": study_id, "topic": topic, "doc": doc, "rate": rate,
             "next_key": after if np.isfinite(after) else None,
             "bronze": drawn.bronze.get((topic, doc)), "position": i + 1,
             "first_draw": draws[i][0], "second_draw": draws[i][1], "repeat_draw": draws[i][2],
             "topic_text": _json(asked, {"query": topic}), "doc_text": _json(text, {"title": doc, "text": ""})}
        )  # fmt: skip
    connection.execute(schema.item.insert(), rows)
    c = schema.item.c
    ids = {(t, d): i for i, t, d in connection.execute(sa.select(c.id, c.topic, c.doc).where(c.study == study_id))}
    weights = [{"item": ids[t, d], "system": s, "w": w} for t, d, s, w in drawn.weights if (t, d) in ids]
    if weights:
        connection.execute(schema.weight.insert(), weights)


def _json(value: Any, otherwise: dict[str, str]) -> str:
    return json.dumps(otherwise if value is None else asdict(value), ensure_ascii=False)


def default_title(settings: StudySettings, runs: Runs) -> str:
    if settings.scores:
        names = settings.systems or runs.systems
        return f"{', '.join(names) if len(names) < 4 else f'{len(names)} systems'}: how good? {settings.measure}"
    if settings.systems is not None:
        return f"{settings.systems[0]} or {settings.systems[1]}? {settings.measure}"
    return f"{len(runs.systems)} systems, {settings.measure}"


def order_hash(order: pl.DataFrame) -> str:
    """sha256 of "draw, topic, document, rate" of all lines: what can be published before the first label."""
    lines = order.select("draw", "topic", "doc", "rate").iter_rows()
    return seal.sha256("".join(f"{n}\t{t}\t{d}\t{float(r)!r}\n" for n, t, d, r in lines))
