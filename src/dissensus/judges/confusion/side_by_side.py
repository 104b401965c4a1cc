"""Judgments laid side by side, when they come as two objects."""

from __future__ import annotations

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.scale import Scale
from dissensus.errors import Fix, InputError, Option, ScaleError, Text


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
    return Judgments.from_columns(topics, docs, who, grades, scale=scale, source="the judgments")


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
