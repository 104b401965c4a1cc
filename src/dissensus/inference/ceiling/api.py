"""The ceiling: how well a ranker that is perfect for one judge scores with another.

Judge B scores, judge A's labels order the documents, and A's labels are B's passed through a confusion matrix C
(c_ij = P(A says j | B says i)). No ranker that knows only one other judge can expect more than

    E[score] = Σ_i n_i v(i) Σ_j c_ij E[w(rank of a document with B's grade i and A's label j)]

for a measure with weight w per rank and value v per grade; ties in A's labels are broken at random (Metrikov, Pavlu &
Aslam, "Impact of assessor disagreement on ranking performance", SIGIR 2012).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Unpack

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from dissensus.arrays import Floats, Ints
from dissensus.errors import ConfusionError, Fix, InputError, MeasureError, Option, Text
from dissensus.inference.ceiling.counts import grade_counts
from dissensus.inference.ceiling.expected_scores import (
    Forms,
    Order,
    ScoredTopics,
    exact_scores,
    normal_scores,
    ordered_labels,
    simulate,
)
from dissensus.io.options import ReadKeywords
from dissensus.judging.confusion.api import Confusion
from dissensus.judging.confusion.counting import OtherJudges, other_judges
from dissensus.judging.confusion.published import published
from dissensus.measures.catalog import measure as named
from dissensus.measures.evaluate import evaluate
from dissensus.measures.measure import Measure, topic_measures
from dissensus.measures.policies import Policies, Ties
from dissensus.results import Result, Table, single_values
from dissensus.tables.coercion import coerced
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale
from dissensus.wording import counted
from dissensus.work.executor import run_units
from dissensus.work.seeds import generator, sequence

Method = Literal["exact", "normal", "simulate"]


@dataclass(frozen=True, eq=False)
class Ceiling(Result):
    """Expected scores by assessor (who scores) and topic. `float(result)` is the mean over topics.

    A topic on which the measure is undefined (nothing relevant) is NaN and left out of means. `se` is the simulation's
    standard error, 0 for the two methods without chance.
    """

    measure: str
    method: Method
    order: Order
    assessor: tuple[str, ...]
    topic: tuple[str, ...]
    documents: Ints
    score: Floats
    se: Floats
    confusion: Confusion
    notes: tuple[str, ...] = ()
    own: Mapping[str, Confusion] = field(default_factory=dict)  # matrices of assessors who have enough labels
    estimated: bool = False  # the matrices come from the judgments themselves

    @property
    def per_topic(self) -> dict[str, float]:
        """Ceiling of every topic; the mean over assessors where several score."""
        return _means(self.topic, self.score)

    @property
    def per_assessor(self) -> dict[str, float]:
        """Mean over topics of every assessor who scores."""
        return _means(self.assessor, self.score)

    @property
    def mean(self) -> float:
        """Mean over the topics on which the measure is defined; NaN if there is none."""
        defined = [v for v in self.per_topic.values() if not np.isnan(v)]
        return float(np.mean(defined)) if defined else float("nan")

    def __float__(self) -> float:
        return self.mean

    @property
    def title(self) -> str:
        """What stands above the table."""
        return f"Ceiling of {self.measure}: {self.mean:.4f} ({self.method}, ordered by {self.order})"

    @property
    def facts(self) -> dict[str, object]:
        """The single values of the result."""
        return {**single_values(self), "mean": self.mean}

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"ceilings": Table.of(self._rows())}

    def _rows(self) -> pl.DataFrame:
        """Polars frame assessor, topic, documents, ceiling, se."""
        return pl.DataFrame(
            {
                "assessor": pl.Series(self.assessor, dtype=pl.String),
                "topic": pl.Series(self.topic, dtype=pl.String),
                "documents": self.documents,
                "ceiling": self.score,
                "se": self.se,
            }
        )


@coerced
def ceiling(
    grades: Sequence[int] | NDArray[np.integer] | Mapping[Any, ArrayLike] | Judgments,
    confusion: Confusion | ArrayLike | str | None = None,
    measures: str | Measure = "nDCG",
    method: Method = "exact",
    replicates: int = 1000,
    seed: int = 0,
    *,
    order: Order = "label",
    assessor: str | None = None,
    **reading: Unpack[ReadKeywords],
) -> Ceiling:
    """The expected score of the ranking that is perfect for another judge.

    Only judged documents count: condense runs before comparing them with their ceiling. A measure that treats topics
    differently, `nMCG(classes=…)`, needs topics with names. Not a bound for rankers that learn from several judges,
    nor for one judge scoring its own perfect ranking (that is 1). Shares above 100% can happen: the ranker knows more
    than one other judge.

    Parameters
    ----------
    grades
        One topic's grades, {topic: grades}, or Judgments, of which every assessor scores.
    confusion
        What another judge makes of each grade: a Confusion, a matrix, or the name of a published one (such as
        trec-rf10-crowd). Without it, estimated from the assessors of the judgments.
    measures
        The measure, by name.
    method
        exact (linear measures), normal (the paper's Gaussian approximation), or simulate (any measure).
    replicates
        Draws of the simulation.
    order
        Rank by the other judge's label, or by what it promises this judge (posterior), which is the tighter
        ceiling.
    assessor
        The one assessor whose grades are scored.

    Returns
    -------
    Ceiling
        `.mean`, `.per_topic`, and `float(result)`. Its table:

        - `ceilings`: assessor, topic, documents, ceiling, se

    Examples
    --------
    >>> matrix = [[0.9, 0.1], [0.3, 0.7]]
    >>> round(float(ceiling([1, 1, 0, 0, 0, 0], matrix, "P@2")), 6)
    0.688069
    >>> float(ceiling([2, 1, 0], np.eye(3), "P@1"))
    1.0
    """
    chosen = measures if isinstance(measures, Measure) else named(measures)
    _check(method, order, replicates)
    sequence(seed)
    judges = _confusions(grades, confusion)
    who, topics, counts, scale, notes = grade_counts(grades, judges.pooled, assessor)
    base, base_of = judges.stack(who)
    _check_rows(base[base_of], counts, scale)
    chosen.check_scale(scale)
    named_topics = isinstance(grades, Mapping | Judgments)  # a list of grades has no topic to be treated by
    own, measure_of = topic_measures(chosen, topics) if named_topics else ((chosen,), np.zeros(1, np.int64))
    forms = Forms.of_each(own, measure_of, counts, scale)
    if forms is None and method != "simulate":
        raise MeasureError(
            f"{chosen} is not linear, so its ceiling has no {'exact value' if method == 'exact' else 'closed form'}.",
            Fix("Draw it with ", Option("method", "simulate"), "."),
        )
    forms = None if forms is None else forms.heaviest_first()
    scored = ScoredTopics(counts, own, measure_of, forms, scale)
    defined = scored.defined
    matrices, matrix_of = ordered_labels(order, scored, base, base_of)
    rows = np.flatnonzero(defined)
    score, se = np.full(len(counts), np.nan), np.where(defined, 0.0, np.nan)
    if method == "simulate":
        shared = {"topics": scored, "matrices": matrices, "matrix_of": matrix_of, "samples": replicates, "seed": seed}
        score[rows], se[rows] = _simulated(rows, shared)
    elif forms is not None and len(rows):
        compute = exact_scores if method == "exact" else normal_scores
        # topics with the same counts under the same matrix and measure have the same ceiling: compute each once
        key = np.column_stack((measure_of[rows], base_of[rows], counts[rows]))
        _, first, again = np.unique(key, axis=0, return_index=True, return_inverse=True)
        one = rows[first]
        unique = compute(np.ascontiguousarray(counts[one]), matrices, matrix_of[one], forms.rows(one))
        score[rows] = unique[again.ravel()]
    undefined = int((~defined).sum())
    if undefined:
        notes = (*notes, f"{counted(undefined, 'topic')} without relevant documents: no ceiling, left out of the mean")
    return Ceiling(
        measure=str(chosen),
        method=method,
        order=order,
        assessor=who,
        topic=topics,
        documents=counts.sum(axis=1),
        score=score,
        se=se,
        confusion=judges.pooled,
        notes=tuple(dict.fromkeys((*judges.notes, *notes))),
        own=judges.own,
        estimated=confusion is None,
    )


def _simulated(rows: NDArray[np.intp], shared: dict[str, object]) -> tuple[Floats, Floats]:
    """(mean, standard error) of the topics in `rows`, one unit of work each."""
    drawn = run_units(simulated_topic, rows.tolist(), shared=shared, progress="topics")
    table = np.array(drawn, np.float64).reshape(len(rows), 2)
    return table[:, 0], table[:, 1]


def simulated_topic(
    unit: int, topics: ScoredTopics, matrices: Floats, matrix_of: Ints, samples: int, seed: int
) -> tuple[float, float]:
    """(mean, standard error) of one topic's simulated ceiling; its draws depend on the seed and the topic alone."""
    rng = generator(seed, unit)
    mean, se = simulate(topics.counts[unit], matrices[matrix_of[unit]], topics.scorer(unit), samples, rng)
    return float(mean), float(se)


def _confusions(grades: object, confusion: Confusion | ArrayLike | str | None) -> OtherJudges:
    if isinstance(confusion, Confusion):
        return OtherJudges(confusion)
    if isinstance(confusion, str):
        return OtherJudges(published(confusion), notes=(f"confusion: {confusion}",))
    if confusion is not None:
        return OtherJudges(Confusion(confusion))
    if not isinstance(grades, Judgments):
        raise ConfusionError(
            "grades alone say nothing about another judge.",
            Fix("Give ", Option("confusion"), ", or judgments of several assessors."),
        )
    return other_judges(grades)


# ── checks ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def _check(method: str, order: str, replicates: int) -> None:
    for name, value, known in (
        ("method", method, ("exact", "normal", "simulate")),
        ("order", order, ("label", "posterior")),
    ):
        if value not in known:
            raise InputError(Text(Option(name, value), " is not known."), f"Choose one of {', '.join(known)}.")
    if isinstance(replicates, bool) or not isinstance(replicates, int | np.integer) or replicates < 2:
        raise InputError(
            Text(Option("replicates", replicates), ": a simulation needs at least 2 samples, a whole number.")
        )


def _check_rows(matrices: Floats, counts: Ints, scale: Scale) -> None:
    """Every grade that occurs must have a known row in the matrix it is used with."""
    unknown = (np.isnan(matrices[:, :, 0]) & (counts > 0)).any(axis=0)
    if unknown.any():
        names = ", ".join(scale.names[k] for k in np.flatnonzero(unknown))
        raise ConfusionError(
            f"nothing is known of what another judge makes of grade {names}, which occurs.",
            "Smooth the matrix first: confusion.smoothed(1).",
        )


# ── the scores ───────────────────────────────────────────────────────────────────────────────────────────────────────
def _means(names: Sequence[str], values: Floats) -> dict[str, float]:
    """Mean of the values of each name, in order of first appearance; NaN only where all are."""
    groups: dict[str, list[float]] = {}
    for name, value in zip(names, values.tolist(), strict=True):
        groups.setdefault(name, []).append(value)
    kept = {name: [v for v in vs if not np.isnan(v)] for name, vs in groups.items()}
    return {name: float(np.mean(vs)) if vs else float("nan") for name, vs in kept.items()}


def ceiling_shares(runs: Runs, judgments: Judgments, limit: Ceiling, *, ties: Ties = Policies.ties) -> pl.DataFrame:
    """How much of the way to the ceiling each run has come: assessor, system, score, ceiling, share, topics.

    Runs are condensed first (unjudged documents taken out), because the ceiling ranks judged documents only. A share
    above 1 is not a mistake: the run knows more than one other judge does, or this topic's judges differ less than the
    matrix says.

    Means are over the topics that have both a score and a ceiling; a topic missing from a run scores as an empty
    ranking.
    """
    who = tuple(dict.fromkeys(limit.assessor))
    scores = evaluate(runs, judgments.select(assessors=who), [limit.measure], unjudged="condense", ties=ties)
    table = scores[limit.measure]
    best = {(a, t): s for a, t, s in zip(limit.assessor, limit.topic, limit.score.tolist(), strict=True)}
    rows = []
    for assessor in who:
        topics = [str(t) for t in table.topic.values]
        ceiling = np.array([best.get((assessor, t), np.nan) for t in topics])
        for system in [str(s) for s in table.system.values]:
            score = table.sel(assessor=assessor, system=system).values
            both = ~np.isnan(score) & ~np.isnan(ceiling)
            if not both.any():
                continue
            mean, most = float(score[both].mean()), float(ceiling[both].mean())
            rows.append((assessor, system, mean, most, mean / most if most else float("nan"), int(both.sum())))
    if not rows:
        raise InputError("no run shares a topic with the ceiling.", "Check that topic ids are the same.")
    names = ["assessor", "system", "score", "ceiling", "share", "topics"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return frame.sort("share", descending=True, maintain_order=True).sort("assessor", maintain_order=True)
