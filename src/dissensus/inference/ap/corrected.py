"""AP under a sampled audit: what a model of relevance says, corrected by audited documents that it did not learn from.

Audited documents lie in five groups, every topic spread over them. E_g is the model without the labels of group g
(`chances`): it neither learns from them nor knows them. With e_sd the effect of document d's label (`rankings`) and f_d
its chance, both from the model without d's group,

    θ_s = ⅕Σ_g E_g[1/T Σ_q Q_sq/R_q] + 1/T Σ_audited (1/π_d − 1 + ⅕)(y_d − f_d)·E_g[e_sd].

A document is unknown to E_g with chance 1 − ⅘π and is seen in group g with chance π/5: weight 5/π − 4 in one group,
its fifth in the mean. A label that the model has learned from must not correct it again, so groups are left out of
both terms. Documents that were certain to be audited are in no group, and a census gives the truth exactly. With
ψ_sd = E*[e_sd]/T,

    C = ½Σ_all ψψ'·max(f(1 − f), 0.005)(1 − π)/π + ½Σ_audited ψψ'(y − f)²(1 − π)/π².

When not to use it: with few relevant documents audited, or with fewer labels than `experiment coverage` has shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.inference.ap.chances import DrawnChances, RelevancePools
from dissensus.inference.ap.rankings import Rankings
from dissensus.inference.correction.estimate import AuditPart
from dissensus.inference.ndcg.corrected import LEAST_CHANCE, Sampled
from dissensus.work.seeds import generator

GROUPS = 5
DRAWS = 100  # of the model of all labels, and of each group's
LEAST_SPREAD = 0.005  # variance of a label


@dataclass(frozen=True, eq=False)
class Told:
    """What the model says once some labels are taken out: AP by topic, f and e of the documents asked about."""

    scores: Floats  # systems × topics
    answered: Floats  # the chance of every topic that something in it is relevant
    chance: Floats
    effect: Floats  # systems × documents


def sampled_scores(
    known: RelevancePools,
    *,
    seed: int,
    draws: int = DRAWS,
    empty: str = "zero",
    fixed: bool = False,
    group: Ints | None = None,
) -> Sampled:
    """Corrected AP of all systems; `fixed`: the audit has a fixed number of documents, drawn together.

    `group` of every document, −1 for none, where the groups are drawn already.
    """
    pool, rankings = known.pool, Rankings(known.pool.weights)
    pi = np.maximum(pool.inclusion, LEAST_CHANCE)
    if group is None:
        group = groups(pool.gold, pi, pool.topic, generator(seed, 0))
    systems = pool.weights.n_systems
    asked = np.flatnonzero(group >= 0)
    f, effect = np.empty(len(asked)), np.empty((systems, len(asked)))
    scores: Floats = np.zeros((systems, pool.topics))
    numbers = range(GROUPS) if len(asked) else range(1)
    for g in numbers:
        without = known.told(np.where(group == g, -1, pool.gold))
        mine = group[asked] == g
        told = told_of(without, rankings, asked[mine], (seed, 1 + g), draws)
        f[mine], effect[:, mine] = told.chance, told.effect
        scores += told.scores / len(numbers)
    everything = told_of(known, rankings, np.arange(len(pi)), (seed, 1 + GROUPS), draws)
    number = float(pool.topics) if empty == "zero" else max(float(everything.answered.sum()), 1e-12)
    residual = pool.gold[asked] - f
    term = effect * ((1 / pi[asked] - 1 + 1 / GROUPS) * residual)
    np.add.at(scores.T, pool.topic[asked], term.T)
    doubt = np.maximum(everything.chance * (1 - everything.chance), LEAST_SPREAD) * (1 - pi) / pi
    root = everything.effect * np.sqrt(doubt)
    nothing: Floats = np.zeros((systems, systems))
    return Sampled(
        scores, everything.scores, number, everything.answered, root @ root.T / number**2,
        AuditPart.of(effect, residual, pi[asked], number, fixed=fixed), nothing, np.zeros(systems),
    )  # fmt: skip


def groups(gold: Ints, pi: Floats, topic: Ints, rng: np.random.Generator) -> Ints:
    """The group of every audited document that was not certain to be audited, −1 for all others."""
    out = np.full(len(gold), -1)
    mine = np.flatnonzero((gold >= 0) & (pi < 1))
    order = np.lexsort((rng.random(len(mine)), topic[mine]))
    out[mine[order]] = np.arange(len(mine)) % GROUPS
    return out


def told_of(known: RelevancePools, rankings: Rankings, asked: Ints, seed: tuple[int, int], draws: int) -> Told:
    """Fit the model, draw the labels it does not know, and take AP of every draw."""
    pool, rng = known.pool, generator(*seed)
    drawn: DrawnChances = known.drawn(rng, draws)
    scores = np.empty((pool.weights.n_systems, pool.topics))
    answered = np.empty(pool.topics)
    chance, effect = np.empty(len(asked)), np.empty((len(scores), len(asked)))
    start = np.searchsorted(asked, pool.bounds)
    for q in range(pool.topics):
        items = slice(int(pool.bounds[q]), int(pool.bounds[q + 1]))
        p = drawn.chance(q)
        y = (rng.random(p.shape) < p).astype(np.float64)
        seen = pool.gold[items] >= 0
        y[seen] = pool.gold[items][seen, None]
        score, change = rankings.topic(q).effects(y)
        scores[:, q], answered[q] = score.mean(axis=1), (y.sum(axis=0) > 0).mean()
        mine = slice(int(start[q]), int(start[q + 1]))
        here = asked[mine] - items.start
        chance[mine], effect[:, mine] = p[here].mean(axis=1), change[:, here]
    return Told(scores, answered, chance, effect)
