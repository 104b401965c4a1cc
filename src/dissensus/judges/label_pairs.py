"""Two labels of one document as one: (snippet, page) and other combined label sets (S1 §7)."""

from __future__ import annotations

from dissensus.data.judgments import Judgments
from dissensus.data.scale import Scale
from dissensus.errors import InputError

JOINT = ", "


def paired_labels(first: Judgments, second: Judgments) -> Judgments:
    """Judgments whose labels are pairs "first, second", of the documents an assessor gave both labels.

    Pairs have no order of their own: name the top one, for example `disagreement(pairs, top=("Sure", "Key"))`.

    >>> snippet = Judgments.from_dict({"a": {1: {"x": "Sure"}}}, scale=("No", "Sure"))
    >>> page = Judgments.from_dict({"a": {1: {"x": "Key"}}}, scale=("Non", "Key"))
    >>> paired_labels(snippet, page).to_frame()["grade"].to_list()
    ['Sure, Key']
    """
    import polars as pl

    on = ["topic", "doc", "assessor"]
    frames = []
    for side in (first, second):
        judged = side.first().judged()
        names = pl.Series("grade", [side.scale.name(int(g)) for g in judged.grade], dtype=pl.String)
        frames.append(judged.to_frame().with_columns(names))
    both = frames[0].join(frames[1], on=on, how="inner", suffix=".second", maintain_order="left")
    if not both.height:
        raise InputError(
            "no assessor gave any document both labels.", "Check that topics, documents and assessors match."
        )
    label = both["grade"] + JOINT + both["grade.second"]
    scale = Scale(tuple(a + JOINT + b for a in first.scale.names for b in second.scale.names), ordered=False)
    pairs = Judgments.from_frame(both.select(*on, grade=label), scale=scale)
    lost = len(first) + len(second) - 2 * both.height
    if not lost:
        return pairs
    from dataclasses import replace

    return replace(pairs, notes=(*pairs.notes, f"{lost:,} labels without their counterpart left out"))
