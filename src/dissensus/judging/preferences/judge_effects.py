"""The assessors of preferences: how far they agree, whether the first place helps, how sharply they tell apart."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.special import expit

from dissensus.arrays import Floats, Ints
from dissensus.judging.agreement.cohen import FEW_ASSESSORS, SHARED
from dissensus.judging.preferences.questions import Questions, questions
from dissensus.judging.preferences.strengths import Comparisons, connected, maximise
from dissensus.judging.preferences.table import Preferences
from dissensus.stats.intervals import ratio_intervals
from dissensus.tables.columns import names_of

ROUNDS, TOLERANCE = 100, 1e-4


def agreement_table(preferences: Preferences, asked: Questions | None = None, *, level: float = 0.95) -> pl.DataFrame:
    """Pairs of assessors on the pairs of documents that both answered, with intervals by topic.

    `agreement` counts equal answers, "same" being one of three; `decided` the share of equal answers where both decided
    for a document, `n_decided` how many those are. All answers of an assessor about a pair are one: in both orders, it
    decided for a document if they lean to it, else they are "same". Only pairs of assessors that share something are
    looked at. Beyond `FEW_ASSESSORS` assessors, those are listed that share `SHARED` pairs of documents.
    """
    asked = questions(preferences) if asked is None else asked
    says = np.sign(np.round(asked.value - 0.5, 12))
    one, other, place = _met(asked.pair, asked.assessor)
    k = len(preferences.assessors)
    key, owner = np.unique(one[0] * k + other[0], return_inverse=True)
    a, b = says[one[1]], says[other[1]]
    if k > FEW_ASSESSORS:
        often = np.bincount(owner, minlength=len(key)) >= SHARED
        kept = often[owner]
        a, b, place, owner = a[kept], b[kept], place[kept], (np.cumsum(often) - 1)[owner[kept]]
        key = key[often]
    topic = asked.topic[place]
    equal, decided = (a == b).astype(np.float64), ((a != 0) & (b != 0)).astype(np.float64)
    ones = np.ones(len(equal))
    firm = decided > 0
    n = len(key)
    whole = _rates(equal, ones, topic, owner, n, level)
    sure = _rates(equal[firm], ones[firm], topic[firm], owner[firm], n, level)
    names = preferences.assessors
    return pl.DataFrame({
        "assessor": names_of(names, key // k), "other": names_of(names, key % k),
        "n": np.bincount(owner, minlength=n), "agreement": whole[0], "low": whole[1], "high": whole[2],
        "n_decided": np.bincount(owner, decided, n).astype(np.int64), "decided": sure[0], "decided_low": sure[1],
        "decided_high": sure[2],
    })  # fmt: skip


def _met(pair: Ints, who: Ints) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints], Ints]:
    """((assessor, row), (other assessor, row), a row) of every two answers to one question, the first assessor lower.

    Rows of a question stand one after the other, so the partners at each distance are one comparison of shifted arrays.
    """
    order = np.lexsort((who, pair))
    pair, who = pair[order], who[order]
    firsts, seconds = [], []
    start = np.arange(len(pair))
    step = 1
    while len(start):
        start = start[start + step < len(pair)]
        start = start[pair[start] == pair[start + step]]
        firsts.append(start)
        seconds.append(start + step)
        step += 1
    one, other = (np.concatenate(x) if x else np.empty(0, np.int64) for x in (firsts, seconds))
    return (who[one], order[one]), (who[other], order[other]), order[one]


def position_table(preferences: Preferences, asked: Questions | None = None, *, level: float = 0.95) -> pl.DataFrame:
    """How often the document shown first was preferred: 0.5 without bias; "same" and unknown orders left out.

    `both_orders` pairs were asked in both orders, and the order changed the answer of `changed` of them.
    """
    k = len(preferences.assessors)
    who, answer, shown = preferences.assessor, preferences.answer, preferences.shown
    used = (shown != 0) & (answer != 0.5)
    first = np.where(shown > 0, answer, 1 - answer)[used]
    rate, low, high = _rates(first, np.ones(len(first)), preferences.topic[used], who[used], k, level)
    asked = questions(preferences) if asked is None else asked
    return pl.DataFrame({
        "assessor": list(preferences.assessors), "answers": np.bincount(who, minlength=k),
        "same": np.bincount(who[answer == 0.5], minlength=k), "with_order": np.bincount(who[used], minlength=k),
        "first_preferred": rate, "low": low, "high": high,
        "both_orders": np.bincount(asked.assessor[asked.both], minlength=k),
        "changed": np.bincount(asked.assessor[asked.changed], minlength=k),
    })  # fmt: skip


def _rates(
    hits: Floats, given: Floats, topic: Ints, owner: Ints, n: int, level: float
) -> tuple[Floats, Floats, Floats]:
    """Share of hits of every owner, with intervals by topic; NaN without any."""
    size = np.bincount(owner, minlength=n)
    rate = np.divide(np.bincount(owner, hits, n), size, out=np.full(n, np.nan), where=size > 0)
    return rate, *ratio_intervals(hits, given, topic, owner, n, level)


def discriminations(data: list[Comparisons], judge: list[Ints], n_judges: int) -> Floats:
    """γ by judge: P(i ≻ j | k) = σ(γ_k(θ_i − θ_j)), "same" ½, Σ ln γ = 0; strengths and γ in turn until neither moves.

    `data` holds the sets of items that have their own strengths (the topics, where items are documents).
    """
    gamma = np.ones(n_judges)
    states = [np.zeros(d.n + 2) for d in data]
    free = [np.r_[np.ones(d.n, bool), False, False] for d in data]
    shrunken = [not connected(d, "strong") for d in data]
    answer, who = np.concatenate([d.answer for d in data]), np.concatenate(judge)
    for _ in range(ROUNDS):
        for g, own in enumerate(data):
            states[g], _ = maximise(own, states[g], gamma[judge[g]], free[g], shrunken[g], 2)
        gap = np.concatenate([x[d.i] - x[d.j] for x, d in zip(states, data, strict=True)])
        new = _slopes(gap, answer, who, gamma)
        new = np.exp(np.log(new) - np.log(new).mean())
        moved = float(np.abs(np.log(new / gamma)).max())
        gamma = new
        if moved < TOLERANCE:
            break
    return gamma


def _slopes(gap: Floats, answer: Floats, who: Ints, start: Floats) -> Floats:
    """γ of every judge, a logistic regression through the origin, by Newton in ln γ, within [1e-3, 1e3]."""
    n, log = len(start), np.log(start)
    for _ in range(50):
        z = np.exp(log)[who] * gap
        p = expit(z)
        gradient = np.bincount(who, (answer - p) * z, n)
        curvature = np.bincount(who, p * (1 - p) * z**2, n) - gradient
        curvature[curvature == 0] = 1.0
        step = np.clip(gradient / np.maximum(curvature, 1e-9), -1, 1)
        log = np.clip(log + step, np.log(1e-3), np.log(1e3))
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
    return np.asarray(np.exp(log))
