"""Logistic regression with effects of topics, fitted by its mode and drawn from the normal around it (Laplace 1774).

    logit P(y_d = 1) = x_d·b + z_d·u_q,   b_j ~ N(0, s_j²),   u_qr ~ N(0, σ_r²),   q the topic of d.

The mode is found by Newton's method. The matrix of second derivatives is an arrowhead: topics meet each other in b
alone. So one step costs a small block for each topic and one solution of the size of b, however many topics there are.

    log marginal = log likelihood − ½Σ(b/s)² − ½Σ(u/σ)² − T·Σ_r log σ_r − ½ log|H|   (constants left out)

weighs values of σ against each other. When not to use it: with thousands of regressors, or where the normal around the
mode is too crude (a handful of labels and wide priors).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints

STEPS = 60  # of Newton's method; it needs five to ten
CLOSE = 1e-10  # relative rise of the log posterior at which it has arrived


@dataclass(frozen=True, eq=False)
class Regressors:
    """What is known of labelled documents: regressors `x`, those with an effect by topic `z`, and their topics.

    `spread` is the prior standard deviation of each b.
    """

    x: Floats
    z: Floats
    topic: Ints
    topics: int
    spread: Floats


@dataclass(frozen=True, eq=False)
class Laplace:
    """The mode (`b`, `u` topics × effects), the matrix of second derivatives there, and the log marginal likelihood."""

    b: Floats
    u: Floats
    own: Floats  # topics × effects × effects: second derivatives in a topic's effects
    shared: Floats  # topics × effects × regressors: in an effect and b
    rest: Floats  # those in b once the effects are solved for
    log_marginal: float

    @cached_property
    def _answers(self) -> Floats:
        """How a topic's effects answer to b: own⁻¹ shared."""
        return np.asarray(np.linalg.solve(self.own, self.shared), np.float64)

    @cached_property
    def _roots(self) -> tuple[Floats, Floats]:
        """Lower triangles of `rest` and `own`."""
        return np.asarray(np.linalg.cholesky(self.rest), np.float64), np.asarray(
            np.linalg.cholesky(self.own), np.float64
        )

    def draw(self, rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
        """n draws of (b, u): regressors × draws, topics × effects × draws."""
        root, own = self._roots
        away = np.linalg.solve(root.T, rng.standard_normal((len(self.b), n)))
        luck = rng.standard_normal((*self.u.shape, n))
        wide = np.linalg.solve(own.transpose(0, 2, 1), luck)
        return self.b[:, None] + away, self.u[:, :, None] - self._answers @ away + wide


def fit(y: Floats, given: Regressors, sigma: Floats) -> Laplace:
    """The mode of (b, u) for 0/1 outcomes `y`; `sigma` is the standard deviation of each effect over topics."""
    x, z, topic = given.x, given.z, given.topic
    topics, effects = given.topics, z.shape[1]
    order, start = _by_topic(topic, topics)
    b, u = np.zeros(x.shape[1]), np.zeros((topics, effects))
    tight, narrow = 1 / given.spread**2, 1 / sigma**2

    def height(b: Floats, u: Floats) -> tuple[float, Floats]:
        eta = x @ b + (z * u[topic]).sum(axis=1)
        fit = float((y * eta - np.logaddexp(0.0, eta)).sum())
        return fit - 0.5 * float(tight @ b**2) - 0.5 * float((u**2 @ narrow).sum()), eta

    reached, eta = height(b, u)
    for _ in range(STEPS):
        parts = _curvature(eta, given, order, start, tight, narrow)
        own, shared, rest = parts
        off = y - 1 / (1 + np.exp(-eta))
        steep_b = x.T @ off - tight * b
        steep_u = _summed(z * off[:, None], order, start, topics) - narrow * u
        solved = np.linalg.solve(own, steep_u[:, :, None])
        step_b = np.linalg.solve(rest, steep_b - np.einsum("qrp,qr->p", shared, solved[:, :, 0]))
        step_u = (solved - np.linalg.solve(own, shared @ step_b[:, None]))[:, :, 0]
        size = 1.0
        while True:
            higher, tried = height(b + size * step_b, u + size * step_u)
            if higher >= reached or size < 1e-6:
                break
            size /= 2
        b, u, eta, gained, reached = b + size * step_b, u + size * step_u, tried, higher - reached, higher
        if gained < CLOSE * (1 + abs(reached)):
            break
    own, shared, rest = _curvature(eta, given, order, start, tight, narrow)
    volume = np.linalg.slogdet(rest)[1] + np.linalg.slogdet(own)[1].sum()
    marginal = reached - topics * float(np.log(sigma).sum()) - 0.5 * float(volume)
    return Laplace(b, u, own, shared, rest, marginal)


def _curvature(
    eta: Floats, given: Regressors, order: Ints, start: Ints, tight: Floats, narrow: Floats
) -> tuple[Floats, Floats, Floats]:
    """(own, shared, rest) at these logits."""
    x, z, topics = given.x, given.z, given.topics
    chance = 1 / (1 + np.exp(-eta))
    weight = (chance * (1 - chance))[:, None]
    own = _summed((z[:, :, None] * (weight * z)[:, None]).reshape(len(x), -1), order, start, topics)
    own = own.reshape(topics, z.shape[1], z.shape[1]) + np.diag(narrow)
    shared = np.empty((topics, z.shape[1], x.shape[1]))
    for r in range(z.shape[1]):
        shared[:, r] = _summed(weight * z[:, r : r + 1] * x, order, start, topics)
    inside = (weight * x).T @ x + np.diag(tight)
    rest = inside - np.einsum("qrp,qrs->ps", shared, np.linalg.solve(own, shared))
    return own, shared, (rest + rest.T) / 2


def _by_topic(topic: Ints, topics: int) -> tuple[Ints, Ints]:
    """(documents by topic, where each topic begins)."""
    order = np.argsort(topic, kind="stable")
    return order, np.searchsorted(topic[order], np.arange(topics + 1))


def _summed(values: NDArray[np.float64], order: Ints, start: Ints, topics: int) -> Floats:
    """Sums over the documents of each topic, topics × columns."""
    out: Floats = np.zeros((topics, values.shape[1]))
    filled = np.diff(start) > 0
    if filled.any():
        out[filled] = np.add.reduceat(values[order], start[:-1][filled], axis=0)
    return out


def mixture(fits: list[Laplace], log_prior: Floats) -> Floats:
    """The weight of each fit: its marginal likelihood times its prior."""
    level = np.array([f.log_marginal for f in fits]) + log_prior
    weight = np.exp(level - level.max())
    return np.asarray(weight / weight.sum(), np.float64)


def draw_mixture(fits: list[Laplace], weight: Floats, rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """n draws of (b, u), each from one fit, chosen by its weight."""
    which = np.sort(rng.choice(len(fits), n, p=weight))
    parts = [fits[i].draw(rng, int((which == i).sum())) for i in range(len(fits)) if (which == i).any()]
    mixed = rng.permutation(n)  # the draws of several regressions are combined by place
    return tuple(np.concatenate([part[k] for part in parts], axis=-1)[..., mixed] for k in (0, 1))  # type: ignore[return-value]
