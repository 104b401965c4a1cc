"""A judge's card: how far it agrees with gold, how it errs and where, whether it may replace an assessor, what changed
since its last version, and what it does to the order of systems.

A part that cannot be computed says why in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import polars as pl

from dissensus.errors import DissensusError, InputError
from dissensus.inference.judge_bias import BiasTable, judge_bias
from dissensus.judging.agreement.coefficient_interval import Coefficient, Resampling
from dissensus.judging.agreement.coefficients import alpha, percent, units
from dissensus.judging.agreement.cohen import kappa
from dissensus.judging.confusion.api import Confusion
from dissensus.judging.confusion.counting import confusion
from dissensus.judging.drift import Drift, drift
from dissensus.judging.label_table import labels
from dissensus.judging.leaderboard_replaceability import LeaderboardReplaceability, leaderboard_replaceability
from dissensus.judging.replaceability import Replaceability, Score, replaceability
from dissensus.measures.evaluate import evaluate
from dissensus.results import Result, Table
from dissensus.stats.correlation import kendall_tau, tau_ap
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

T = TypeVar("T")


@dataclass(frozen=True)
class CardSettings:
    """What every card is made with."""

    humans: Sequence[str] | None = None
    score: Score = "accuracy"
    epsilon: float = 0.2
    by_topic: bool = True
    measure: str = "nDCG@10"
    rel: int | str | None = None
    old: str | None = None  # the version before, for drift
    seed: int = 0


@dataclass(frozen=True, eq=False)
class SystemOrder:
    """Mean score of every system by gold and by the judge; τ and τ_ap of the judge's order with gold's."""

    table: pl.DataFrame
    tau: float
    tau_ap: float
    swapped: int
    pairs: int
    measure: str


@dataclass(frozen=True, eq=False)
class JudgeCard(Result):
    """All that is known of one judge; `missing` says, by part, why a part is None."""

    judge: str
    gold: str
    percent: Coefficient
    kappa: Coefficient
    alpha: Coefficient
    confusion: Confusion
    bias: BiasTable | None
    replaceability: Replaceability | None
    leaderboard: LeaderboardReplaceability | None
    drift: Drift | None
    order: SystemOrder | None
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"judge": Table.of(self._rows())}

    def _rows(self) -> pl.DataFrame:
        """One row: the numbers of the card."""
        r, order = self.replaceability, self.order
        row: dict[str, Any] = {
            "judge": self.judge,
            "documents": self.percent.n,
            "percent": float(self.percent),
            "kappa": float(self.kappa),
            "low": self.kappa.low,
            "high": self.kappa.high,
            "alpha": float(self.alpha),
            "omega": None if r is None else r.winning_rate,
            "rho": None if r is None else r.advantage,
            "may replace": None if r is None else r.passes,
            "tau": None if order is None else order.tau,
            "biases": None if self.bias is None else ", ".join(self.bias.found()),
        }
        kinds = {"omega": pl.Float64, "rho": pl.Float64, "may replace": pl.Boolean, "tau": pl.Float64}
        return pl.DataFrame([row], schema_overrides={**kinds, "biases": pl.String})

    def sentences(self) -> list[str]:
        """The card in words."""
        k = self.kappa
        lines = [
            f"{self.judge} agrees with {self.gold} on {self.percent:.1%} of {self.percent.n:,} documents, "
            f"κ {float(k):.3f} [{k.low:.3f}, {k.high:.3f}]."
        ]
        if self.replaceability is not None:
            r = self.replaceability
            omega, rho = r.winning_rate_interval, r.advantage_interval
            lines.append(
                f"{r.verdict} ω {r.winning_rate:.2f} [{omega[0]:.2f}, {omega[1]:.2f}], "
                f"ρ {r.advantage:.3f} [{rho[0]:.3f}, {rho[1]:.3f}]."
            )
        if self.leaderboard is not None:
            lines.append(str(self.leaderboard).splitlines()[0])
        if self.bias is not None:
            lines += self.bias.sentences()
        if self.drift is not None:
            lines += self.drift.sentences()
        if self.order is not None:
            o = self.order
            lines.append(
                f"By {o.measure} {o.swapped:,} of {o.pairs:,} pairs of systems have another order than under "
                f"{self.gold} (τ {o.tau:.2f})."
            )
        return [*lines, *(f"No {part}: {why}" for part, why in self.missing.items())]

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def judge_card(
    judgments: Judgments,
    judge: str,
    gold: str,
    *,
    runs: Runs | None = None,
    documents: Mapping[str, str] | None = None,
    topic_texts: Mapping[str, str] | None = None,
    settings: CardSettings | None = None,
) -> JudgeCard:
    """The card of `judge` against the assessor `gold`."""
    s = settings or CardSettings()
    for option, name in (("judge", judge), ("gold", gold)):
        if name not in judgments.assessors:
            known = ", ".join(judgments.assessors[:10])
            raise InputError(f"{option}={name!r}: no assessor has that name.", f"Assessors: {known}")
    missing: dict[str, str] = {}

    def part(name: str, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except DissensusError as error:
            missing[name] = str(error.what)
            return None

    humans = list(s.humans) if s.humans is not None else [a for a in judgments.assessors if a != judge]
    few = "it needs at least two assessors beside the judge."
    found_bias = part(
        "bias table",
        lambda: judge_bias(judgments, judge, gold, runs=runs, documents=documents, topic_texts=topic_texts, rel=s.rel),
    )
    if len(humans) < 2:
        missing["replaceability test"] = few
        replaced = board = None
    else:
        clusters = "topic" if s.by_topic else None
        replaced = part(
            "replaceability test",
            lambda: replaceability(judgments, judge, humans, s.score, s.epsilon, clusters, seed=s.seed),  # type: ignore[arg-type]
        )
        board = None
        if runs is not None:
            board = part(
                "leaderboard test",
                lambda: leaderboard_replaceability(runs, judgments, judge, humans, s.measure, s.epsilon, seed=s.seed),
            )
    changed = None
    if s.old is not None and s.old != judge:
        changed = part(
            "drift",
            lambda: drift(
                judgments, str(s.old), judge, gold=gold, rel=s.rel, runs=runs, measure=s.measure, seed=s.seed
            ),
        )
    if runs is None:
        missing["order of systems"] = "no runs were given."
        order = None
    else:
        order = part("order of systems", lambda: _order(runs, judgments, judge, gold, s.measure))
    agreed = _agreement(judgments, judge, gold, s.seed)
    return JudgeCard(
        judge, gold, *agreed, confusion(judgments, gold, judge), found_bias, replaced, board, changed, order, missing
    )


def _agreement(judgments: Judgments, judge: str, gold: str, seed: int) -> tuple[Coefficient, Coefficient, Coefficient]:
    """Percent agreement, Cohen's κ and Krippendorff's α of two assessors, with intervals over topics."""
    two = judgments.select(assessors=[judge, gold])
    table = labels(two).first()
    counts = units(two, table)
    how = Resampling(counts.kind, seed=seed)
    cluster = np.full(table.n_items, -1, np.int64)
    cluster[np.unique(table.item)] = counts.cluster
    ordered = table.scale.ordered
    return (
        percent(counts, how),
        kappa(table, cluster, "plain", ordered, how),
        alpha(counts, "ordinal" if ordered else "nominal", ordered, how),
    )


def _order(runs: Runs, judgments: Judgments, judge: str, gold: str, measure: str) -> SystemOrder:
    scores = evaluate(runs, judgments.select(assessors=[judge, gold]), [measure])
    name = str(next(iter(scores.data_vars)))
    mean = scores[name].mean("topic")
    by_gold, by_judge = (np.asarray(mean.sel(assessor=w).values, np.float64) for w in (gold, judge))
    systems = [str(x) for x in mean.coords["system"].values]
    if len(systems) < 2:
        raise InputError("one system has no order.")
    rank = [1 + (x[:, None] < x[None, :]).sum(axis=1) for x in (by_gold, by_judge)]
    table = pl.DataFrame(
        {
            "system": systems,
            gold: by_gold,
            judge: by_judge,
            f"rank {gold}": rank[0],
            f"rank {judge}": rank[1],
        }
    ).sort(gold, descending=True)
    i, j = np.triu_indices(len(systems), 1)
    opposite = (by_gold[i] - by_gold[j]) * (by_judge[i] - by_judge[j]) < 0
    return SystemOrder(
        table,
        float(kendall_tau(by_gold, by_judge)),
        float(tau_ap(by_gold, by_judge)),
        int(opposite.sum()),
        len(i),
        name,
    )
