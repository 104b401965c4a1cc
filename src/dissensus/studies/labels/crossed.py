"""One judge's labels as a ranking, scored by another: every topic and ordered pair of assessors as a collection.

The ranking holds the documents both judged, ordered by the first judge's grades, grades tied being tied scores. Each
(topic, who ranks, who scores) is a separate topic, so one `evaluate(…, ties="expected")` scores them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from dissensus.errors import InputError
from dissensus.measures.catalog import measure as named
from dissensus.measures.evaluate import Collection
from dissensus.measures.measure import Measure, topic_measures
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

RANKING, JUDGE = "ranking", "judge"


@dataclass(frozen=True, eq=False)
class Crossed:
    """`pairs` has a row per (topic, ranks, scores): its name in `runs` and `judgments`, and its number of documents."""

    runs: Runs
    judgments: Judgments
    pairs: pl.DataFrame
    notes: tuple[str, ...] = ()

    def scores(self, measures: list[str | Measure], seed: int = 0) -> pl.DataFrame:
        """`pairs` with a column per measure: the expected score over the orders of tied documents."""
        # a pair has its name: what a measure makes of topics, it makes of those the pairs come from
        topics = self.pairs["topic"].to_list()
        own = {str(m): topic_measures(m if isinstance(m, Measure) else named(m), topics) for m in measures}
        needed = {str(m): m for several, _ in own.values() for m in several}
        # scores, not `evaluate`: a judge that never gives the top grade on some topics is part of the study here
        scores = Collection(self.runs, self.judgments).score(list(needed.values()), ties="expected", seed=seed)
        table = scores.to_dataset()
        column = {m: table[m].sel(assessor=JUDGE, system=RANKING).to_series() for m in needed}
        names = self.pairs["name"].to_list()
        return self.pairs.with_columns(
            pl.Series(name, [float(column[str(several[i])][n]) for n, i in zip(names, which, strict=True)])
            for name, (several, which) in own.items()
        )

    def of_topic(self, topic: str) -> Crossed:
        """Only the pairs of one topic."""
        pairs = self.pairs.filter(pl.col("topic") == topic)
        names = pairs["name"].to_list()
        return Crossed(self.runs.select(topics=names), self.judgments.select(topics=names), pairs, self.notes)


def crossed(judgments: Judgments, *, min_documents: int = 2) -> Crossed:
    """All ordered pairs of assessors who share at least `min_documents` documents of a topic.

    >>> j = Judgments.from_dict({"a": {1: {"x": 1, "y": 0}}, "b": {1: {"x": 0, "y": 1}}})
    >>> crossed(j).scores(["P@1"]).select("ranks", "scores", "P@1").rows()
    [('a', 'b', 0.0), ('b', 'a', 0.0)]
    """
    judged = judgments.first().judged()
    docs = judgments.doc_ids()
    topic = judged.item_topic[judged.item]
    order = np.lexsort((judged.assessor, topic))
    bounds = np.flatnonzero(np.diff(topic[order], prepend=-1, append=-1))
    rows: list[tuple[str, str, int, int]] = []  # name, doc, grade of who ranks, grade of who scores
    pairs: list[tuple[str, str, str, str, int]] = []
    small = 0
    for start, stop in pairwise(bounds):
        here = order[start:stop]
        by_judge = {
            int(a): dict(zip(judged.item[w].tolist(), judged.grade[w].tolist(), strict=True))
            for a, w in _split(judged.assessor[here], here)
        }
        name = judgments.topics[topic[here[0]]]
        for a, first in by_judge.items():
            for b, second in by_judge.items():
                both = first.keys() & second.keys() if a != b else set()
                if len(both) < max(min_documents, 1):
                    small += a != b and bool(both)
                    continue
                who, scorer = judgments.assessors[a], judgments.assessors[b]
                pairs.append((f"{name} {len(pairs)}", name, who, scorer, len(both)))
                rows += [(pairs[-1][0], docs[i], first[i], second[i]) for i in sorted(both)]
    if not pairs:
        raise InputError(
            f"no two assessors share {min_documents} documents of any topic.",
            "Lower min_documents, or judge some topics twice.",
        )
    frame = pl.DataFrame(rows, schema=["topic", "doc", "score", "grade"], orient="row")
    ranked = frame.select("topic", "doc", pl.col("score").cast(pl.Float64))
    labels = frame.select("topic", "doc", grade=pl.Series([judgments.scale.name(g) for g in frame["grade"]]))
    return Crossed(
        Runs.from_frame(ranked, system=RANKING),
        Judgments.from_frame(labels, assessor=JUDGE, scale=judgments.scale),
        pl.DataFrame(pairs, schema=["name", "topic", "ranks", "scores", "documents"], orient="row"),
        (f"{small:,} pairs with fewer than {min_documents} shared documents left out",) if small else (),
    )


def _split(assessor: np.ndarray, rows: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """(assessor, their rows) for rows sorted by assessor."""
    starts = np.flatnonzero(np.diff(assessor, prepend=-1))
    return [(int(assessor[s]), part) for s, part in zip(starts, np.split(rows, starts[1:]), strict=True)]
