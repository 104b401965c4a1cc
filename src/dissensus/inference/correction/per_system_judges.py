"""Systems that were judged by different judges, laid out as one study.

Where each system had an assessor of its own, one document may have two bronze labels, and which one counts depends on
the system that shows it. So a document is taken as many times as there are judges, each time with its judge before its
name; a system shows its own judge's copy. Rankings and ties stay as they are, because all names of a system get the
same prefix.

When not to use it: for measures that need a topic's pool (nDCG, AP, R@k …), in which the copies would count twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.runs import Runs
from dissensus.errors import InputError, Option, Text


def where_judged(judgments: Judgments) -> Judgments:
    """The judgments without topics in which nothing was judged: those are not scored, rather than scored 0."""
    here = np.bincount(judgments.item_topic, minlength=len(judgments.topics)) > 0
    return (
        judgments
        if here.all()
        else judgments.select(topics=[t for t, h in zip(judgments.topics, here, strict=True) if h])
    )


def judged_apart(runs: Runs, judgments: Judgments, assessor: Mapping[str, str]) -> tuple[Runs, Judgments]:
    """(runs, one bronze judge) in which each system's documents carry the labels of its own assessor.

    >>> runs = Runs.from_dict({"A": {"q": {"x": 2.0}}, "B": {"q": {"x": 1.0}}})
    >>> both = Judgments.from_dict({"ann": {"q": {"x": 1}}, "ben": {"q": {"x": 0}}})
    >>> apart, bronze = judged_apart(runs, both, {"A": "ann", "B": "ben"})
    >>> apart.ranking("B", "q"), bronze.to_frame().select("doc", "grade").rows()
    (['1/x'], [('0/x', 1), ('1/x', 0)])
    """
    import polars as pl

    _check(runs, judgments, assessor)
    names = list(dict.fromkeys(assessor[s] for s in runs.systems))
    tables = [where_judged(judgments.select(assessors=[name])).first() for name in names]
    topics = [t for t in tables[0].topics if all(t in table.topics for table in tables)]
    if not topics:
        raise InputError(f"no topic was judged by all of {', '.join(names)}.", "Compare systems on the same topics.")
    frames = [
        table.select(topics=topics).to_frame().with_columns(doc=f"{k}/" + pl.col("doc"), assessor=pl.lit("bronze"))
        for k, table in enumerate(tables)
    ]
    place = {s: f"{names.index(assessor[s])}/" for s in runs.systems}
    shown = runs.to_frame().with_columns(doc=pl.col("system").replace_strict(place) + pl.col("doc"))
    bronze = Judgments.from_frame(pl.concat(frames), scale=judgments.scale)
    who = ", ".join(f"{s} by {assessor[s]}" for s in runs.systems[:5]) + (" …" if len(runs.systems) > 5 else "")
    notes = [f"systems were judged by judges of their own: {who}."]
    lost = len({t for table in tables for t in table.topics}) - len(topics)
    if lost:
        notes.append(f"{lost:,} topics that only some of these judges judged are left out.")
    return Runs.from_frame(shown), replace(bronze, notes=(*judgments.notes, *notes))


def _check(runs: Runs, judgments: Judgments, assessor: Mapping[str, str]) -> None:
    for what, wrong, there in (
        ("systems without an assessor", [s for s in runs.systems if s not in assessor], list(assessor)),
        ("assessors of unknown systems", [s for s in assessor if s not in runs.systems], runs.systems),
        ("unknown assessors", [a for a in assessor.values() if a not in judgments.assessors], judgments.assessors),
    ):
        if wrong:
            raise InputError(
                Text(
                    Option("assessor", None),
                    f" has {what}: {', '.join(map(str, wrong[:5]))}; there are {', '.join(there[:5])}.",
                ),
                'Name one assessor for every system: assessor={"A": "ann", "B": "ben"}.',
            )
