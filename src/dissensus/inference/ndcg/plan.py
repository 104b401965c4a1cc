"""Which documents' gold labels matter most to nDCG, before any is known: π of an audit.

A document matters through the rankings that show it and through its topic's ideal. Grades are drawn from a rough model
of what the judge's labels mean, 24 times: ζ_q ~ N(0, 1) by topic, and

    P(G ≥ a) = expit(1.5(2v̂ − 1) + 1.2ζ_q − t_a),   t evenly from −0.3 to 3.3 (1.5 for two grades).

With y_s(b) = nDCG of system s if the document had grade b, all others as drawn, its label is worth

    E*[ Var_b(mean_s y) + ½·mean_s Var_b(y_s − mean_s y) ],

the level and the deviations. π is proportional to the root of that worth. Averaging over draws is the point: at the
judge's own labels, ten documents of the top grade make all other candidates of the ideal weightless.

y_s(b) = (A_s + w_sd·c_b)/I_b, A_s the system's DCG and c_b the change of gain, is linear in A_s and w_sd. So sums over
systems are moments of A and w: no array of systems × documents × grades is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.inference.correction.weights import Weights
from dissensus.inference.ndcg.chances import TopicPools
from dissensus.inference.ndcg.corrected import Gains
from dissensus.inference.ndcg.ideals import blocks
from dissensus.measures.families.gain import ideal

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
