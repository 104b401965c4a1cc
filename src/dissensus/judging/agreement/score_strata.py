"""Scores by how far the judges agree: do systems stand in the same order where the labels are in doubt?

Topics are split into thirds by their percent agreement, the mean over documents with two labels or more of the share
of agreeing pairs of labels (`agreement(…).per_topic`). Equal topics stay together: with r_t the mean rank of topic t
among n, its third is ⌊3 (r_t − ½)/n⌋; where ties leave two thirds, they are the high and the low one. Topics without
such a document are a stratum of their own, "one judge only".

Every system's mean is taken within each stratum, and the orders are compared by τ_ap, the stratum of higher agreement
as the reference. Thirds of few topics have different orders for no reason at all: `by_chance` is the mean τ_ap of
strata of the same sizes filled at random, `p_value` the share (k+1)/(n+1) of such fillings with a τ_ap as low.

    >>> import dissensus as ds
    >>> same, other = {"x": 1, "y": 0}, {"x": 0, "y": 1}
    >>> labels = ds.Judgments.from_dict({"ann": {"1": same, "2": same, "3": same}, "bob": {"1": same, "2": other}})
    >>> runs = ds.Runs.from_dict({"A": {t: {"x": 2, "y": 1} for t in "123"}, "B": {t: {"y": 1} for t in "123"}})
    >>> scores = ds.evaluate(runs, labels.select(assessors=["ann"]), ["P@1"])
    >>> found = by_agreement(scores, topic_agreement(labels))
    >>> found.table.drop("assessor", "measure").rows(named=True)[0]
    {'system': 'A', 'all': 1.0, 'high': 1.0, 'low': 1.0, 'one judge only': 1.0}

Not a correction: where judges agree they may be wrong together. Agreement also goes with how easy a topic is and how
many relevant documents it has, so a difference between strata need not come from the labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats, Values
from dissensus.errors import InputError
from dissensus.judging.agreement.coefficients import by_topic, units
from dissensus.judging.label_table import Negative, labels
from dissensus.measures.catalog import lower_is_better
from dissensus.measures.scores import ScoreArrays
from dissensus.results import Result, Table, Tables, described
from dissensus.stats.correlation import tau_ap
from dissensus.stats.intervals import t_interval
from dissensus.tables.judgments import Judgments

if TYPE_CHECKING:
    import xarray as xr


STRATA = ("high", "middle", "low", "one judge only")  # the code of a stratum is its place
FILLINGS = 999
MEANINGS = {
    "stratum": "third of the topics by agreement: high, middle, low, or one judge only",
    "agreement": "mean share of judges' pairs of labels of a document that are equal",
    "least": "lowest agreement of its topics",
    "mean": "mean agreement of its topics",
    "most": "highest agreement of its topics",
    "score": "mean score on the topics of this stratum",
    "reference": "stratum of higher agreement, whose order is compared with",
    "other": "stratum of lower agreement",
    "by_chance": "mean τ_ap of strata of these sizes filled at random",
    "p_value": "share of such fillings with a τ_ap as low",
}


@dataclass(frozen=True, eq=False)
class ByAgreement(Result):
    """Scores and orders by agreement stratum.

    `topics`: topic, documents, agreement, stratum. `scores`: assessor, measure, system, stratum ("all" among them),
    score, low, high (Student's t over topics), topics. `order`: assessor, measure, reference, other, tau_ap, by_chance,
    p_value.
    """

    topics: pl.DataFrame
    scores: pl.DataFrame
    order: pl.DataFrame
    level: float = 0.95
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return "Mean scores by agreement of the judges on the topic"

    @property
    def claims(self) -> list[str]:
        """Whether the order moves with agreement."""
        return self.sentences()

    @property
    def strata(self) -> pl.DataFrame:
        """stratum, topics, and the agreement of its topics: least, mean, most."""
        found = self.topics.group_by("stratum", maintain_order=True).agg(
            topics=pl.len(),
            least=pl.col("agreement").min(),
            mean=pl.col("agreement").mean(),
            most=pl.col("agreement").max(),
        )
        return found.sort(pl.col("stratum").replace_strict(list(STRATA), range(len(STRATA))))

    @property
    def table(self) -> pl.DataFrame:
        """One row per assessor, measure and system, best first; one column of means per stratum."""
        return self.scores.pivot("stratum", index=["assessor", "measure", "system"], values="score")

    def sentences(self, measure: str | None = None) -> list[str]:
        """How far the order moves between the two ends of agreement, for each assessor and measure (or `measure`)."""
        present = [s for s in STRATA[:3] if s in self.topics["stratum"]]
        return [
            _sentence(r)
            for r in self.order.iter_rows(named=True)
            if [r["reference"], r["other"]] == [*present[:1], *present[-1:]] and measure in (None, r["measure"])
        ]

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        frames = {"scores": self.scores, "strata": self.strata, "order": self.order, "topics": self.topics}
        return described(frames, MEANINGS, level=self.level)

    def screen(self, whole: bool = False) -> Tables:
        """The thirds, every system's mean in each of them, and how the orders agree."""
        means = {s: f"mean score on topics of agreement {s}" for s in self.table.columns if s in ("all", *STRATA)}
        wide = Table.of(self.table, {**means, "all": "mean score on all topics"}, titles={s: s for s in means})
        own = self.tables
        shown = {"strata": own["strata"], "scores": wide, "order": own["order"]}
        return Tables(shown, self.title, self.notes, claims=self.claims)


def topic_agreement(judgments: Judgments, *, negative: Negative = "unjudged") -> pl.DataFrame:
    """Agreement topic by topic, as `agreement(judgments).per_topic` has it, without the coefficients' intervals."""
    table = labels(judgments, negative).first()
    return by_topic(judgments, units(judgments, table), table)


def by_agreement(
    scores: xr.Dataset | ScoreArrays, per_topic: pl.DataFrame, *, level: float = 0.95, seed: int = 0
) -> ByAgreement:
    """Split the topics of `scores` (from `evaluate`) by the agreement in `per_topic` (topic, documents, percent)."""
    arrays = ScoreArrays.of(scores)
    topics = list(arrays.topics)
    known = {t: (n, a) for t, n, a in per_topic.select("topic", "documents", "percent").iter_rows()}
    lost = [t for t in topics if t not in known]
    if lost:
        raise InputError(
            f"{len(lost)} topics have scores but no labels to agree on: {', '.join(lost[:5])}.",
            "Take the agreement of the judgments that the scores, or the merged labels, were made from.",
        )
    agreement = np.array([known[t][1] for t in topics], np.float64)
    stratum = thirds(agreement)
    split = pl.DataFrame(
        {
            "topic": pl.Series(topics, dtype=pl.String),
            "documents": pl.Series([known[t][0] for t in topics], dtype=pl.Int64),
            "agreement": pl.Series(agreement).fill_nan(None),
            "stratum": pl.Series([STRATA[c] for c in stratum], dtype=pl.String),
        }
    )
    rows: list[tuple[Any, ...]] = []
    orders: list[tuple[Any, ...]] = []
    systems = list(arrays.systems)
    for place, who in enumerate(arrays.assessors):
        for name, table in arrays.values.items():
            rows += [(who, name, *r) for r in _means(table[place], systems, stratum, name, level)]
            orders += [(who, name, *r) for r in _orders(table[place], stratum, name, seed)]
    text = dict.fromkeys(("assessor", "measure"), pl.String)
    numbers = {**dict.fromkeys(("score", "low", "high"), pl.Float64), "topics": pl.Int64}
    compared = dict.fromkeys(("tau_ap", "by_chance", "p_value"), pl.Float64)
    return ByAgreement(
        split,
        pl.DataFrame(rows, {**text, "system": pl.String, "stratum": pl.String, **numbers}, orient="row"),
        pl.DataFrame(orders, {**text, "reference": pl.String, "other": pl.String, **compared}, orient="row"),
        level,
    )


def thirds(agreement: Floats) -> NDArray[np.int64]:
    """The stratum of every topic, as a place in STRATA; equal topics share theirs, unknown agreement is the last.

    >>> [STRATA[c] for c in thirds(np.array([0.9, 0.5, 0.5, 0.2, np.nan]))]
    ['high', 'middle', 'middle', 'low', 'one judge only']
    >>> [STRATA[c] for c in thirds(np.array([1.0, 1.0, 1.0, 0.2]))]
    ['high', 'high', 'high', 'low']
    """
    out = np.full(len(agreement), 3, np.int64)
    known = np.isfinite(agreement)
    # sums of shares: equal up to rounding is equal
    _, place, count = np.unique(np.round(agreement[known], 12), return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(count) - (count - 1) / 2
    third = np.floor(3 * (mean_rank - 0.5) / max(known.sum(), 1)).astype(np.int64)
    if len(np.unique(third)) == 2:
        third = np.where(third == third.min(), 0, 2)
    out[known] = 2 - third[place]
    return out


def _means(
    values: Floats, systems: list[str], stratum: NDArray[np.int64], name: str, level: float
) -> list[tuple[Any, ...]]:
    """(system, stratum, mean, low, high, topics), the best system over all topics first."""
    overall = within(values, np.ones((1, len(stratum))))[0]
    best = np.argsort(overall if lower_is_better(name) else -overall, kind="stable")
    parts = {"all": np.ones(len(stratum), bool)} | {s: stratum == c for c, s in enumerate(STRATA) if c in stratum}
    return [
        (systems[i], part, *_interval(values[i, chosen & np.isfinite(values[i])], level))
        for i in best
        for part, chosen in parts.items()
    ]


def _interval(scores: Floats, level: float) -> tuple[float | None, float | None, float | None, int]:
    n = len(scores)
    mean = float(scores.mean()) if n else None
    if mean is None or n < 2:
        return mean, None, None, n
    low, high = t_interval(scores, level=level)
    return mean, low, high, n


def within(values: Floats, chosen: Floats) -> Floats:
    """Means of systems × topics over each row of 0/1 `chosen`: rows × systems; NaN where no score is defined."""
    known = np.isfinite(values)
    total = chosen @ np.where(known, values, 0.0).T
    count = chosen @ known.T.astype(np.float64)
    out: Floats = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return out


def _orders(values: Floats, stratum: NDArray[np.int64], name: str, seed: int) -> list[tuple[object, ...]]:
    """(reference, other, τ_ap, by chance, p) for every two strata; nothing for fewer than two systems."""
    scored = np.isfinite(values).any(axis=0)
    values, stratum = values[:, scored], stratum[scored]
    if len(values) < 2:
        return []
    sign = -1.0 if lower_is_better(name) else 1.0
    filled = np.random.default_rng(seed).permuted(np.tile(stratum, (FILLINGS, 1)), axis=1)
    dealt = np.vstack([stratum[None], filled])  # row 0 is what was seen
    means = {int(c): sign * within(values, (dealt == c).astype(np.float64)) for c in np.unique(stratum)}
    return [(STRATA[a], STRATA[b], *_compared(means[a], means[b])) for a, b in combinations(means, 2)]


def _compared(reference: Floats, other: Floats) -> tuple[float | None, float | None, float | None]:
    usable = np.asarray(np.isfinite(reference + other).all(axis=1))
    if not usable[0] or usable.sum() < 2:
        return None, None, None
    tau = np.asarray(tau_ap(reference[usable], other[usable]))
    seen, chance = float(tau[0]), tau[1:]
    return seen, float(chance.mean()), float((1 + (chance <= seen + 1e-12).sum()) / (1 + len(chance)))


def _sentence(row: Values) -> str:
    about = f"{row['measure']} by {row['assessor']}: from {row['reference']} to {row['other']} agreement"
    if row["tau_ap"] is None:
        return f"{about}, orders cannot be compared: a system has no score in one of them"
    verdict = "more than chance explains" if row["p_value"] < 0.05 else "no more than chance explains"
    return (
        f"{about} the order of systems moves {verdict} (τ_ap {row['tau_ap']:.2f}; topics split at random: "
        f"{row['by_chance']:.2f}, p = {row['p_value']:.3f})"
    )
