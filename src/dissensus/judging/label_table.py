"""The sparse table that agreement, confusion and EM read: (item, assessor, level) by row, levels counted from 0.

A *level* is a grade counted from the bottom of the scale. Rows below zero mark documents that were in the pool but
could not be judged; they are left out and counted, or, with `negative="label"`, become nominal levels of their own. An
assessor's repeated judgments of one document are kept apart: only the first one speaks for the assessor.

Gold, where there is any, is taken out of the crowd (`crowd_and_truth`) or laid beside it (`with_gold`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import Fix, InputError, Option, ScaleError, Text
from dissensus.tables.coercion import as_judgments
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale
from dissensus.wording import counted

Negative = Literal["unjudged", "label"]


@dataclass(frozen=True, eq=False)
class Labels:
    """Rows sorted by item, then assessor; `scale` names the levels (`level + scale.low` is the grade)."""

    item: NDArray[np.int32]
    assessor: NDArray[np.int32]
    level: NDArray[np.int8]
    repeat: NDArray[np.int32]
    scale: Scale
    grades: NDArray[np.int8]  # the grade each level stands for in the judgments
    n_items: int
    n_assessors: int
    n_dropped: int  # rows below zero that were left out

    def __len__(self) -> int:
        return len(self.item)

    @property
    def n_levels(self) -> int:
        return len(self.scale)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, in words."""
        if not self.n_dropped:
            return ()
        return (f"{counted(self.n_dropped, 'label')} below zero (in the pool, unjudged) left out",)

    def rows(self, keep: NDArray[np.bool_]) -> Labels:
        """The rows where `keep` is true."""
        columns = {name: getattr(self, name)[keep] for name in ("item", "assessor", "level", "repeat")}
        return replace(self, **columns)

    def first(self) -> Labels:
        """Only each assessor's first judgment of each document."""
        return self.rows(self.repeat == 0) if self.repeat.any() else self

    def per_item(self) -> NDArray[np.int64]:
        """Labels of each item."""
        return np.bincount(self.item, minlength=self.n_items)

    def counts(self) -> NDArray[np.int64]:
        """How often each item was given each level, items × levels."""
        k = self.n_levels
        flat = np.bincount(self.item.astype(np.int64) * k + self.level, minlength=self.n_items * k)
        return flat.reshape(self.n_items, k)

    def shares(self) -> NDArray[np.float64]:
        """Share of each level among an item's labels, items × levels; zeros where there is no label.

        Repeated judgments of one assessor are no further votes: take those of `first()`.
        """
        count = self.counts().astype(np.float64)
        return np.asarray(count / np.maximum(count.sum(axis=1, keepdims=True), 1), np.float64)

    def expected(self, posterior: NDArray[np.float64]) -> NDArray[np.float64]:
        """Expected labels assessor × true level × given level, item i having level g with chance `posterior[i, g]`."""
        k = self.n_levels
        code = self.assessor.astype(np.int64) * k + self.level
        mass = posterior[self.item]
        columns = [np.bincount(code, mass[:, g], self.n_assessors * k).reshape(-1, k) for g in range(k)]
        return np.stack(columns, axis=1).astype(np.float64)

    def by(self, assessor: int) -> NDArray[np.int64]:
        """The level that one assessor first gave each item, −1 where there is none."""
        out = np.full(self.n_items, -1, np.int64)
        mine = (self.assessor == assessor) & (self.repeat == 0)
        out[self.item[mine]] = self.level[mine]
        return out

    def item_bounds(self) -> NDArray[np.int64]:
        """Rows of item i are `item_bounds[i]:item_bounds[i + 1]`."""
        return np.searchsorted(self.item, np.arange(self.n_items + 1)).astype(np.int64)


def labels(judgments: Judgments, negative: Negative = "unjudged") -> Labels:
    """The labels of judgments as levels; see the module for what happens to grades below zero."""
    judgments = as_judgments(judgments)
    if negative not in ("unjudged", "label"):
        raise InputError(
            Text(Option("negative", negative), " is not known."),
            Fix(
                "Leave grades below zero out with ",
                Option("negative", "unjudged"),
                ", or make them levels with ",
                Option("negative", "label"),
                ".",
            ),
        )
    scale, grade = judgments.scale, judgments.grade.astype(np.int16)
    below = grade < 0
    keep, grades, level = ~below, scale.grades, grade - scale.low
    if negative == "label" and below.any():
        marks = np.unique(grade[below])
        level = np.where(below, np.searchsorted(marks, grade), level + len(marks))
        keep, grades = np.ones(len(grade), bool), np.r_[marks, scale.grades]
        scale = Scale((*(str(m) for m in marks), *scale.names), declared=scale.declared, ordered=False)
    return Labels(
        item=judgments.item[keep],
        assessor=judgments.assessor[keep],
        level=level[keep].astype(np.int8),
        repeat=judgments.repeat[keep],
        scale=scale,
        grades=grades.astype(np.int8),
        n_items=judgments.n_items,
        n_assessors=len(judgments.assessors),
        n_dropped=len(keep) - int(keep.sum()),
    )


def crowd_and_truth(
    judgments: Judgments, gold: str | None, negative: Negative
) -> tuple[Labels, NDArray[np.int64] | None]:
    """(labels of everybody but gold, repeats among them; gold's level per item, −1 where it has none)."""
    table = labels(judgments, negative)
    if gold is None:
        return table, None
    if gold not in judgments.assessors:
        raise InputError(
            Text(Option("gold", gold), ": no assessor has that name."),
            f"Assessors: {', '.join(judgments.assessors[:10])}",
        )
    code = judgments.assessors.index(gold)
    return table.rows(table.assessor != code), table.by(code)


# ── judgments that come as two objects, side by side ──
def beside(reference: Judgments, observed: Judgments) -> Judgments:
    """One table with the assessors "reference" and "observed"; scales must be one, or undeclared and equal."""
    return _stacked([(reference, "reference"), (observed, "observed")])


def with_gold(judgments: Judgments, gold: str | Judgments) -> tuple[Judgments, str]:
    """(judgments that hold gold too, gold's name in them); gold is an assessor's name or one assessor's judgments."""
    if isinstance(gold, str):
        if gold not in judgments.assessors:
            some = ", ".join(judgments.assessors[:10]) + (" …" if len(judgments.assessors) > 10 else "")
            raise InputError(Text(Option("gold", gold), f": no assessor has that name; the assessors are {some}."))
        return judgments, gold
    if len(gold.assessors) != 1:
        raise InputError(f"gold holds {len(gold.assessors)} assessors; there is one truth.", "Merge them first.")
    name = gold.assessors[0]
    while name in judgments.assessors:
        name = f"{name} (gold)"
    return _stacked([(judgments, None), (gold, name)]), name


def _stacked(parts: list[tuple[Judgments, str | None]]) -> Judgments:
    """First judgments of all parts in one table; a name renames all assessors of its part."""
    scale = parts[0][0].scale
    for judge, _ in parts[1:]:
        scale = common_scale(scale, judge.scale)
    topics: list[str] = []
    docs: list[str] = []
    who: list[str] = []
    grades: list[str] = []
    for judge, name in parts:
        ids, first = judge.doc_ids(), judge.first()
        topics += [judge.topics[judge.item_topic[i]] for i in first.item]
        docs += [ids[i] for i in first.item]
        who += [name or judge.assessors[a] for a in first.assessor]
        grades += [scale.name(int(g)) for g in first.grade]
    return Judgments.from_columns(topics, docs, who, grades, scale=scale, place="the judgments")


def common_scale(a: Scale, b: Scale) -> Scale:
    """The scale of both: equal ones, or whole numbers of which at most one side was declared."""
    if a == b:
        return a
    numeric = all(s.names == tuple(str(g) for g in s.grades) for s in (a, b))
    if numeric and not (a.declared and b.declared):
        wide = Scale.range(min(a.low, b.low), max(a.top, b.top), declared=a.declared or b.declared)
        declared = a if a.declared else b if b.declared else None
        if declared is None or declared == wide:
            return wide
    raise ScaleError(
        f"the two judges are on different scales: {a} and {b}.",
        Fix("Read both on one scale with ", Option("scale"), "."),
    )
