"""From columns to the codes that Judgments hold, and what is done about repeated judgments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.errors import Fix, InputError, JudgmentError, Note, Option, Text
from dissensus.tables.columns import (
    Place,
    chosen,
    code,
    id_strings,
    plain_column,
    recode,
    sorted_texts,
)
from dissensus.tables.grades import MANY, ScaleLike, grades_of
from dissensus.tables.ids import IdColumn
from dissensus.tables.judge_scores import classes_of
from dissensus.tables.scale import Scale
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.tables.judgments import Judgments

Repeated = Literal["error", "keep", "first", "last"]


def judgment_codes(
    topic: Any,
    doc: Any,
    assessor: Any,
    grade: Any,
    *,
    scale: ScaleLike,
    place: Place,
    threshold: Sequence[float] | None = None,
) -> tuple[Values, NDArray[np.int64]]:
    """(the fields of Judgments, the row of the columns that each judgment was) from four columns of equal length."""
    topics, topic_code = code(id_strings(topic, "topic", place))
    docs, doc_code = sorted_texts(id_strings(doc, "doc", place))
    assessors, who = code(id_strings(assessor, "assessor", place))
    labels = grade if isinstance(grade, pl.Series) else plain_column("grade", list(grade))
    scores = _scores(labels, who, threshold) if threshold or scale is None else None
    value, grades, common = scores or (None, *grades_of(labels, who, assessors, scale, place))

    # items: distinct (topic, document), in that order
    pair = topic_code.astype(np.int64) * max(len(docs), 1) + doc_code
    items, item = np.unique(pair, return_inverse=True)
    order = np.lexsort((np.arange(len(item)), who, item))
    item, who, grades = item[order].astype(np.int32), who[order], grades[order]
    fields = {
        "topics": topics,
        "assessors": assessors,
        "scale": common,
        "item_topic": (items // max(len(docs), 1)).astype(np.int32),
        "item_ids": IdColumn.from_series(docs).pick(items % max(len(docs), 1)),
        "item": item,
        "assessor": who,
        "grade": grades,
        "repeat": repeats_of(item, who),
        "value": None if value is None else value[order],
    }
    return fields, order


def _scores(
    labels: pl.Series, who: NDArray[np.int32], threshold: Sequence[float] | None
) -> tuple[NDArray[np.float64], NDArray[np.int8], Scale] | None:
    """(scores, classes, their scale) where judges give scores; None for grades, as a few different labels are."""
    if not threshold and (labels.dtype == pl.Object or labels.n_unique() < MANY):
        return None

    return classes_of(labels, who, threshold)


def repeats_of(item: NDArray[np.int32], assessor: NDArray[np.int32]) -> NDArray[np.int32]:
    """0 for an assessor's first judgment of an item, 1 for the second …; rows are sorted by item and assessor."""
    if not len(item):
        return np.empty(0, np.int32)
    again = np.r_[False, (item[1:] == item[:-1]) & (assessor[1:] == assessor[:-1])]
    if not again.any():
        return np.zeros(len(item), np.int32)
    here = np.arange(len(item))
    return (here - np.maximum.accumulate(np.where(again, 0, here))).astype(np.int32)


def skipped(comments: int) -> tuple[str, ...]:
    """The note on comment lines, if there were any."""
    return (f"{counted(comments, 'comment line')} skipped",) if comments else ()


def unlabelled(assessors: Iterable[object], labelled: Iterable[object]) -> tuple[str, ...]:
    """The note on assessors who were named and gave no label, if there are any."""
    with_labels = set(labelled)
    silent = [str(a) for a in assessors if a not in with_labels]
    return (f"left out because without labels: {', '.join(silent)}",) if silent else ()


def count_note(kind: str, n: int, what: str) -> Note:
    """A note on how many there are of something, which can be added up over the pieces of a file."""
    return Note(kind, n=n, what=what, counted=counted(n, what))


def settle(judgments: Judgments, repeated: Repeated, place: Place) -> Judgments:
    """Apply the policy for repeats, and say how many grades are below zero."""
    settled = settle_repeats(judgments, repeated, place)
    below = int(np.count_nonzero(settled.grade < 0))
    if below:
        settled = replace(settled, notes=(*settled.notes, count_note("judgments.below-zero", below, "grade")))
    return settled


def settle_repeats(judgments: Judgments, repeated: Repeated, place: Place) -> Judgments:
    """Apply the policy for repeated judgments; identical repeats are accepted and counted under every policy."""
    if repeated not in ("error", "keep", "first", "last"):
        raise InputError(Text(Option("repeated", repeated), ' is none of "error", "keep", "first", "last".'))
    again = np.flatnonzero(judgments.repeat > 0)
    if not len(again):
        return judgments
    if repeated == "keep":
        kept_note = count_note("judgments.repeats-kept", len(again), "repeated judgment")
        return replace(judgments, notes=(*judgments.notes, kept_note))
    first = again - judgments.repeat[again]
    conflict = again[judgments.grade[again] != judgments.grade[first]]
    if repeated == "error" and len(conflict):
        raise _conflicting(judgments, int(conflict[0]), len(conflict), place)
    # "error" comes here with identical repeats only
    last = ~np.r_[judgments.repeat[1:] > judgments.repeat[:-1], False]
    keep = last if repeated == "last" else judgments.repeat == 0
    kept = judgments.rows(keep)
    note: Text = count_note("judgments.identical-repeats", len(again), "identical repeat")
    if len(conflict):
        note = Text(f"{len(again):,} repeated judgments settled by ", Option("repeated", repeated))
    return replace(kept, repeat=np.zeros(len(kept), np.int32), notes=(*kept.notes, note))


def _conflicting(judgments: Judgments, row: int, count: int, place: Place) -> JudgmentError:
    start = row - int(judgments.repeat[row])
    item = int(judgments.item[row])
    one, other = (judgments.scale.name(int(judgments.grade[r])) for r in (start, row))
    more = f" ({count:,} such conflicts in all)" if count > 1 else ""
    return JudgmentError(
        f"{place(start)} and {place(row)} give topic {judgments.topics[judgments.item_topic[item]]}, document "
        f"{judgments.doc_ids(np.array([item]))[0]}, assessor {judgments.assessors[judgments.assessor[row]]} "
        f"the grades {one} and {other}{more}.",
        Fix(
            "Keep one with ",
            Option("repeated", "first"),
            " or ",
            Option("repeated", "last"),
            ", or both as repeats with ",
            Option("repeated", "keep"),
            ".",
        ),
        Fix("If column 2 of the qrels file names the assessor, say ", Option("assessor", "column"), "."),
        "Take one of the two out of the file if it is a slip.",
    )


def select_judgments(judgments: Judgments, topics: Iterable[str] | None, assessors: Iterable[str] | None) -> Judgments:
    """Judgments of some topics and assessors, vocabularies cut down to them."""
    keep_t = list(judgments.topics) if topics is None else chosen(judgments.topics, topics, "topic")
    keep_a = list(judgments.assessors) if assessors is None else chosen(judgments.assessors, assessors, "assessor")
    topic = recode(judgments.topics, keep_t)[judgments.item_topic]
    who = recode(judgments.assessors, keep_a)[judgments.assessor]
    rows = np.flatnonzero((topic[judgments.item] >= 0) & (who >= 0))
    items, item = np.unique(judgments.item[rows], return_inverse=True)
    return replace(
        judgments,
        topics=tuple(keep_t),
        assessors=tuple(keep_a),
        item_topic=topic[items].astype(np.int32),
        item_ids=judgments.item_ids.pick(items),
        item=item.astype(np.int32),
        assessor=who[rows].astype(np.int32),
        grade=judgments.grade[rows],
        repeat=judgments.repeat[rows],
        value=None if judgments.value is None else judgments.value[rows],
        intents=None
        if judgments.intents is None
        else judgments.intents.select(items, [judgments.assessors.index(a) for a in keep_a]),
    )
