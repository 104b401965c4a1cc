"""Which system to take: the chance of each to be best, to be nearly best, and what choosing it costs.

True scores are drawn around *the* scores m, and every draw has its best system:

    chance best   = P(own is the largest)                from draws with the covariance V behind the intervals
    chance within = P(largest − own ≤ δ)                 from draws with N, the covariance of the deviations under the
    expected loss = E[largest − own]                     scores' own weights (see `correction.pooled`)

One covariance for all would promise too little: intervals are wide on purpose. Copies are one system in the draws and
share its chance. The recommendation has the least expected loss among the systems that could be the best. It is a
recommendation by this model, not a test.

    >>> draws = Belief(np.array([0.50, 0.49, 0.40]), 2 * 0.0002 * np.eye(3), 0.0002 * np.eye(3))
    >>> found = decide(("A", "B", "C"), draws, 0.02)
    >>> found.recommended, [round(p, 1) for p in found.best]
    ('A', [0.6, 0.4, 0.0])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import InputError, Option, Text
from dissensus.work.seeds import generator

DRAWS, FORESEEN = 20_000, 2_000
CELLS = 4_000_000  # systems × draws held at a time: of more than 200 systems there are fewer draws
NEGLIGIBLE = 0.02  # δ, of the measure's range
PLACES = 12  # of ω, where scores are not pooled


@dataclass(frozen=True, eq=False)
class Belief:
    """Scores with the covariance V behind their intervals and N, that of their deviations.

    `df` makes the draws of V Student's t. `more_labels` and `more_topics` are the covariances of an estimate from as
    many new labels, or new topics, as there are now; None where that is not known. `beyond` is the part of N that new
    labels on these topics say nothing of.
    """

    mean: Floats
    wide: Floats  # V
    near: Floats  # N
    df: float = np.inf
    more_labels: Floats | None = None
    more_topics: Floats | None = None
    beyond: Floats | None = None

    @property
    def known(self) -> bool:
        """Are all of them numbers? An audit of one topic shows no spread over topics."""
        return all(bool(np.isfinite(x).all()) for x in (self.mean, self.wide, self.near))

    def only(self, places: Sequence[int]) -> Belief:
        """The same for some of the systems."""
        at = np.ix_(places, places)
        more = (None if c is None else c[at] for c in (self.more_labels, self.more_topics, self.beyond))
        return Belief(self.mean[list(places)], self.wide[at], self.near[at], self.df, *more)


@dataclass(frozen=True)
class Decision:
    """By system: chance to be best, chance to be within `negligible` of the best, expected loss.

    `recommended` has the least expected loss among those that could be the best; `elsewhere` has less and was ruled
    out, where there is such a system. `kept` is the system in use where none gains more than half of `negligible`.
    `after_labels` and `after_topics`: the expected loss of the choice after as many new labels, or topics, as now.
    """

    systems: tuple[str, ...]
    best: tuple[float, ...]
    within: tuple[float, ...]
    loss: tuple[float, ...]
    negligible: float
    recommended: str
    elsewhere: str | None = None
    kept: str | None = None
    after_labels: float = float("nan")
    after_topics: float = float("nan")

    def of(self, system: str) -> tuple[float, float, float]:
        """(chance best, chance within, expected loss) of one system."""
        i = self.systems.index(system)
        return self.best[i], self.within[i], self.loss[i]

    @property
    def choice(self) -> str:
        """What to take: the system in use, unless another gains enough."""
        return self.kept or self.recommended


def check_negligible(negligible: float | None) -> None:
    """δ is a size."""
    if negligible is not None and not (np.isfinite(negligible) and negligible > 0):
        raise InputError(Text(Option("negligible", negligible), ": a difference that does not matter is above 0."))


def decide(
    systems: Sequence[str],
    belief: Belief,
    negligible: float,
    *,
    candidates: Sequence[str] = (),
    in_use: str | None = None,
    copies: Sequence[Sequence[str]] = (),
    seed: int = 0,
) -> Decision:
    """The decision from draws; more is better in `belief`.

    `candidates` are the systems that could be the best (all, if none is named); `copies` are groups of identical ones.
    """
    groups = _groups(systems, copies)
    one = belief.only([g[0] for g in groups])
    rng = generator(seed)
    draws = min(DRAWS, CELLS // max(len(one.mean), 1))
    best = _chances(one.mean + _draws(one.wide, rng, draws, one.df))
    behind = one.mean + _draws(one.near, rng, draws)
    behind = behind.max(axis=1, keepdims=True) - behind
    within, loss = (behind <= negligible).mean(axis=0), behind.mean(axis=0)
    own = np.zeros((3, len(systems)))
    for g, members in enumerate(groups):
        own[:, members] = np.array([[best[g] / len(members)], [within[g]], [loss[g]]])
    named = list(systems)
    able = [named.index(s) for s in candidates] or list(range(len(named)))
    chosen = min(able, key=lambda s: (own[2, s], s))
    least = int(np.argmin(own[2]))
    kept = None
    if in_use is not None and in_use in named:
        gain = belief.mean[chosen] - belief.mean[named.index(in_use)]  # the losses differ by this, draws' error aside
        kept = in_use if gain <= negligible / 2 + 1e-12 else None
    first, second, third = (tuple(row) for row in own.tolist())
    made = Decision(
        tuple(systems), first, second, third, negligible, named[chosen],
        elsewhere=named[least] if own[2, least] < own[2, chosen] else None, kept=kept,
    )  # fmt: skip
    now = float(own[2, chosen])
    labels, topics = (
        now - saved(one, planned, seed, beyond)
        for planned, beyond in ((one.more_labels, one.beyond), (one.more_topics, None))
    )
    return replace(made, after_labels=max(labels, 0.0), after_topics=max(topics, 0.0))


def saved(belief: Belief, planned: Floats | None, seed: int = 0, beyond: Floats | None = None) -> float:
    """How much expected loss an estimate with covariance `planned` saves: draw the truth, draw the estimate, choose.

    NaN where no plan is given. `beyond` is the part of N that the estimate does not see. What would be chosen now is
    held against the same draws: more knowledge never costs.
    """
    if planned is None:
        return float("nan")
    rng, centre = generator(seed), np.eye(len(belief.mean)) - 1 / len(belief.mean)
    unseen = np.zeros_like(belief.near) if beyond is None else centre @ beyond @ centre
    near, planned = centre @ belief.near @ centre - unseen, centre @ planned @ centre
    part = belief.mean + _draws(near, rng, FORESEEN)
    seen = part + _draws(planned, rng, FORESEEN)
    truth = part + _draws(unseen, rng, FORESEEN)
    gain = near @ np.linalg.pinv(near + planned, hermitian=True)
    chosen = (belief.mean + (seen - belief.mean) @ gain.T).argmax(axis=1)
    return max(float((truth[np.arange(FORESEEN), chosen] - truth[:, belief.mean.argmax()]).mean()), 0.0)


def _groups(systems: Sequence[str], copies: Sequence[Sequence[str]]) -> list[list[int]]:
    """Places of systems that are one; a system without copies is alone."""
    place = {s: i for i, s in enumerate(systems)}
    together = [sorted(place[s] for s in group) for group in copies]
    held = {i for group in together for i in group}
    return sorted([*together, *([i] for i in range(len(systems)) if i not in held)])


def _chances(drawn: Floats) -> Floats:
    """How often each is the largest; exact ties share the event."""
    first = drawn == drawn.max(axis=1, keepdims=True)
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0), np.float64)


def _draws(covariance: Floats, rng: np.random.Generator, n: int, df: float = np.inf) -> Floats:
    """Draws around 0, normal or Student's t; covariances may be singular."""
    value, vector = np.linalg.eigh((covariance + covariance.T) / 2)
    drawn = rng.standard_normal((n, len(value))) @ (vector * np.sqrt(np.maximum(value, 0.0))).T
    if np.isfinite(df):
        drawn = drawn * np.sqrt(df / rng.chisquare(df, n))[:, None]
    return np.asarray(drawn, np.float64)


# ── where scores are not pooled ──────────────────────────────────────────────────────────────────────────────────────
def unpooled(theta: Floats, covariance: Floats, overlap: Floats, seed: int = 0) -> Belief:
    """Beliefs from corrected (or naive) scores alone: deviations ~ N(0, ω²K), ω flat up to three times their size.

    That size is the larger of what was seen and what the scores' error alone would show: two scores that happen to be
    equal do not make their systems so. The mixture over ω is summarised by its mean and covariance; the chance to be
    best is drawn under twice the covariance of the scores, as intervals are.
    """
    n = len(theta)
    centre = np.eye(n) - 1 / n
    deviations, shape = centre @ theta, centre @ overlap @ centre
    error = float(np.trace(centre @ covariance @ centre)) / n
    top = 3 * float(np.sqrt(max((deviations**2).mean(), error)))
    if n < 2 or not error > 0 or not np.trace(shape) > 0:  # scores without error need no prior
        return Belief(theta, covariance, covariance)
    places = top * (np.arange(PLACES) + 0.5) / PLACES
    (mean, near), (_, wide) = _mixtures(deviations, covariance, shape, places, (1.0, 2.0))
    return Belief(float(theta.mean()) + mean, wide, near)


def _mixtures(
    z: Floats, covariance: Floats, shape: Floats, places: Floats, times: Sequence[float]
) -> list[tuple[Floats, Floats]]:
    """(mean, covariance) of deviations over ω, each weighted by its likelihood, under C = t·covariance for each t.

    With C/tr C + K/tr K = LLᵀ and L⁻¹(C/tr C)L⁻ᵀ = UΓUᵀ, both are diagonal in LU: ω²K there is p = ω² tr K (1 − Γ), and
    C is q = t·tr C·Γ. The gain is p/(p + q), and pq/(p + q) is left: one decomposition serves all ω and t.
    """
    n = len(z)
    basis = np.linalg.qr((np.eye(n) - 1 / n)[:, :-1])[0]
    c, k = basis.T @ covariance @ basis, basis.T @ shape @ basis
    c = c + 1e-9 * max(float(np.trace(c)), 1e-300) / max(n - 1, 1) * np.eye(n - 1)
    sizes = float(np.trace(c)), float(np.trace(k))
    left = np.linalg.cholesky(c / sizes[0] + k / sizes[1])
    half = np.linalg.solve(left, np.linalg.solve(left, c / sizes[0]).T)
    share, turned = np.linalg.eigh((half + half.T) / 2)
    share = np.clip(share, 0.0, 1.0)
    seen = turned.T @ np.linalg.solve(left, basis.T @ z)
    onto = basis @ left @ turned
    prior = places[:, None] ** 2 * sizes[1] * (1 - share)  # ω × direction
    found = []
    for t in times:
        whole = prior + t * sizes[0] * share
        gain = prior / whole
        logs = -(np.log(whole) + seen**2 / whole).sum(axis=1) / 2
        weight = np.exp(logs - logs.max())
        weight /= weight.sum()
        means = gain * seen
        mean = weight @ means
        away = means - mean
        rest = weight @ (gain * (whole - prior))
        found.append((onto @ mean, (onto * rest) @ onto.T + onto @ ((away * weight[:, None]).T @ away) @ onto.T))
    return found
