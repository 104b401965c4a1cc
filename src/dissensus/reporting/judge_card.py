"""A judge's card: how far it agrees with gold, how it errs and where, whether it may replace an assessor, what changed
since its last version, and what it does to the order of systems.

A part that cannot be computed says why in its place. Whether a judge may replace an assessor is only asked where humans
are named, on one scale, and where the judge agrees with gold more than by chance. Gold is not one of the humans, and
neither is the judge's earlier version. With an audit as gold, documents count 1/π.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Values
from dissensus.errors import DissensusError, InputError
from dissensus.inference.comparison.claims import minus
from dissensus.inference.judge_bias import BiasTable, Exposure, audited_pairs, judge_bias
from dissensus.judging.agreement.coefficient_interval import Coefficient, Resampling, from_totals, ratio
from dissensus.judging.agreement.coefficients import alpha, alpha_of, percent, units
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
from dissensus.tables.audit import Audit
from dissensus.tables.judgments import Judgments
from dissensus.tables.other_scales import check_one_scale
from dissensus.tables.runs import Runs
from dissensus.wording import counted

T = TypeVar("T")
Agreed = tuple[Coefficient, Coefficient, Coefficient]  # percent, kappa, alpha


@dataclass(frozen=True)
class CardSettings:
    """What every card is made with."""

    humans: Sequence[str] | None = None  # who might be replaced; nobody is taken for one
    score: Score = "accuracy"
    epsilon: float = 0.2
    by_topic: bool = True
    measure: str = "nDCG@10"
    rel: int | str | None = None
    old: str | None = None  # the version before, for drift
    exposure: Exposure | None = None  # who shows which document, where that was found before
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
    audited: bool = False  # gold is an audit: shares are of the documents that could be drawn

    @property
    def of(self) -> str:
        """The documents of which the share of agreement is."""
        n = counted(self.percent.n, "document")
        return f"the documents that could be drawn ({n} audited, each counted 1/π)" if self.audited else n

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"judge": Table.of(self._rows())}

    def _rows(self) -> pl.DataFrame:
        """One row: the numbers of the card."""
        r, order = self.replaceability, self.order
        row: Values = {
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

    @property
    def headline(self) -> str:
        """What to know of the judge before all else: its largest bias, or how often it agrees where none was found."""
        if self.bias is not None and self.bias.found():
            return self.bias.sentences()[0]
        return f"{self.judge} agrees with {self.gold} on {self.percent:.0%} of {self.of}."

    def sentences(self) -> list[str]:
        """The card in words."""
        k = self.kappa
        lines = [
            f"{self.judge} agrees with {self.gold} on {self.percent:.1%} of {self.of}, "
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
    audit: Audit | None = None,
) -> JudgeCard:
    """The card of `judge` against the assessor `gold`; where gold's labels are an `audit`, with its probabilities."""
    s = settings or CardSettings()
    _check(judgments, judge, gold, s)
    missing: dict[str, str] = {}
    agreed = _agreement(judgments, judge, gold, s.seed) if audit is None else _weighted(judgments, judge, audit, s.seed)

    def part(name: str, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except DissensusError as error:
            missing[name] = str(error.what)
            return None

    truth = gold if audit is None else audit
    seen = s.exposure or runs
    found_bias = part(
        "bias table",
        lambda: judge_bias(judgments, judge, truth, runs=seen, documents=documents, topic_texts=topic_texts, rel=s.rel),
    )
    humans, replaced, board = list(s.humans or ()), None, None
    if refused := _no_certificate(humans, agreed[1]):
        missing["replaceability test"] = refused
    else:
        clusters = "topic" if s.by_topic else None
        replaced = part(
            "replaceability test",
            lambda: replaceability(judgments, judge, humans, s.score, s.epsilon, clusters, seed=s.seed),  # type: ignore[arg-type]
        )
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
    if runs is None or audit is not None:
        why = (
            "no runs were given."
            if runs is None
            else "an audit has labels of some documents. `correct` scores systems."
        )
        missing["order of systems"] = why
        order = None
    else:
        order = part("order of systems", lambda: _order(runs, judgments, judge, gold, s.measure))
    return JudgeCard(
        judge,
        gold,
        *agreed,
        confusion(judgments, gold, judge),
        found_bias,
        replaced,
        board,
        changed,
        order,
        missing,
        audit is not None,
    )


def _check(judgments: Judgments, judge: str, gold: str, s: CardSettings) -> None:
    """Names that exist, humans that are humans, one scale for all that are compared."""
    humans = [] if s.humans is None else list(s.humans)
    for option, name in (("judge", judge), ("gold", gold), *(("humans", h) for h in humans)):
        if name not in judgments.assessors:
            known = ", ".join(judgments.assessors[:10])
            raise InputError(f"{option}={name!r}: no assessor has that name.", f"Assessors: {known}")
    for taken, what in ((gold, "gold"), (judge, "the judge itself"), (s.old, "the judge's earlier version")):
        if taken in humans:
            raise InputError(
                f"{taken} is {what}, and not one of the humans whom the judge might replace.",
                "Name people who graded the same documents, without gold and without other judges.",
            )
    check_one_scale(judgments.select(assessors=list(dict.fromkeys((gold, judge, *humans)))))


def _no_certificate(humans: Sequence[str], kappa: Coefficient) -> str:
    """Why it is not tested whether the judge may replace an assessor; empty where it is."""
    if len(humans) < 2:
        return "it needs two people or more whom the judge might replace, and they must be named."
    if not kappa.low > 0:
        ends = "" if np.isnan(kappa.low) else minus(f" [{kappa.low:.3f}, {kappa.high:.3f}]")
        return f"the judge may agree with gold by chance alone (κ {minus(f'{float(kappa):.3f}')}{ends})."
    return ""


def _weighted(
    judgments: Judgments, judge: str, audit: Audit, seed: int
) -> tuple[Coefficient, Coefficient, Coefficient]:
    """The same three numbers where each audited document counts 1/π, with intervals over topics."""
    pairs, low, top = audited_pairs(judgments, judge, audit)
    k, n = top - low + 1, pairs.height
    weight = 1 / pairs["inclusion"].to_numpy()
    topic = np.unique(pairs["topic"].to_numpy(), return_inverse=True)[1]
    cell = (pairs["gold"].to_numpy() - low) * k + pairs["label"].to_numpy() - low
    size = int(topic.max()) + 1
    counts = np.bincount(topic * k * k + cell, weight * n / weight.sum(), size * k * k).astype(np.float64)
    tables, how = counts.reshape(size, k, k), Resampling("topics", seed=seed)
    parts, both = counts.reshape(size, -1), (tables + tables.transpose(0, 2, 1)).reshape(size, -1)

    def same(z: Floats) -> Floats:
        return np.asarray(z.reshape(-1, k, k).trace(axis1=1, axis2=2) / z.sum(axis=1), np.float64)

    def by_chance(z: Floats) -> Floats:
        table = z.reshape(-1, k, k)
        return np.asarray((table.sum(axis=1) * table.sum(axis=2)).sum(axis=1) / z.sum(axis=1) ** 2, np.float64)

    def cohen(z: Floats) -> Floats:
        return ratio(same(z) - by_chance(z), 1 - by_chance(z))

    level: Literal["nominal", "ordinal"] = "ordinal" if judgments.scale.ordered else "nominal"
    return (
        from_totals(parts, same, how, n, lowest=0.0),
        from_totals(parts, cohen, how, n),
        from_totals(both, lambda z: alpha_of(z, level), how, n),
    )


def _agreement(judgments: Judgments, judge: str, gold: str, seed: int) -> Agreed:
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
