"""How many documents of each grade a topic has, from whatever the user gave."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dissensus.arrays import Ints
from dissensus.errors import ConfusionError, Fix, InputError, Option, Text
from dissensus.judging.confusion.api import Confusion
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale
from dissensus.wording import counted

Counted = tuple[tuple[str, ...], tuple[str, ...], Ints, Scale, tuple[str, ...]]


def grade_counts(grades: object, confusion: Confusion, assessor: str | None = None) -> Counted:
    """(assessor by row, topic by row, documents per grade, scale, notes)."""
    if isinstance(grades, Judgments):
        return _judged_counts(grades, confusion, assessor)
    scale = confusion.scale
    named = grades if isinstance(grades, Mapping) else {"": grades}
    rows, below = [], 0
    for topic, values in named.items():
        array = np.asarray(values)
        if array.ndim != 1 or (array.size and not np.issubdtype(array.dtype, np.integer)):
            raise InputError(f"grades{f' of topic {topic}' if topic != '' else ''} are no list of whole numbers.")
        below += int((array < 0).sum())
        array = array[array >= 0].astype(np.int64)
        wrong = array[(array < scale.low) | (array > scale.top)]
        if wrong.size:
            raise ConfusionError(
                f"grade {wrong[0]} is outside the matrix, which has rows for {scale.low} to {scale.top}.",
                "Give a matrix with one row per grade.",
            )
        rows.append(np.bincount(array - scale.low, minlength=len(scale)))
    if not rows or not sum(int(r.sum()) for r in rows):
        raise InputError("there are no grades to compute a ceiling of.")
    notes = (f"{counted(below, 'grade')} below zero (unjudged) left out",) if below else ()
    counts = np.array(rows, np.int64)
    return ("",) * len(rows), tuple(str(t) for t in named), counts, scale, notes


def _judged_counts(judgments: Judgments, confusion: Confusion, assessor: str | None) -> Counted:
    if assessor is not None and assessor not in judgments.assessors:
        raise InputError(
            Text(
                Option("assessor", assessor),
                f": no assessor has that name; there are {', '.join(judgments.assessors[:10])}.",
            )
        )
    scale = _fitting_scale(judgments.scale, confusion)
    first = judgments.first().judged()
    keep = np.ones(len(first), bool) if assessor is None else first.assessor == judgments.assessors.index(assessor)
    unjudged = len(judgments.first()) - len(first)
    topic, who = first.item_topic[first.item[keep]].astype(np.int64), first.assessor[keep].astype(np.int64)
    n_topics, k = len(judgments.topics), len(scale)
    cell = (who * n_topics + topic) * k + (first.grade[keep].astype(np.int64) - scale.low)
    table = np.bincount(cell, minlength=len(judgments.assessors) * n_topics * k).reshape(-1, k)
    here = np.flatnonzero(table.sum(axis=1))
    if not len(here):
        raise InputError("there are no grades to compute a ceiling of.")
    notes = (f"{counted(unjudged, 'grade')} below zero (unjudged) left out",) if unjudged else ()
    repeats = judgments.n_repeats()
    notes = (*notes, f"{counted(repeats, 'repeated label')} left out") if repeats else notes
    return (
        tuple(judgments.assessors[i // n_topics] for i in here),
        tuple(judgments.topics[i % n_topics] for i in here),
        table[here].astype(np.int64),
        scale,
        notes,
    )


def _fitting_scale(scale: Scale, confusion: Confusion) -> Scale:
    """The scale of both: equal ones; a matrix without names under as many named grades; or grades read off the data
    that lack some of the matrix's."""
    own = confusion.scale
    if len(own) == len(scale) and own.low == scale.low and (own.names == scale.names or _plain(own)):
        return scale
    if not scale.declared and _plain(scale) and own.low <= scale.low and scale.top <= own.top:
        return own
    raise ConfusionError(
        f"the confusion matrix is on the scale {own}, the judgments on {scale}.",
        Fix("Declare one scale for both, for example ", Option("scale", "0..4"), "."),
    )


def _plain(scale: Scale) -> bool:
    """Are grades named by their numbers?"""
    return scale.names == tuple(str(g) for g in scale.grades)
