"""Which documents' gold labels matter most to nDCG: π of an audit, and how wide intervals will be.

A document matters through the rankings that show it and through its topic's ideal. Grades are drawn from a rough model
of what the judge's labels mean, 24 times: ζ_q ~ N(0, 1) by topic, and

    P(G ≥ a) = expit(1.5(2v̂ − 1) + 1.2ζ_q − t_a),   t evenly from −0.3 to 3.3 (1.5 for two grades).

With y_s(b) = nDCG of system s if the document had grade b, all others as drawn, its label is worth

    E*[ Var_b(mean_s y) + ½·mean_s Var_b(y_s − mean_s y) ],

the level and the deviations. π is proportional to the root of that worth. Averaging over draws is the point: at the
judge's own labels, ten documents of the top grade make all other candidates of the ideal weightless.

y_s(b) = (A_s + w_sd·c_b)/I_b, A_s the system's DCG and c_b the change of gain, is linear in A_s and w_sd. So sums over
systems are moments of A and w: no array of systems × documents × grades is needed.

Before anything is audited, this rough model says how uncertain every document's gain and every topic's ideal
is. After a pilot audit the fitted chances do. The audit's part of a variance is then that of corrected scores
(`corrected`), Σ ψ² s²(1 − π)/π. What is not known of the ideals is tried out. One draw of the rough model is taken for
the truth, an audit is drawn from it, and corrected as a real one would be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.weights import Weights
from dissensus.inference.ndcg.chances import TopicPools
from dissensus.inference.ndcg.corrected import MODEL, RELEVANT, Gains, Sampled, ideals_of, sampled_scores, scaled
from dissensus.inference.ndcg.ideals import blocks
from dissensus.inference.ndcg.scores import gains_of, pool_of, why_not
from dissensus.measures.families.gain import ideal
from dissensus.measures.measure import Measure
from dissensus.stats.sampling import fixed_size
from dissensus.work.seeds import generator

DRAWS = 24
SLOPE, TOPICS = 1.5, 1.2  # of the judge's grade, of a topic
THRESHOLDS = (-0.3, 3.3)


def thresholds(levels: int) -> Floats:
    """What each grade above the lowest takes."""
    return np.array([1.5]) if levels == 2 else np.linspace(*THRESHOLDS, levels - 1)


def rough_chances(bronze: Floats, zeta: Floats, levels: int) -> Floats:
    """P(G ≥ a), a = 1…, of documents with these grades by the judge (on [0, 1]) and these effects of topics."""
    eta = SLOPE * (2 * bronze - 1) + TOPICS * zeta
    t = thresholds(levels).reshape(-1, *([1] * eta.ndim))
    return np.asarray(1 / (1 + np.exp(t - eta)), np.float64)


@dataclass(frozen=True, eq=False)
class Worth:
    """What the label of every document is worth (`key`, a standard deviation: π is proportional to it).

    Beside it what the rough model says: the standard deviation of every document's gain, the mean of 1/ideal by topic,
    and one draw of all gold grades, from which an audit can be tried out.
    """

    key: Floats
    spread: Floats
    inverse: Floats
    grades: Ints


def worth(pool: TopicPools, gains: Gains, rng: np.random.Generator) -> Worth:
    """Draw gold grades from the rough model, and see what each label changes."""
    zeta = rng.standard_normal((pool.topics, DRAWS))
    n = len(pool.bronze)
    key, spread, first_draw = np.empty(n), np.empty(n), np.empty(n, np.int64)
    inverse = np.zeros(pool.topics)
    weights = _by_item(pool.weights)
    for first, last in blocks(pool.bounds, DRAWS):
        items = slice(pool.bounds[first], pool.bounds[last])
        topic = pool.topic[items] - first
        at_least = rough_chances(pool.bronze[items][:, None], zeta[first:last][topic], pool.levels)
        grade = (rng.random(at_least.shape[1:]) < at_least).sum(axis=0)
        chance = -np.diff(at_least, axis=0, prepend=1.0, append=0.0)
        value, ideals = _variances(_inside(weights, items), topic, grade, chance, gains)
        key[items], first_draw[items] = value.mean(axis=1), grade[:, 0]
        average = chance.mean(axis=2)
        spread[items] = gains.values**2 @ average - (gains.values @ average) ** 2
        inverse[first : first + len(ideals)] = ideals
    return Worth(np.sqrt(np.maximum(key, 0.0)), np.sqrt(np.maximum(spread, 0.0)), inverse, first_draw)


def _by_item(weights: Weights) -> Weights:
    order = np.argsort(weights.item, kind="stable")
    return Weights(weights.system[order], weights.item[order], weights.weight[order], weights.item_topic, weights.rest)


def _inside(weights: Weights, items: slice) -> tuple[Ints, Ints, Floats, int]:
    """(system, place, weight) of the entries of these documents, and how many systems there are."""
    some = slice(*np.searchsorted(weights.item, (items.start, items.stop)))
    return weights.system[some], weights.item[some] - items.start, weights.weight[some], weights.n_systems


def _variances(
    entries: tuple[Ints, Ints, Floats, int], topic: Ints, grade: Ints, chance: Floats, gains: Gains
) -> tuple[Floats, Floats]:
    """(Var_b(mean_s y) + ½·mean_s Var_b(y_s − mean_s y), documents × draws; mean of 1/ideal by topic).

    `chance` is grades × documents × draws.
    """
    system, item, weight, systems = entries
    n, draws = grade.shape
    topics, levels = int(topic.max(initial=-1)) + 1, len(gains.values)
    gain = gains.values[grade]
    flat: Floats = np.zeros((systems * topics, draws))
    np.add.at(flat, system * topics + topic[item], weight[:, None] * gain[item])
    score = flat.reshape(systems, topics, draws)
    level = score.mean(axis=0)
    apart = score - level
    spread = (apart**2).mean(axis=0)[topic]  # mean over systems of A's deviations, squared
    mean = exposure_of(item, weight, n) / systems
    square = exposure_of(item, weight**2, n) / systems - mean**2
    cross = np.zeros((n, draws))
    np.add.at(cross, item, weight[:, None] * apart[system, topic[item]])
    cross /= systems
    counts = np.zeros((topics, draws, levels), np.int64)
    np.add.at(counts, (topic[:, None], np.arange(draws), grade), 1)
    others = counts[topic]
    others[np.arange(n)[:, None], np.arange(draws), grade] -= 1
    totals: list[Floats] = [np.zeros((n, draws)) for _ in range(5)]
    for b in range(levels):
        others[:, :, b] += 1
        base = ideal(others, gains.values, gains.discounts)
        others[:, :, b] -= 1
        inverse = np.divide(1.0, base, out=np.zeros_like(base), where=base > 0)
        change, p = gains.values[b] - gain, chance[b]
        y = (level[topic] + mean[:, None] * change) * inverse
        away = (spread + 2 * change * cross + change**2 * square[:, None]) * inverse**2
        for total, part in zip(totals, (y, y**2, away, inverse, change * inverse), strict=True):
            total += p * part
    first, second, away, alpha, beta = totals
    between = away - (alpha**2 * spread + 2 * alpha * beta * cross + beta**2 * square[:, None])
    now = ideal(counts, gains.values, gains.discounts)
    inverse = np.divide(1.0, now, out=np.zeros_like(now), where=now > 0).mean(axis=1)
    return np.asarray(second - first**2 + between / 2, np.float64), np.asarray(inverse, np.float64)


def exposure_of(item: Ints, weight: Floats, n: int) -> Floats:
    """Sums of weights by document."""
    return np.bincount(item, weight, n).astype(np.float64, copy=False)


# ── how wide intervals will be ───────────────────────────────────────────────────────────────────────────────────────
TRIAL = 100  # draws of an audit that is tried out


@dataclass(frozen=True, eq=False)
class Modelled:
    """What π is proportional to (`key`), sd of every document's gain, and how an audit would turn out (`ideals`)."""

    key: Floats
    spread: Floats
    pool: TopicPools
    gains: Gains
    grades: np.ndarray[tuple[int], np.dtype[np.int64]]
    seed: int

    def ideals(self, pi: Floats) -> Floats:
        """Variance of every system's score that the model of the ideals brings; infinite where it cannot be fitted."""
        made = self._tried(pi)
        if made is None:
            return np.full(self.pool.weights.n_systems, np.inf)
        return np.asarray(np.diag(made.ideals) + (MODEL * made.theta) ** 2)

    def _tried(self, pi: Floats) -> Sampled | None:
        seen = fixed_size(pi, generator(self.seed, 2))
        gold = np.full(len(pi), -1, np.int64)
        gold[seen] = self.grades[seen]
        if (self.gains.values[self.grades[seen]] > 0).sum() < RELEVANT:
            return None
        chances = np.maximum(pi, 0.002)
        return sampled_scores(replace(self.pool, gold=gold, inclusion=chances), self.gains, seed=self.seed, draws=TRIAL)


def modelled(measure: Measure, design: Design, seed: int) -> tuple[Weights, Floats, Floats, tuple[str, ...], Modelled]:
    """(weights of gains over ideals, values by gold level, nothing by label, what was assumed, the model)."""
    gains = gains_of(measure, design)
    if gains is None:
        gains = Gains(np.linspace(0.0, 1.0, len(design.gold_scale)), np.ones(1))
    ones = np.ones(len(design.bronze))
    bare = replace(design, gold=np.full(len(ones), -1), inclusion=ones, chances=ones)
    pool = pool_of(measure, bare)
    rough = worth(pool, gains, generator(seed))
    spread, inverse = rough.spread, rough.inverse
    notes = ["no audit yet: what labels are worth comes from a rough model of what the judge's grades mean."]
    if design.audited.any() and not why_not(measure, design, gains):
        made = ideals_of(pool_of(measure, design), gains, seed)
        spread, inverse = np.sqrt(np.maximum(made.spread, 0.0)), made.expected
        notes = ["what labels leave open comes from a model of gold grades, fitted to the audit."]
    model = Modelled(rough.key, spread, pool, gains, _as_known(rough, design), seed)
    return scaled(pool.weights, inverse[pool.topic]), gains.values, np.zeros(design.n_labels), tuple(notes), model


def drawn_grades(design: Design, seed: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """One draw of the gold levels of all documents from the rough model, audited ones as they are."""
    top = max(design.n_labels - 2, 1)
    bronze = np.where(design.bronze < design.n_labels - 1, design.bronze / top, 0.5)
    rng = generator(seed, 3)
    zeta = rng.standard_normal(len(design.joined.topics))
    at_least = rough_chances(bronze, zeta[design.topic], len(design.gold_scale))
    return np.where(design.audited, design.gold, (rng.random(len(bronze)) < at_least).sum(axis=0))


def _as_known(rough: Worth, design: Design) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """One draw of gold grades, audited ones as they are."""
    return np.where(design.audited, design.gold, rough.grades)
