"""Judges held against gold by the orders of systems they give: τ, τ_ap, RBO, top k, and which judge may be best.

Each judge's leaderboard is compared with gold's, on the same resampled topics for all. Values are corrected, with
intervals, as in `leaderboards`. The estimand is the agreement of means over all topics like these, for these systems. A
second interval of τ resamples systems, too: for systems like these.

Two judges are compared on the same resamples: the difference of their corrected τ, with 1.5 times the standard
deviation of the resampled differences, as for τ itself. The set of judges that may be best leaves out a judge only if
another one is shown better, all others together (the largest of the resampled differences).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.judging.leaderboards import means_of, resampled, topic_weights
from dissensus.stats.orders import KINDS, STEADY, Orders, compared, order_interval
from dissensus.work.seeds import generator


@dataclass(frozen=True, eq=False)
class AgainstGold:
    """`ends`: judges × kinds × (seen, corrected, low, high); `wide`: τ's low and high where systems are drawn, too.

    `pair`, `difference`, `se` and `p` are of pairs of judges (corrected τ of the first minus the second, p not
    adjusted), `best` says which judges may be best.
    """

    ends: Floats
    wide: Floats
    pair: Ints
    difference: Floats
    se: Floats
    p: Floats
    best: NDArray[np.bool_]


def against_gold(values: Floats, gold: Floats, *, replicates: int = 1000, k: int = 5, seed: int = 0) -> AgainstGold:
    """`values` judge × system × topic and `gold` system × topic, higher is better, without gaps."""
    n = len(values)
    everyone = np.concatenate([gold[None], values])
    pairs = np.stack([np.zeros(n, np.int64), np.arange(1, n + 1)], axis=1)
    boards = Orders.of(means_of(everyone, np.full((1, gold.shape[1]), 1 / gold.shape[1]))[0])
    seen = compared(boards.take(pairs[:, 0]), boards.take(pairs[:, 1]), k=k)
    weights = topic_weights(gold.shape[1], replicates, generator(seed))
    drawn = np.concatenate(list(resampled(everyone, pairs, weights, k=k)))
    mean, sd = drawn.mean(axis=0), drawn.std(axis=0, ddof=1)
    parts = [order_interval(seen[:, c], mean[:, c], sd[:, c], kind) for c, kind in enumerate(KINDS)]
    ends = np.stack([np.stack([seen[:, c], *parts[c]], axis=1) for c in range(len(KINDS))], axis=1)
    wide_sd = _systems_too(everyone, weights, generator(seed, 1)).std(axis=0, ddof=1)
    wide = np.stack(order_interval(seen[:, 0], mean[:, 0], wide_sd)[1:], axis=1)
    return AgainstGold(ends, wide, *_paired(2 * seen[:, 0] - mean[:, 0], drawn[:, :, 0]))


def _systems_too(everyone: Floats, weights: Floats, rng: np.random.Generator) -> Floats:
    """Resamples × judges: τ with gold where systems were drawn anew, too; a pair counts as often as both were drawn."""
    judges, systems, _ = everyone.shape
    out = np.empty((len(weights), judges - 1))
    times = rng.multinomial(systems, np.full(systems, 1 / systems), len(weights)).astype(np.float32)
    a, b = np.triu_indices(systems, 1)
    for r in range(len(weights)):
        means = means_of(everyone, weights[r : r + 1])[0]
        gap = np.sign(means[:, a] - means[:, b], dtype=np.float32, casting="same_kind")
        weight = times[r, a] * times[r, b]
        out[r] = gap[1:] @ (gap[0] * weight) / max(float(weight.sum()), 1.0)
    return out


def _paired(corrected: Floats, drawn: Floats) -> tuple[Ints, Floats, Floats, Floats, NDArray[np.bool_]]:
    """Pairs of judges: indices, difference of corrected τ, its standard error, p; and who may be best."""
    from scipy.special import ndtr

    n = len(corrected)
    a, b = np.triu_indices(n, 1)
    if not len(a):
        nothing = np.empty(0)
        return np.empty((0, 2), np.int64), nothing, nothing, nothing, np.ones(n, bool)
    centred = drawn - drawn.mean(axis=0)
    cross = centred.T @ centred / (len(drawn) - 1)
    spread = np.sqrt(np.maximum(cross[a, a] + cross[b, b] - 2 * cross[a, b], 0.0))
    varies = spread > 1e-12
    difference, se = corrected[a] - corrected[b], STEADY * spread
    z = np.divide(np.abs(difference), se, out=np.where(difference == 0, 0.0, np.inf), where=varies)
    best = [_may_be_best(j, corrected, centred, cross) for j in range(n)]
    return np.stack([a, b], axis=1), difference, se, np.asarray(2 * ndtr(-z)), np.array(best)


def _may_be_best(j: int, corrected: Floats, centred: Floats, cross: Floats) -> bool:
    """Is no other judge shown better than j, all others together? The best judge is left out in 5% of studies at most.

    The largest of (τ_i − τ_j)/se over i is held against the 95% point of the same in resamples, centred.
    """
    spread = np.sqrt(np.maximum(np.diag(cross) + cross[j, j] - 2 * cross[j], 0.0))
    others = spread > 1e-12
    if not others.any():
        return True
    largest = ((centred[:, others] - centred[:, [j]]) / spread[others]).max(axis=1)
    seen = (corrected[others] - corrected[j]) / (STEADY * spread[others])
    return bool(seen.max() <= np.quantile(largest, 0.95))
