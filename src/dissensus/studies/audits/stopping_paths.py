"""One audit played to the end of its order, with every look at it: did any fail, and when would it have stopped?

The truth Δ is known, so each path tells whether a set ever left it out: the betting set, the ruling set, the plain
asymptotic set (without E² and n_eff), and an ordinary 95 % interval looked at after every label, from the 30th to the
one at which the ruling set decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Ints
from dissensus.inference.sequential.asymptotic import EARLY_MULTIPLIER, asymptotic
from dissensus.inference.sequential.closing import fixed_look, model_se
from dissensus.inference.sequential.order import Order, ordered
from dissensus.inference.sequential.stop import Track
from dissensus.inference.sequential.wealth import LabelSequence, Steps, predictions
from dissensus.stats.anytime import START, log_both, mixture_multiplier, mixture_scale, wealth_path
from dissensus.stats.intervals import quantile
from dissensus.work.seeds import generator

ALPHA = 0.05
NORMAL = 1.959963984540054
TIE = 1e-12


@dataclass(frozen=True, eq=False)
class Contrast:
    """A difference whose truth is known: c, rates, bronze labels, p_J and gold values of all documents."""

    c: Floats
    rate: Floats
    label: Ints
    prior: Floats
    gold: Floats

    @property
    def truth(self) -> float:
        return float((self.c * self.gold).sum())

    def fixed_plan(self, power: float = 0.8) -> float:
        """Labels that a plan needs which knows the gap and every residual: (z_{1−α/2} + z_power)·se ≤ |Δ|."""
        size = np.bincount(self.label, minlength=len(self.prior))
        mean = np.bincount(self.label, self.gold, len(self.prior)) / np.maximum(size, 1)
        square = (self.c * (self.gold - mean[self.label])) ** 2
        allowed = (abs(self.truth) / (quantile(1 - ALPHA) + quantile(2 * power - 1))) ** 2
        drawn = self.rate > 0
        low, high = 0.0, 1.0
        while self._variance(square, drawn, high) > allowed and high < 1e12:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if self._variance(square, drawn, middle) <= allowed else (middle, high)
        return float(-np.expm1(-self.rate[drawn] * high).sum()) if high < 1e12 else float(drawn.sum())

    def _variance(self, square: Floats, drawn: np.ndarray, tau: float) -> float:
        pi = -np.expm1(-self.rate[drawn] * tau)
        return float((square[drawn] * (1 - pi) / np.maximum(pi, 1e-300)).sum())


@dataclass(frozen=True)
class PathFacts:
    """What one path showed. `…_at`: labels to a decision, the whole order if there was none before."""

    exact_failed: bool
    ruling_failed: bool
    plain_failed: bool
    peeking_failed: bool
    peeking_wrong: bool
    exact_at: int
    ruling_at: int
    exact_wrong: bool
    ruling_wrong: bool
    stopped_missed: bool
    random_missed: bool
    closing_missed: bool
    normal_missed: bool


def follow(contrast: Contrast, rng: np.random.Generator, *, peek: bool = True) -> PathFacts:
    """One order drawn and followed to its end."""
    order = ordered(contrast.rate, rng.exponential(size=len(contrast.rate)))
    item = order.item
    walk = LabelSequence(contrast.c[item], order.rate, contrast.label[item], contrast.prior)
    gold = contrast.gold[item]
    steps, truth = walk.steps(gold), contrast.truth
    wide = asymptotic(steps, ALPHA)
    out_exact = exact_leaves_out(steps, truth, ALPHA)
    no_exact, side_exact = exact_leaves_out(steps, 0.0, ALPHA), exact_side(steps, ALPHA)
    inside = np.abs(wide.estimate - truth) <= wide.half
    out_ruling = np.where(wide.rules, ~inside, out_exact)
    away = np.abs(wide.estimate) > wide.half
    certain = (steps.floor > TIE) | (steps.ceiling < -TIE)
    no_ruling = np.where(wide.rules, away | certain, no_exact)
    side_ruling = np.where(wide.rules, np.sign(wide.estimate), side_exact)
    exact_at, exact_wrong = _first(no_exact, side_exact, truth)
    ruling_at, ruling_wrong = _first(no_ruling, side_ruling, truth)
    plain = plain_half(steps, ALPHA)
    pi = order.inclusion(ruling_at)
    estimate, se = fixed_look(walk, gold[:ruling_at], pi)
    se = max(se, model_se(walk, gold[:ruling_at], pi))
    m = float(wide.multiplier[ruling_at - 1]) if ruling_at >= START else EARLY_MULTIPLIER
    peeks = _peeking(walk, order, gold, truth, ruling_at) if peek else (False, False)
    return PathFacts(
        bool(out_exact.any()), bool(out_ruling.any()), bool((np.abs(wide.estimate - truth) > plain).any()), *peeks,
        exact_at, ruling_at, exact_wrong, ruling_wrong, bool(out_ruling[ruling_at - 1]),
        bool(out_ruling[int(rng.integers(len(gold)))]), abs(estimate - truth) > m * se + TIE,
        abs(estimate - truth) > NORMAL * se + TIE,
    )  # fmt: skip


def exact_leaves_out(steps: Steps, m: float, alpha: float) -> np.ndarray:
    """Does the running betting set leave out m, after every draw?"""
    t = _possible(steps, m)
    out = np.ones(len(steps), bool)
    if t:
        up, down = wealth_path(steps.z_low[:t], steps.low[:t], steps.high[:t], m)
        out[:t] = np.maximum.accumulate(log_both(up, down)) >= -math.log(alpha)
    return out


def exact_side(steps: Steps, alpha: float) -> Floats:
    """On which side of 0 the betting set lies, where it does not hold 0."""
    t = _possible(steps, 0.0)
    side = np.where(steps.floor > TIE, 1.0, -1.0)
    if t:
        up, down = wealth_path(steps.z_low[:t], steps.low[:t], steps.high[:t], 0.0)
        side[:t] = np.where(up > down, 1.0, -1.0)
    return side


def _possible(steps: Steps, m: float) -> int:
    """For how many draws m lies within what is certain."""
    outside = np.flatnonzero((m < steps.floor - TIE) | (m > steps.ceiling + TIE))
    return int(outside[0]) if len(outside) else len(steps)


def _first(decided: np.ndarray, side: Floats, truth: float) -> tuple[int, bool]:
    """(labels to the decision, is the winner the wrong one)."""
    where = np.flatnonzero(decided)
    if not len(where) or abs(truth) <= TIE:
        return (int(where[0]) + 1, True) if len(where) else (len(decided), False)
    return int(where[0]) + 1, bool(side[where[0]] != np.sign(truth))


def plain_half(steps: Steps, alpha: float) -> Floats:
    """The asymptotic set's half width without E², infinite before look 30."""
    t = np.arange(1, len(steps) + 1)
    a = np.cumsum(1 / steps.left**2)
    squares = np.cumsum(steps.error**2) - np.cumsum(steps.error) ** 2 / t
    variance = a * np.maximum(squares, 0) / np.maximum(t - 1, 1)
    half = np.full(len(t), np.inf)
    if len(t) >= START:
        start = max(float(variance[START - 1]), 1e-300)
        late = np.maximum(variance[START - 1 :], 1e-300)
        half[START - 1 :] = mixture_multiplier(late, mixture_scale(start, alpha), alpha) * np.sqrt(late)
        half[START - 1 :] /= a[START - 1 :]
    return half


def _peeking(walk: LabelSequence, order: Order, gold: Floats, truth: float, until: int) -> tuple[bool, bool]:
    """(was an ordinary interval wrong at some look, did it first name the wrong winner), label 30 to `until`."""
    f = predictions(gold, walk.label, walk.prior)
    mass = np.bincount(walk.label, walk.c, len(walk.prior))
    wrong_look = wrong_winner = named = False
    for t in range(START, min(until + 1, len(gold))):
        pi = -np.expm1(-order.rate[:t] * order.key[t])
        x = walk.c[:t] * (gold[:t] - f[t][walk.label[:t]]) / pi
        estimate, half = float(mass @ f[t] + x.sum()), NORMAL * math.sqrt(float((x**2 * (1 - pi)).sum()))
        wrong_look |= abs(estimate - truth) > half
        if not named and abs(estimate) > half:
            named, wrong_winner = True, estimate * truth < 0
    return wrong_look, wrong_winner


def as_row(facts: PathFacts) -> list[object]:
    """The facts as a plain list, which any worker can send back."""
    return [getattr(facts, f.name) for f in fields(facts)]


def summary(rows: Sequence[PathFacts]) -> dict[str, object]:
    """Shares of paths, and median labels to a decision."""

    def share(name: str) -> float:
        return float(np.mean([getattr(r, name) for r in rows]))

    return {
        "paths": len(rows),
        "exact": share("exact_failed"),
        "ruling": share("ruling_failed"),
        "plain asymptotic": share("plain_failed"),
        "at the decision": share("stopped_missed"),
        "at a random label": share("random_missed"),
        "closing, m": share("closing_missed"),
        "closing, 1.96": share("normal_missed"),
        "wrong winner": share("ruling_wrong"),
        "labels": float(np.median([r.ruling_at for r in rows])),
        "labels, exact": float(np.median([r.exact_at for r in rows])),
    }


def shrinking(contrast: Contrast, seeds: Iterable[int]) -> pl.DataFrame:
    """A few paths of one contrast: path, labels, estimate, low, high, decided; for the figure."""
    out = []
    for path in seeds:
        order = ordered(contrast.rate, generator(path, 9).exponential(size=len(contrast.rate)))
        walk = LabelSequence(contrast.c[order.item], order.rate, contrast.label[order.item], contrast.prior)
        track = Track(walk, ("a", "b"), alpha=ALPHA, level=1 - ALPHA)
        track.advance(contrast.gold[order.item])
        at = track.decided_at or len(track.looks)
        out += [
            {"path": path, "labels": k.labels, "estimate": k.estimate, "low": k.low, "high": k.high,
             "decided": k.labels >= at}
            for k in track.looks if k.labels >= 5
        ]  # fmt: skip
    return pl.DataFrame(out)
