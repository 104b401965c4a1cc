"""All pairs along one order: e-Holm on the wealth that bets against "no difference" have earned.

Per pair only W(0) is carried from label to label, in O(pairs): Z is linear in the weights, so it is computed per system
and subtracted; what an unseen document could still do to a pair is known from its largest and smallest c/r per bronze
label, looked up again only when that document is drawn. A pair is decided at W(0) ≥ k/α, k the pairs still open: Holm's
procedure on e-values, valid at every look; e-values count with their largest value so far.
"""

from __future__ import annotations

import math

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.inference.sequential.wealth import PSEUDO
from dissensus.stats.anytime import BETS, WIDER, log_both, log_factors, log_mean

CHUNK = 64  # pairs looked at together when all documents are
CLEAR = math.log(4)  # by how much one side's bets must lead for the set to lie on that side beyond doubt
CERTAIN = 1e-9  # a difference that rounding cannot make


class Extremes:
    """Per pair and bronze label: the largest and the smallest c/r among unseen documents, and who has it last."""

    def __init__(self, weight: Floats, rate: Floats, label: Ints, pairs: Ints, n_labels: int) -> None:
        self.weight, self.rate, self.label, self.pairs = weight, rate, label, pairs
        self.where = [np.flatnonzero(label == j) for j in range(n_labels)]
        shape = (len(pairs), n_labels)
        self.most, self.least = np.zeros(shape), np.zeros(shape)
        self.at_most, self.at_least = np.full(shape, -1), np.full(shape, -1)
        for j in range(n_labels):
            for start in range(0, len(pairs), CHUNK):
                self._look_up(np.arange(start, min(start + CHUNK, len(pairs))), j, 0)

    def _look_up(self, which: Ints, j: int, start: int) -> None:
        here = self.where[j][np.searchsorted(self.where[j], start) :]
        if not len(here):
            self.most[which, j] = self.least[which, j] = 0.0
            self.at_most[which, j] = self.at_least[which, j] = -1
            return
        a, b = self.pairs[which].T
        ratio = (self.weight[np.ix_(a, here)] - self.weight[np.ix_(b, here)]) / self.rate[here]
        back = ratio[:, ::-1]  # of equal ones the last: the longest until the next search
        rows = np.arange(len(which))
        for values, places, place, sign in (
            (self.most, self.at_most, back.argmax(axis=1), 1),
            (self.least, self.at_least, back.argmin(axis=1), -1),
        ):
            best = back[rows, place]
            counts = sign * best > 0
            values[which, j] = np.where(counts, best, 0.0)
            places[which, j] = np.where(counts, here[len(here) - 1 - place], -1)

    def drop(self, t: int) -> None:
        """Document t has been drawn."""
        j = int(self.label[t])
        stale = np.flatnonzero((self.at_most[:, j] == t) | (self.at_least[:, j] == t))
        for start in range(0, len(stale), CHUNK):
            self._look_up(stale[start : start + CHUNK], j, t + 1)


class ManyPairs:
    """W(0) of every pair, label by label, and which pairs are decided.

    `weight` is systems × documents, documents in order; `pairs` holds two rows of it each. `base` is added to Σ c·v of
    each pair (what it is worth when every document has the lowest grade): no difference means Σ c·v = −base.
    """

    def __init__(
        self,
        weight: Floats,
        rate: Floats,
        label: Ints,
        prior: Floats,
        pairs: Ints,
        alpha: float,
        base: Floats | None = None,
    ) -> None:
        self.weight, self.rate, self.label, self.pairs, self.alpha = weight, rate, label, pairs, alpha
        self.extremes = Extremes(weight, rate, label, pairs, len(prior))
        self.left = np.append(np.cumsum(rate[::-1])[::-1], 0.0)
        self.prior, self.count, self.total = prior, np.zeros(len(prior)), np.zeros(len(prior))
        self.mass = np.stack([weight[:, label == j].sum(axis=1) for j in range(len(prior))], axis=1)
        self.seen = np.zeros(len(weight))
        k = len(pairs)
        self.null = np.zeros(k) if base is None else -base
        self.extra_low, self.extra_high = np.zeros(k), np.zeros(k)  # what documents without a gold grade may add
        self.up_left, self.down_left = self._sides()
        self.logs = np.zeros((2, k, len(BETS)))
        self.peak, self.peak_side = np.full(k, -math.inf), np.zeros(k, np.int64)
        self.sure = True
        self.labels = 0
        self.decided_at = np.zeros(k, np.int64)  # 0: open
        self.side = np.zeros(
            k, np.int64
        )  # of the decided: 1 where the first of the pair wins, −1 where the second does

    def _sides(self) -> tuple[Floats, Floats]:
        up, down = np.zeros(len(self.pairs)), np.zeros(len(self.pairs))
        for i, (a, b) in enumerate(self.pairs.tolist()):
            c = self.weight[a] - self.weight[b]
            up[i], down[i] = c[c > 0].sum(), c[c < 0].sum()
        return up, down

    @property
    def open(self) -> int:
        return int((self.decided_at == 0).sum())

    def add(self, value: float) -> list[int]:
        """The next document's gold value (NaN: no assessor could judge it); returns the pairs this decides."""
        t = self.labels
        a, b = self.pairs.T
        f = (PSEUDO * self.prior + self.total) / (PSEUDO + self.count)
        j, left, unknown = int(self.label[t]), float(self.left[t]), math.isnan(value)
        c = self.weight[a, t] - self.weight[b, t]
        basis = self.seen + self.mass @ f
        middle = basis[a] - basis[b]
        before = self.seen[a] - self.seen[b]
        most, least = self.extremes.most, self.extremes.least
        rise = np.maximum((1 - f) * most, -f * least).max(axis=1)
        fall = np.minimum(-f * most, (1 - f) * least).min(axis=1)
        low = np.minimum(middle + fall * left, before + self.down_left) + self.extra_low - WIDER
        high = np.maximum(middle + rise * left, before + self.up_left) + self.extra_high + WIDER
        v_low = (c < 0).astype(np.float64) if unknown else np.full(len(c), value)
        v_high = (c > 0).astype(np.float64) if unknown else v_low
        pull = left / float(self.rate[t])
        z_low = middle + self.extra_low + c * (v_low - f[j]) * pull
        z_high = middle + self.extra_high + c * (v_high - f[j]) * pull
        self._bet(z_low, z_high, low, high)
        self._move_on(t, j, c, value)
        return self._decide()

    def _bet(self, z_low: Floats, z_high: Floats, low: Floats, high: Floats) -> None:
        m = self.null
        live = (low < m) & (high > m)  # elsewhere "no difference" is impossible, and the pair is decided without a bet
        self.logs[0, live] += log_factors(z_low[live], low[live], m[live])
        self.logs[1, live] += log_factors(z_high[live], high[live], m[live])

    def _move_on(self, t: int, j: int, c: Floats, value: float) -> None:
        self.labels = t + 1
        self.extremes.drop(t)
        self.mass[:, j] -= self.weight[:, t]
        self.up_left -= np.maximum(c, 0)
        self.down_left -= np.minimum(c, 0)
        if math.isnan(value):
            self.sure = False
            self.extra_low += np.minimum(c, 0)
            self.extra_high += np.maximum(c, 0)
            return
        self.seen += self.weight[:, t] * value
        self.total[j] += value
        self.count[j] += 1

    def certain(self) -> tuple[Floats, Floats]:
        """Between which values each difference lies for certain."""
        a, b = self.pairs.T
        before = self.seen[a] - self.seen[b] - self.null
        return before + self.extra_low + self.down_left, before + self.extra_high + self.up_left

    def lead(self) -> Floats:
        """Σ_S c·v + Σ_U c·f of every pair: who is ahead."""
        a, b = self.pairs.T
        f = (PSEUDO * self.prior + self.total) / (PSEUDO + self.count)
        basis = self.seen + self.mass @ f
        return np.asarray(basis[a] - basis[b] - self.null + (self.extra_low + self.extra_high) / 2, np.float64)

    def _decide(self) -> list[int]:
        up, down = log_mean(self.logs)
        wealth = log_both(up, down) if self.sure else np.maximum(up, down) - math.log(2)
        wealth = np.where(np.abs(up - down) > CLEAR, wealth, -math.inf)
        better = wealth > self.peak
        self.peak = np.where(better, wealth, self.peak)
        self.peak_side = np.where(better, np.where(up > down, 1, -1), self.peak_side)
        floor, ceiling = self.certain()
        sure_side = np.where(floor > CERTAIN, 1, np.where(ceiling < -CERTAIN, -1, 0))
        new: list[int] = []
        while self.open:
            limit = math.log(self.open / self.alpha)
            ready = np.flatnonzero((self.decided_at == 0) & ((sure_side != 0) | (self.peak >= limit)))
            if not len(ready):
                break
            self.decided_at[ready] = self.labels
            self.side[ready] = np.where(sure_side[ready] != 0, sure_side[ready], self.peak_side[ready])
            new += ready.tolist()
        return new
