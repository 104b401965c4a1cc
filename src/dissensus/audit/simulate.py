"""Experts who judge by rule, for demonstrations, tests and load: they use the study as people do, through `judging`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sqlalchemy as sa

from dissensus.audit import schema
from dissensus.audit.judging import arrive, judge, upcoming
from dissensus.audit.labelling import Entry
from dissensus.audit.live import Live
from dissensus.audit.people import kept_tokens
from dissensus.audit.settings import StudySettings
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study, new_study
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.work.seeds import generator


def example_study(place: str | Path) -> Study:
    """A small study of two systems in a new file, as examples need one; it is closed again."""
    runs = {
        s: {f"q{q}": {f"d{i}": float((i * up + q) % 9) for i in range(9)} for q in range(12)}
        for s, up in (("A", 2), ("B", 5))
    }
    judge = {"llm": {f"q{q}": {f"d{i}": (i + q) % 2 for i in range(9)} for q in range(12)}}
    with StudyStore.create(str(place)) as store:
        made = new_study(store, Runs.from_dict(runs), Judgments.from_dict(judge), StudySettings("P@3", seed=1))
        kept_tokens(made, str(place), new=True)
    return made


@dataclass(frozen=True)
class Played:
    """How a simulated study went."""

    judgments: int
    stopped_at: int | None
    live: Live


def play(
    study: Study, truth: Mapping[tuple[str, str], str], *, error: float = 0.05, seed: int = 0, most: int | None = None,
    watch: Callable[[Live], None] | None = None,
) -> Played:  # fmt: skip
    """Judge the study to its end: every expert gives the true grade, and with probability `error` one beside it."""
    people = study.experts()
    for person in people:
        arrive(study, person.id)
    rng = generator(seed, 11)
    named = _documents(study)
    live, made, fruitless = Live(study), 0, 0
    stopped: int | None = None
    while stopped is None and fruitless < len(people) and (most is None or made < most):
        fruitless = 0
        for person in people:
            documents = upcoming(study, person.id, 1)
            if not documents:
                fruitless += 1
                continue
            key = documents[0]["assignment"]
            if key not in named:
                named = _documents(study)
            grade = blurred(study.grades, truth[named[key]], error, rng)
            request = f"simulated-{study.id[:8]}-{key}-{made}"
            judge(study, person.id, Entry(key, "grade", request, grade, seconds=4 + 20 * rng.random()))
            made += 1
        if live.refresh():
            stopped = live.mark_stop()
            if watch is not None:
                watch(live)
    return Played(made, stopped, live)


def blurred(grades: tuple[str, ...], grade: str, error: float, rng: np.random.Generator) -> str:
    """The grade, or with probability `error` a neighbour of it."""
    if rng.random() >= error:
        return grade
    level = grades.index(grade) + (1 if rng.random() < 0.5 else -1)
    return grades[min(max(level, 0), len(grades) - 1)]


def _documents(study: Study) -> dict[int, tuple[str, str]]:
    """{assignment: its topic and document}: what a simulated expert needs, and no page ever gets."""
    a, i = schema.assignment.c, schema.item.c
    query = sa.select(a.id, i.topic, i.doc).select_from(schema.GIVEN).where(i.study == study.id)
    return {r.id: (r.topic, r.doc) for r in study.store.rows(query)}
