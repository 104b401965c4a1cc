"""How far two judges agree, in the measures' own terms: rank by one, score by the other (S1 §6.1, Table 2).

A measure on which judges agree is 1; the lower it is, the more a score depends on who judged. Weights from the
disagreement model are estimated without the topic they are used on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from dissensus.errors import Fix, InputError, Option
from dissensus.judging.disagreement.api import Disagreement, disagreement
from dissensus.measures.catalog import measure
from dissensus.measures.measure import Measure
from dissensus.results import Result, Table
from dissensus.studies.labels.crossed import crossed
from dissensus.tables.judgments import Judgments
from dissensus.work.progress import Progress


@dataclass(frozen=True, eq=False)
class MutualEvaluation(Result):
    """`scores` has a row per topic, pair of judges and metric; `to_frame` is mean ± sd over topics per metric."""

    scores: pl.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"metrics": Table.of(self._rows()), "scores": Table.of(self.scores)}

    def _rows(self) -> pl.DataFrame:
        """metric, mean, sd, topics: pairs of a topic are averaged first; undefined scores are left out."""
        per_topic = (
            self.scores.filter(pl.col("score").is_not_nan())
            .group_by("metric", "topic", maintain_order=True)
            .agg(pl.col("score").mean())
        )
        return per_topic.group_by("metric", maintain_order=True).agg(
            mean=pl.col("score").mean(), sd=pl.col("score").std(), topics=pl.len()
        )


def mutual_evaluation(
    judgments: Judgments, top: object = None, *, users: Sequence[int] = (2, 3, 4), min_documents: int = 5, seed: int = 0
) -> MutualEvaluation:
    """Rank every doubly judged topic by one judge and score it by the other, in S1 Table 2's metrics.

    AP on the top grade; GAP(1/N) and nDCG(1/N) with weights "at least 1 of N users" estimated on all other topics;
    nDCG with exponential gains under Zipf's and the logarithmic discount. Ties are averaged over.

    Not a ceiling for systems: a measure can be robust to who judges and blind to what is good.
    """
    if not judgments.scale.ordered:
        raise InputError(
            "mutual evaluation needs ordered grades.", Fix("Declare the order with ", Option("scale", None), ".")
        )
    whole = disagreement(judgments, top)
    table = crossed(judgments, min_documents=min_documents)
    lowest_top = whole.scale.low + whole.table.top
    fixed: dict[str, Measure] = {
        "AP": measure(f"AP(rel={lowest_top})"),
        "nDCG zipf exp": measure("nDCG(dcg='exp-zipf')"),
        "nDCG log exp": measure("nDCG(dcg='exp-log2')"),
    }
    rows: list[pl.DataFrame] = []
    unknown = 0
    topics = table.pairs["topic"].unique(maintain_order=True).to_list()
    with Progress("ranking by one judge, scoring by another", total=len(topics)) as bar:
        for topic in topics:
            chosen = dict(fixed)
            for n in users:
                weights = _without(whole, judgments.topics.index(topic)).weights_as_they_are(1, n)
                if any(math.isnan(w) for w in weights.values()):
                    unknown += 1
                    continue
                chosen[f"GAP 1/{n}"] = measure("GAP").with_gains(weights)
                chosen[f"nDCG log 1/{n}"] = measure("nDCG").with_gains(weights)
            rows += _scored(table.of_topic(topic).scores(list(chosen.values()), seed=seed), chosen)
            bar.advance()
    return MutualEvaluation(_in_order(rows, users), (*table.notes, *_notes(whole, len(topics), unknown)))


def _without(whole: Disagreement, topic: int) -> Disagreement:
    """The estimate from all other topics; from all where there is no other."""
    others = whole.table.topic != topic
    return replace(whole, table=whole.table.rows(others)) if others.any() else whole


def _scored(scores: pl.DataFrame, chosen: dict[str, Measure]) -> list[pl.DataFrame]:
    keys = ["topic", "ranks", "scores", "documents"]
    return [
        scores.select(*keys, pl.lit(metric).alias("metric"), pl.col(str(m)).alias("score"))
        for metric, m in chosen.items()
    ]


def _in_order(rows: list[pl.DataFrame], users: Sequence[int]) -> pl.DataFrame:
    """The rows in the order of the paper's table."""
    gap, log = [f"GAP 1/{n}" for n in users], [f"nDCG log 1/{n}" for n in users]
    order = pl.Enum(["AP", *gap, "nDCG zipf exp", "nDCG log exp", *log])
    return (
        pl.concat(rows)
        .sort(pl.col("metric").cast(order), maintain_order=True)
        .with_columns(pl.col("metric").cast(pl.String))
    )


def _notes(whole: Disagreement, topics: int, unknown: int) -> tuple[str, ...]:
    lost = (f"{unknown:,} weighted scores left out: some grade does not occur in the other topics",) if unknown else ()
    alone = ("one topic only: its weights come from itself",) if topics == 1 else ()
    return (f"top grade {whole.top}; weights estimated without the topic they score", *lost, *alone)
