"""Two judges' judgments laid side by side, when they come as two objects."""

from __future__ import annotations

from dissensus.data.judgments import Judgments
from dissensus.data.scale import Scale
from dissensus.errors import ScaleError


def beside(reference: Judgments, observed: Judgments) -> Judgments:
    """One table with the assessors "reference" and "observed"; scales must be one, or undeclared and alike."""
    from dissensus.data.judgment_table import judgments_from_columns

    scale = common_scale(reference.scale, observed.scale)
    topics: list[str] = []
    docs: list[str] = []
    who: list[str] = []
    grades: list[str] = []
    for name, judge in (("reference", reference), ("observed", observed)):
        ids, first = judge.doc_ids(), judge.first()
        topics += [judge.topics[judge.item_topic[i]] for i in first.item]
        docs += [ids[i] for i in first.item]
        who += [name] * len(first)
        grades += [scale.name(int(g)) for g in first.grade]
    return judgments_from_columns(topics, docs, who, grades, scale=scale, source="the judgments")


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
        f"the two judges are on different scales: {a} and {b}.", "Map them to one scale with scale= when reading."
    )
