"""Small studies for tests: a generated collection, its texts, and experts who know the truth."""

from __future__ import annotations

from functools import cache
from typing import Any

import sqlalchemy as sa

from dissensus.audit.judging import arrive, judge, upcoming
from dissensus.audit.labelling import Entry
from dissensus.audit.settings import Stop, StudySettings
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Person, Study, Texts, new_study
from dissensus.io.documents import Document
from dissensus.io.samples import Sample, generated_collection
from dissensus.io.topic_texts import TopicText

MEASURE = "P(rel=2)@5"
PAIR = ("crossenc", "llm-rewrite")


@cache
def sample(topics: int = 6) -> Sample:
    return generated_collection(seed=4, topics=topics)


@cache
def truth(topics: int = 6) -> dict[tuple[str, str], str]:
    return {(t, d): str(g) for t, d, _, g in sample(topics).truth.to_frame().iter_rows()}


@cache
def texts(topics: int = 6) -> Texts:
    """The document's title holds its topic and id, so that a simulated expert can look the truth up."""
    s = sample(topics)
    return Texts(
        {t: TopicText(q, d, n) for t, q, d, n in s.topic_texts.iter_rows()},
        {d: Document(text, f"{d.split('-')[0]} {d}") for d, _, text in s.documents.iter_rows()},
    )


def small_study(store: StudyStore, topics: int = 6, **settings: Any) -> Study:
    given: dict[str, Any] = {"systems": PAIR, "experts": ("ann", "ben"), "seed": 5, **settings}
    if isinstance(given.get("stop"), str):
        given["stop"] = Stop.parse(given["stop"])
    s = sample(topics)
    return new_study(store, s.runs, s.judgments, StudySettings(MEASURE, **given), texts(topics), assessor="llm")


def experts(study: Study, *, joined: bool = True) -> list[Person]:
    people = [p for p in study.people() if p.role == "assessor"]
    if joined:
        for person in people:
            arrive(study, person.id)
    return people


def true_grade(document: dict[str, Any], topics: int = 6) -> str:
    topic, doc = document["document"]["title"].split()
    return truth(topics)[topic, doc]


def log_of(study: Study, table: sa.Table) -> list[Any]:
    """All rows of a table, in the order they were written."""
    with study.store.read() as connection:
        return list(connection.execute(sa.select(table).order_by(table.c.id)))


def grade_next(study: Study, person: Person, request: str, grade: str | None = None) -> dict[str, Any] | None:
    """Judge the next document by the truth; None where there is none."""
    documents = upcoming(study, person.id, 1)
    if not documents:
        return None
    judge(study, person.id, Entry(documents[0]["assignment"], "grade", request, grade or true_grade(documents[0])))
    return documents[0]
