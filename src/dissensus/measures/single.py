"""One ranking at a time: the definition of a measure applied to a list of grades, or to all rankings slowly.

`score_one` stands behind `measure.score([...])`; `score_all` is what a measure gets that brings no kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dissensus.errors import Fix, InputError, MeasureError
from dissensus.tables.scale import HIGHEST, UNJUDGED, Scale, as_scale

if TYPE_CHECKING:
    from dissensus.arrays import Floats
    from dissensus.measures.measure import Grades, Measure
    from dissensus.tables.collection import Joined


def score_one(
    measure: Measure,
    ranking: Sequence[int | None],
    pool: Sequence[int] | None,
    scale: Scale | Sequence[str] | str | None,
) -> float:
    """Score one judged ranking; see `Measure.score`."""
    declared = as_scale(scale)
    if declared is not None:
        measure.check_scale(declared)
    grades = _grades(ranking, declared, "ranking")
    own = grades[grades != UNJUDGED]
    judged = own if pool is None else _grades(pool, declared, "pool")
    if (judged == UNJUDGED).any():
        raise InputError("pool: None is not a grade; the pool holds judged documents only.")
    if pool is not None:
        spare = Counter(own.tolist()) - Counter(judged.tolist())
        if spare:
            grade = next(iter(spare))
            here, there = (grades.tolist().count(grade) for grades in (own, judged))
            raise InputError(
                f"the ranking holds grade {grade} more often than the pool: {here}× against {there}×.",
                "The pool is every judged document of the topic, those of the ranking included.",
            )
    if declared is None:
        if measure.needs_top():
            raise MeasureError(
                f"{measure} depends on the highest grade a document could have, which a list of grades does not tell.",
                f"Write {measure.name}(max=4).",
                Fix("Declare the scale: score(…, scale=Scale.range(0, 4)).", reader="python"),
            )
        declared = Scale.range(0, max(1, int(judged.max(initial=0))), declared=False)
    return measure.compute(grades, judged, declared)


def _grades(values: Sequence[object], scale: Scale | None, what: str) -> Grades:
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str):
        raise InputError(f"{what} is {values!r}; give a list of grades, one per document: [2, 0, None, 1].")
    out = np.full(len(values), UNJUDGED, np.int8)
    for i, value in enumerate(values):
        if value is None:
            continue
        if scale is not None and isinstance(value, str):
            value = scale.grade(value)
        if isinstance(value, float | np.floating) and float(value).is_integer():
            value = int(value)
        if (
            isinstance(value, bool | np.bool_)
            or not isinstance(value, int | np.integer)
            or not -127 <= value <= HIGHEST
        ):
            raise InputError(
                f"{what}[{i}] is {value!r}; a grade is a whole number up to {HIGHEST}, or None for unjudged."
            )
        if scale is not None and value >= 0 and int(value) not in scale:
            raise InputError(f"{what}[{i}] is {value!r}, which is not a grade of the scale {scale}.")
        out[i] = value
    return out


def ranked_grades(joined: Joined, segment: int, assessor: int) -> Grades:
    """Grades by rank of one ranking under one assessor; UNJUDGED where there is none."""
    grades = np.full(int(joined.length[segment]), UNJUDGED, np.int8)
    hits = slice(joined.hits[segment], joined.hits[segment + 1])
    grades[joined.hit_rank[hits] - 1] = joined.labels[joined.hit_item[hits], assessor]
    return grades


def pool_of(joined: Joined, topic: int, assessor: int) -> Grades:
    """Grades of all documents that one assessor has in one topic's pool."""
    labels = joined.labels[joined.topic_bounds[topic] : joined.topic_bounds[topic + 1], assessor]
    return np.asarray(labels[labels != UNJUDGED])


def score_all(measure: Measure, joined: Joined) -> Floats:
    """Scores of all rankings under all assessors by the definition, one after the other."""
    out = np.full(joined.shape, np.nan)
    nothing = np.empty(0, np.int8)
    for a, _, t in np.ndindex(joined.shape[0], 1, joined.shape[2]):
        if not joined.in_topic[a, t]:
            continue
        pool = pool_of(joined, t, a)
        here = measure.for_topic(joined.topics[t])
        for s in range(joined.shape[1]):
            segment = int(joined.segment_of[s, t])
            grades = ranked_grades(joined, segment, a) if segment >= 0 else nothing
            out[a, s, t] = here.compute(grades, pool, joined.scale)
    return out
