"""Audits in order as METHODS §12 writes them down: loops over documents, a grid instead of a search."""

from __future__ import annotations

import math

BETS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)


class SlowTwin:
    def __init__(self, c, rate, label, prior):
        self.c, self.rate, self.label, self.prior = list(c), list(rate), list(label), list(prior)
        self.values: list[float] = []
        self.draws: list[tuple[float, float, float]] = []
        self.low, self.high = -math.inf, math.inf
        self.bounds = (-math.inf, math.inf)

    def predicted(self, d):
        same = [v for i, v in enumerate(self.values) if self.label[i] == self.label[d]]
        return (4 * self.prior[self.label[d]] + sum(same)) / (4 + len(same))

    def draw(self, value):
        t = len(self.values)
        unseen = range(t, len(self.c))
        f = {d: self.predicted(d) for d in unseen}
        total = sum(self.rate[d] for d in unseen)
        seen = sum(c * v for c, v in zip(self.c, self.values, strict=False))
        middle = seen + sum(self.c[d] * f[d] for d in unseen)

        def guess(d, v):
            return middle + self.c[d] * (v - f[d]) * total / self.rate[d]

        possible = [guess(d, v) for d in unseen for v in (0.0, 1.0)]
        low = min(*possible, seen + sum(min(self.c[d], 0) for d in unseen)) - 1e-9
        high = max(*possible, seen + sum(max(self.c[d], 0) for d in unseen)) + 1e-9
        z = guess(t, value)
        self.values.append(float(value))
        self.draws.append((z, low, high))
        after = seen + self.c[t] * value
        rest = range(t + 1, len(self.c))
        self.bounds = (after + sum(min(self.c[d], 0) for d in rest), after + sum(max(self.c[d], 0) for d in rest))
        return z, low, high, *self.bounds

    def wealth(self, m):
        up = down = 0.0
        for k in BETS:
            a = b = 1.0
            for z, low, high in self.draws:
                a *= 1 + k * (z - m) / (m - low)
                b *= 1 - k * (z - m) / (high - m)
            up, down = up + a / len(BETS), down + b / len(BETS)
        return up / 2 + down / 2

    def running_set(self, alpha, points=1000):
        floor, ceiling = self.bounds
        grid = [floor + (ceiling - floor) * i / points for i in range(points + 1)]
        inside = [m for m in grid if self.low <= m <= self.high and self.wealth(m) < 1 / alpha]
        self.low, self.high = max(self.low, inside[0]), min(self.high, inside[-1])
        return self.low, self.high
