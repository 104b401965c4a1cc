"""What is odd about judgments: the scale, its use by each assessor, topics with nothing relevant, repeats."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dissensus.data.check.findings import Finding, listed
from dissensus.data.tables.judgments import Judgments
from dissensus.errors import Fix, Option

FEW = 10


def check_judgments(judgments: Judgments) -> Iterator[Finding]:
    """Everything odd that the judgments alone show."""
    for note in judgments.notes:
        yield Finding("note", note)
    yield from _scale(judgments)
    yield from _use(judgments)
    yield from _few(judgments)
    yield from _nothing_relevant(judgments)
    yield from _partial(judgments)


def _scale(judgments: Judgments) -> Iterator[Finding]:
    scale = judgments.scale
    if not scale.ordered:
        yield Finding(
            "error",
            f"grades are names whose order is not known: {', '.join(scale.names)}",
            fixes=(Fix("Declare the scale, lowest grade first: ", Option("scale", ",".join(scale.names)), "."),),
        )
    elif not scale.declared:
        yield Finding(
            "note",
            f"no scale was declared; the grades read off the data are {scale.low} to {scale.top}",
            fixes=(
                Fix(
                    "Declare it with ",
                    Option("scale", f"{scale.low}..{scale.top}"),
                    " if these are all the grades there are.",
                ),
            ),
        )
    if scale.ordered and scale.low > 0:
        yield Finding(
            "warning",
            f"the lowest grade is {scale.low}: all grades of at least 1 count as relevant",
            fixes=(
                f"Say in the measures what is relevant, as in P(rel={scale.low + 1})@10.",
                Fix("Map the labels to grades that begin at 0: scale={label: grade, …}.", reader="python"),
            ),
        )
    used = set(np.unique(judgments.grade).tolist())
    unused = [scale.name(int(g)) for g in scale.grades if int(g) not in used]
    if len(judgments):
        yield from listed("note", "grades that no assessor gave", unused)


def _use(judgments: Judgments) -> Iterator[Finding]:
    """Assessors who use one grade only, or never the top ones."""
    top = int(judgments.grade.max()) if len(judgments) else 0
    lower = []
    for a, name in enumerate(judgments.assessors):
        mine = judgments.grade[(judgments.assessor == a) & (judgments.grade >= 0)]
        if len(mine) >= 2 and mine.min() == mine.max():
            yield Finding(
                "warning",
                f"gives all {len(mine):,} documents the grade {judgments.scale.name(int(mine[0]))}",
                where=name,
                count=len(mine),
                fixes=("Such labels tell documents apart in no way; look at how they were made.",),
            )
        elif len(mine) >= FEW and mine.max() < top:
            lower.append(f"{name} (up to {judgments.scale.name(int(mine.max()))})")
    if lower and judgments.scale.ordered:
        yield from listed(
            "note",
            f"assessors who never give the grade {judgments.scale.name(top)}, which others do",
            lower,
            Fix("If they judged on another scale, map it: scale={assessor: {label: grade, …}, …}.", reader="python"),
            Fix("If they judged on another scale, write their grades on this one.", reader="command"),
        )


def _few(judgments: Judgments) -> Iterator[Finding]:
    labels = np.bincount(judgments.assessor, minlength=len(judgments.assessors))
    few = [f"{name} ({n})" for name, n in zip(judgments.assessors, labels.tolist(), strict=True) if n < FEW]
    fix = "What is said of a single assessor rests on too little; leave them out or merge."
    yield from listed("warning", f"assessors with fewer than {FEW} labels", few, fix)


def _nothing_relevant(judgments: Judgments) -> Iterator[Finding]:
    topic = judgments.item_topic[judgments.item]
    shape = (len(judgments.assessors), len(judgments.topics))
    judged, relevant = np.zeros(shape, bool), np.zeros(shape, bool)
    judged[judgments.assessor, topic] = True
    positive = judgments.grade >= 1
    relevant[judgments.assessor[positive], topic[positive]] = True
    for a, name in enumerate(judgments.assessors):
        empty = np.flatnonzero(judged[a] & ~relevant[a])
        if judgments.scale.ordered:
            yield from listed(
                "warning",
                f"{len(empty):,} of {int(judged[a].sum()):,} topics have no relevant document",
                (judgments.topics[t] for t in empty),
                Fix(
                    "Measures divided by the number of relevant documents skip them; ",
                    Option("empty", "zero"),
                    " scores them 0.",
                ),
                where=name,
            )


def _partial(judgments: Judgments) -> Iterator[Finding]:
    """Assessors who judged only some of the topics: their means are over different topics."""
    topic = judgments.item_topic[judgments.item]
    pairs = np.unique(judgments.assessor.astype(np.int64) * max(len(judgments.topics), 1) + topic)
    count = np.bincount(pairs // max(len(judgments.topics), 1), minlength=len(judgments.assessors))
    partial = [
        f"{name} ({n})"
        for name, n in zip(judgments.assessors, count.tolist(), strict=True)
        if n < len(judgments.topics)
    ]
    yield from listed(
        "note",
        f"assessors who judged only some of the {len(judgments.topics):,} topics",
        partial,
        "Their mean scores are over different topics and are marked so.",
    )
