"""What is odd about runs and about judgments, each looked at alone.

Runs: ties, missing topics, short, constant and identical rankings. Judgments: the scale, its use by each assessor,
topics with nothing relevant, repeats.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dissensus.errors import Fix, Note, Option, ScaleError
from dissensus.io.check.findings import Finding, listed
from dissensus.tables.copies import copied_assessors, copied_systems
from dissensus.tables.judgments import Judgments
from dissensus.tables.other_scales import check_one_scale
from dissensus.tables.runs import Runs

CUTOFFS = (10, 100, 1000)
SHORT = 10  # documents
FEW = 10  # labels


def check_runs(runs: Runs) -> Iterator[Finding]:
    """Everything odd that the runs alone show."""
    for note in runs.notes:
        contradiction = isinstance(note, Note) and note.kind == "runs.ranks-contradict"
        yield Finding(
            "warning" if contradiction else "note",
            note,
            fixes=("Ranks follow from scores and document ids; correct the scores.",) if contradiction else (),
        )
    for rule in (_silent, _ties, _constant, _missing_topics, _short, _identical):
        yield from rule(runs)


def _silent(runs: Runs) -> Iterator[Finding]:
    silent = [s for i, s in enumerate(runs.systems) if not (runs.segment_system == i).any()]
    yield from listed("warning", "systems that retrieved nothing at all", silent)


def _ties(runs: Runs) -> Iterator[Finding]:
    """Ties that straddle a cut-off: there the order by document id decides who is in."""
    start, stop = runs.bounds[:-1], runs.bounds[1:]
    for k in CUTOFFS:
        long = np.flatnonzero(stop - start > k)
        at = start[long] + k
        tied = long[runs.score[at - 1] == runs.score[at]]
        yield from listed(
            "warning",
            f"{len(tied):,} of {len(start):,} rankings have tied scores at rank {k}: document ids decide",
            sorted({runs.systems[s] for s in runs.segment_system[tied]}),
            Fix("Score with ", Option("ties", "expected"), " to average over the orders of tied documents."),
        )


def _constant(runs: Runs) -> Iterator[Finding]:
    start, stop = runs.bounds[:-1], runs.bounds[1:]
    flat = (stop - start > 1) & (runs.score[start] == runs.score[np.maximum(stop - 1, 0)]) if len(start) else start > 0
    for i, system in enumerate(runs.systems):
        mine = runs.segment_system == i
        if mine.any() and flat[mine].all():
            yield Finding(
                "warning",
                "every ranking has one score only: its order is that of the document ids",
                where=system,
                count=int(mine.sum()),
                fixes=("Write the system's real scores, or minus the rank.",),
            )


def _missing_topics(runs: Runs) -> Iterator[Finding]:
    have = np.zeros((len(runs.systems), len(runs.topics)), bool)
    have[runs.segment_system, runs.segment_topic] = True
    for i, system in enumerate(runs.systems):
        lost = np.flatnonzero(~have[i])
        if have[i].any():
            yield from listed(
                "warning",
                f"{len(lost):,} of {len(runs.topics):,} topics that other systems have are missing",
                (runs.topics[t] for t in lost),
                Fix("Missing topics score 0; average over common ones with ", Option("topics", "shared"), "."),
                where=system,
            )


def _short(runs: Runs) -> Iterator[Finding]:
    lengths = np.diff(runs.bounds)
    if not len(lengths):
        return
    short = np.flatnonzero((lengths < SHORT) & (lengths * 10 < np.median(lengths)))
    yield from listed(
        "note",
        f"{len(short):,} rankings hold fewer than {SHORT} documents; the median is {np.median(lengths):,.0f}",
        (f"{runs.systems[runs.segment_system[s]]}/{runs.topics[runs.segment_topic[s]]}" for s in short),
        "Was the file cut off?",
    )


def _identical(runs: Runs) -> Iterator[Finding]:
    """Systems whose rankings are the same, document by document."""
    fix = "Is one a copy of the other? Comparing them says nothing."
    for twins in copied_systems(runs):
        yield from listed("warning", "systems with identical rankings on all topics", twins, fix)


def check_judgments(judgments: Judgments) -> Iterator[Finding]:
    """Everything odd that the judgments alone show."""
    for note in judgments.notes:
        yield Finding("note", note)
    for rule in (_scale, _other_scales, _use, _copies, _few, _nothing_relevant, _partial):
        yield from rule(judgments)


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


def _other_scales(judgments: Judgments) -> Iterator[Finding]:
    """Two judges whose grades mean different things."""
    try:
        check_one_scale(judgments)
    except ScaleError as error:
        yield Finding("warning", error.what, fixes=tuple(error.fixes))


def _copies(judgments: Judgments) -> Iterator[Finding]:
    """Assessors who gave the same grades to the same documents."""
    fix = "Is one a copy of the other? A copy counts twice in every vote and agrees with its original."
    for twins in copied_assessors(judgments):
        yield from listed("warning", "assessors with the same grade for every document", twins, fix)


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
