"""Win rates of items, as a judge answered and rectified by an audit.

An expert's answers about a sample of the pairs correct the judge's about all of them:

    value = f(J) + (I/π)(1[a ≻ b] − f(J)),

J the judge's answer and the order shown, f(J) the expert's mean answer where the judge said J, I whether the pair was
audited and π with what probability; "same" is ½. Position bias is part of J, so it is corrected with the rest. A win
rate is the mean of the values over an item's pairs: unbiased whatever f is, if π is right.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from dissensus.errors import InputError
from dissensus.judging.preferences.table import Preferences
from dissensus.stats.intervals import quantile

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def win_rates(judge: Preferences, *, level: float = 0.95) -> pl.DataFrame:
    """Share of its comparisons that each item wins ("same" counts ½), with intervals by topic."""
    return _table(judge, judge.answer, None, level)


def rectified_win_rates(
    judge: Preferences, audit: Preferences, inclusion: ArrayLike | None = None, *, level: float = 0.95
) -> pl.DataFrame:
    """Win rates of the judge's pairs, rectified by an audit of some of them.

    `judge` and `audit` hold one answer for each pair. `inclusion` is the probability with which each pair of the audit
    was drawn, in its order; without it, pairs with the same answer and order by the judge had equal chances.
    """
    for side, name in ((judge, "judge"), (audit, "audit")):
        if len(np.unique(side.pair)) < len(side):
            raise InputError(f"{name} answers some pairs more than once.", "Give one assessor, and one answer a pair.")
    here, there = _matched(judge, audit)
    kind = 3 * (2 * judge.answer).astype(np.int64) + judge.shown + 1
    drawn = np.zeros(len(judge))
    if inclusion is None:
        for k in np.unique(kind):
            drawn[kind == k] = np.isin(np.flatnonzero(kind == k), here).mean()
    else:
        pi = np.asarray(inclusion, np.float64)
        if pi.shape != (len(audit),) or not ((pi > 0) & (pi <= 1)).all():
            raise InputError(f"inclusion must hold {len(audit):,} probabilities above 0 and at most 1.")
        drawn[here] = pi[there]
    expert = np.full(len(judge), np.nan)
    expert[here] = audit.answer[there]
    value = np.empty(len(judge))
    for k in np.unique(kind):
        own = kind == k
        audited = own & ~np.isnan(expert)
        weight = 1 / drawn[audited]
        f = float((weight * expert[audited]).sum() / weight.sum()) if audited.any() else np.nan
        if np.isnan(f):
            raise InputError(
                "no audited pair has the judge's answer and order of some pairs, so nothing corrects them.",
                "Audit some pairs of every kind: first, second and same, in both orders.",
            )
        value[own] = f
        value[audited] += (expert[audited] - f) * weight
    return _table(judge, value, judge.answer, level)


def _matched(judge: Preferences, audit: Preferences) -> tuple[Ints, Ints]:
    def keys(side: Preferences) -> dict[tuple[str, str, str], int]:
        rows = zip(side.topic, side.first, side.second, strict=True)
        return {(side.topics[t], side.docs[a], side.docs[b]): r for r, (t, a, b) in enumerate(rows)}

    mine, theirs = keys(judge), keys(audit)
    lost = [k for k in theirs if k not in mine]
    if lost:
        topic, a, b = lost[0]
        raise InputError(
            f"the judge did not answer {len(lost):,} pairs of the audit, among them {a} and {b} of topic {topic}.",
            "Audit pairs that the judge answered; the smaller id of a pair comes first in both.",
        )
    both = [(mine[k], r) for k, r in theirs.items()]
    pairs = np.array(both, np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _table(judge: Preferences, value: Floats, naive: Floats | None, level: float) -> pl.DataFrame:
    item = np.r_[judge.first, judge.second]
    won = np.r_[value, 1 - value]
    raw = None if naive is None else np.r_[naive, 1 - naive]
    topic = np.r_[judge.topic, judge.topic]
    rows = []
    for i in np.unique(item):
        own = item == i
        x, t = won[own], topic[own]
        mean, n_topics = float(x.mean()), len(np.unique(t))
        cluster = t if n_topics > 1 else np.arange(len(x))  # one topic alone: its pairs are what varies
        groups = len(np.unique(cluster))
        sums = np.bincount(np.unique(cluster, return_inverse=True)[1], weights=x - mean)
        se = float(np.sqrt(groups / (groups - 1) * (sums**2).sum()) / len(x)) if groups > 1 else float("nan")
        reach = quantile(level, groups - 1) * se if groups > 1 else float("nan")
        naive_rate = [] if raw is None else [float(raw[own].mean())]
        rows.append((judge.docs[i], len(x), n_topics, *naive_rate, mean, se, mean - reach, mean + reach))
    names = ["item", "pairs", "topics", *([] if raw is None else ["naive"]), "win_rate", "se", "low", "high"]
    return pl.DataFrame(rows, schema=names, orient="row").sort("win_rate", descending=True)
