"""The assessors of preferences: how far they agree, whether the first place helps, how sharply they tell apart."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import expit

from dissensus.judging.preferences.strengths import Comparisons, connected, maximise
from dissensus.judging.preferences.table import Preferences
from dissensus.stats.intervals import ratio_interval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROUNDS, TOLERANCE = 100, 1e-4


def agreement_table(preferences: Preferences, *, level: float = 0.95) -> pl.DataFrame:
    """Pairs of assessors on the pairs of documents that both answered, with intervals by topic.

    `agreement` counts equal answers, "same" being one of three; `decided` the share of equal answers where both decided
    for a document, `n_decided` how many those are. Of an assessor's repeated answers about a pair the first counts.
    """
    _, once = np.unique(np.stack([preferences.assessor, preferences.pair]), axis=1, return_index=True)
    answers = preferences.rows(np.sort(once))
    rows = []
    for one, other in itertools.combinations(range(len(answers.assessors)), 2):
        mine, theirs = answers.rows(answers.assessor == one), answers.rows(answers.assessor == other)
        _, here, there = np.intersect1d(mine.pair, theirs.pair, assume_unique=True, return_indices=True)
        a, b, topic = mine.answer[here], theirs.answer[there], mine.topic[here]
        equal = (a == b).astype(float)
        decided = (a != 0.5) & (b != 0.5)
        whole = _rate(equal, topic, level)
        firm = _rate(equal[decided], topic[decided], level)
        rows.append((answers.assessors[one], answers.assessors[other], len(a), *whole, int(decided.sum()), *firm))
    names = [
        "assessor",
        "other",
        "n",
        "agreement",
        "low",
        "high",
        "n_decided",
        "decided",
        "decided_low",
        "decided_high",
    ]
    return pl.DataFrame(rows, schema=names, orient="row")


def position_table(preferences: Preferences, *, level: float = 0.95) -> pl.DataFrame:
    """How often the document shown first was preferred: 0.5 without bias; "same" and unknown orders left out."""
    rows = []
    for k, name in enumerate(preferences.assessors):
        own = preferences.rows((preferences.assessor == k) & (preferences.shown != 0) & (preferences.answer != 0.5))
        first = np.where(own.shown > 0, own.answer, 1 - own.answer)
        same = preferences.rows((preferences.assessor == k) & (preferences.answer == 0.5))
        rows.append(
            (name, int((preferences.assessor == k).sum()), len(same), len(own), *_rate(first, own.topic, level))
        )
    names = ["assessor", "answers", "same", "with_order", "first_preferred", "low", "high"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _rate(hits: Floats, topic: Ints, level: float) -> tuple[float, float, float]:
    if not len(hits):
        return float("nan"), float("nan"), float("nan")
    return float(hits.mean()), *ratio_interval(hits, np.ones(len(hits)), topic, level)


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
        new = np.array([_slope(gap[who == k], answer[who == k], gamma[k]) for k in range(n_judges)])
        new = np.exp(np.log(new) - np.log(new).mean())
        moved = float(np.abs(np.log(new / gamma)).max())
        gamma = new
        if moved < TOLERANCE:
            break
    return gamma


def _slope(gap: Floats, answer: Floats, start: float) -> float:
    """γ of a logistic regression through the origin, by Newton in ln γ, within [1e-3, 1e3]."""
    log = np.log(start)
    for _ in range(50):
        z = np.exp(log) * gap
        p = expit(z)
        gradient = float(((answer - p) * z).sum())
        curvature = float((p * (1 - p) * z**2).sum() - gradient) or 1.0
        step = float(np.clip(gradient / max(curvature, 1e-9), -1, 1))
        log = float(np.clip(log + step, np.log(1e-3), np.log(1e3)))
        if abs(step) < 1e-10:
            break
    return float(np.exp(log))
