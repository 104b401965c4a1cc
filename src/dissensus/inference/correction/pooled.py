"""Pooled correction: systems share a judge, so their biases are estimated together.

Rectified scores θ̂ are unbiased and noisy. A decent judge errs nearly equally on all systems, so what an audit says of
one system's bias b = naive − θ says something of the others' (Fay & Herriot 1979, an area is a system):

    b̂ = naive − θ̂,   b̂ | b ~ N(b, C),   b = Xβ + u,   u ~ N(0, τ₁²K + τ₂²I).

X holds a constant, from 6 systems the naive score, from 8 how popular a system's documents are among the others. K is
the cosine of the systems' weights over documents: biases are sums of document errors, and systems that show the same
documents share them. The biases are averaged over the posterior of (τ₁, τ₂), flat on a grid:

    b̃ = b̂ − C V⁻¹(b̂ − Xβ̂),   V = C + τ₁²K + τ₂²I,
    M = C − C V⁻¹C + R(XᵀV⁻¹X)⁻¹Rᵀ,   R = C V⁻¹X,

θ̃ = naive − E[b̃], with covariance E[M] + Var(b̃). No audit error (C = 0): θ̃ = θ̂. No audit: θ̃ = naive.

When not to use it: where each system's score must hold whatever the judge does. Pooled scores rest on a model (biases
are exchangeable given overlap, popularity and naive score), and their coverage is an average over systems; rectified
scores assume nothing and stand for one system alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.inference.correction.weights import Floats, Ints

FEWEST = 4  # systems; fewer do not show how biases vary
WITH_NAIVE, WITH_POPULARITY = 6, 8  # systems at which these explain biases, too
GRID = (16, 10)  # places for τ₁ and τ₂
POWER = 1.5  # τ = top·x^1.5: places are denser near 0
RIDGE = 1e-6  # of the mean variance: identical runs have a singular covariance


@dataclass(frozen=True, eq=False)
class Pooled:
    """Pooled scores, their covariance, and the posterior means of τ₁ and τ₂.

    `useful` tells whether pooled differences are expected to be nearer to the truth than naive ones: the audit's own
    unbiased estimate of the naive squared error, averaged over pairs, against the mean variance of pooled differences.
    """

    theta: Floats
    covariance: Floats
    spread: tuple[float, float]
    useful: bool


@dataclass(frozen=True, eq=False)
class Fit:
    """Biases given (τ₁, τ₂): log restricted likelihood without constants, b̃ and M."""

    likelihood: float
    bias: Floats
    covariance: Floats


@dataclass(frozen=True, eq=False)
class Biases:
    """Estimated biases b̂ with covariance C, what explains them (X), and how similar systems are (K)."""

    estimate: Floats
    covariance: Floats
    design: Floats
    overlap: Floats

    def given(self, first: float, second: float) -> Fit:
        """The fit at τ₁ = `first`, τ₂ = `second`, through plain inverses: the slow twin of `average`."""
        c, x = self.covariance, self.design
        inverse = np.linalg.inv(c + first**2 * self.overlap + second**2 * np.eye(len(c)))
        information = x.T @ inverse @ x
        rest = self.estimate - x @ np.linalg.solve(information, x.T @ inverse @ self.estimate)
        pull = c @ inverse
        reach = pull @ x
        likelihood = np.linalg.slogdet(inverse)[1] - np.linalg.slogdet(information)[1] - rest @ inverse @ rest
        covariance = c - pull @ c + reach @ np.linalg.solve(information, reach.T)
        return Fit(float(likelihood) / 2, self.estimate - pull @ rest, covariance)

    def average(self) -> tuple[Floats, Floats, tuple[float, float]]:
        """(E[b̃], E[M] + Var(b̃), posterior means of τ₁ and τ₂) over the grid.

        One eigendecomposition of C + τ₁²K serves all τ₂: V⁻¹ = U diag(1/(λ + τ₂²)) Uᵀ.
        """
        top = 3 * float(np.sqrt(max(self.estimate.var(), np.trace(self.covariance) / len(self.estimate))))
        first, second = ((np.arange(n) + 0.5) / n for n in GRID)
        fits = [self._row(top * x**POWER, top * second**POWER) for x in first]
        weight = np.array([fit[0] for fit in fits]) + np.log(first)[:, None] / 2 + np.log(second) / 2
        weight = np.exp(weight - weight.max())
        weight /= weight.sum()
        bias = np.array([fit[1] for fit in fits])
        mean = np.einsum("ij,ijs->s", weight, bias)
        covariance = np.sum([fit[2](w) for fit, w in zip(fits, weight, strict=True)], axis=0)
        away = (bias - mean).reshape(-1, len(mean))
        covariance = covariance + (away * weight.reshape(-1, 1)).T @ away
        spread = float(weight.sum(axis=1) @ (top * first**POWER)), float(weight.sum(axis=0) @ (top * second**POWER))
        return mean, covariance, spread

    def _row(self, first: float, second: Floats) -> tuple[Floats, Floats, _Mixture]:
        """For one τ₁ and every τ₂: log restricted likelihoods, biases, and the mixture of covariances."""
        value, vector = np.linalg.eigh(self.covariance + first**2 * self.overlap)
        shrink = 1 / (np.maximum(value, 0.0) + second[:, None] ** 2)  # places × systems
        x, b, c = vector.T @ self.design, vector.T @ self.estimate, self.covariance @ vector
        information = np.einsum("sp,js,sq->jpq", x, shrink, x)
        beta = np.linalg.solve(information, np.einsum("sp,js,s->jp", x, shrink, b)[:, :, None])[:, :, 0]
        rest = b - beta @ x.T
        likelihood = np.log(shrink).sum(axis=1) - np.linalg.slogdet(information)[1] - (shrink * rest**2).sum(axis=1)
        bias = self.estimate - (shrink * rest) @ c.T
        return likelihood / 2, bias, _Mixture(self.covariance, c, shrink, x, information)


@dataclass(frozen=True, eq=False)
class _Mixture:
    """Σ_j weight_j·M_j over the places of τ₂."""

    covariance: Floats
    turned: Floats  # C U
    shrink: Floats
    design: Floats  # UᵀX
    information: Floats

    def __call__(self, weight: Floats) -> Floats:
        reach = np.einsum("ts,js,sp->jtp", self.turned, self.shrink, self.design)
        part = np.einsum("j,jtp,jpu->tu", weight, reach, np.linalg.solve(self.information, reach.transpose(0, 2, 1)))
        less = (self.turned * (weight @ self.shrink)) @ self.turned.T
        return np.asarray(weight.sum() * self.covariance - less + part, np.float64)


def pool(naive: Floats, theta: Floats, covariance: Floats, overlap: Floats, popularity: Floats) -> Pooled:
    """Pooled scores from naive and rectified ones; `covariance` is the audit's part of θ̂'s, for these topics.

    >>> naive, rectified = np.array([0.5, 0.6, 0.7, 0.8]), np.array([0.43, 0.47, 0.61, 0.65])
    >>> pooled = pool(naive, rectified, 0.03**2 * np.eye(4), np.eye(4), np.zeros(4))
    >>> (naive - pooled.theta).round(3).tolist()  # biases of .07 to .15 drawn towards their mean, .11
    [0.083, 0.124, 0.096, 0.137]
    """
    diagonal = np.trace(covariance) / len(naive)
    widened = (covariance + covariance.T) / 2 + RIDGE * diagonal * np.eye(len(naive))
    if diagonal <= 0:  # everything was audited
        return Pooled(theta, np.zeros_like(covariance), (0.0, 0.0), True)
    biases = Biases(naive - theta, widened, explain(naive, popularity), overlap)
    bias, spread, tau = biases.average()
    a, b = np.triu_indices(len(naive), 1)
    seen = (biases.estimate[a] - biases.estimate[b]) ** 2
    useful = float((seen - between(widened, a, b)).mean()) > float(between(spread, a, b).mean())
    return Pooled(naive - bias, spread, tau, useful)


def between(covariance: Floats, a: Ints, b: Ints) -> Floats:
    """Var(θ_a − θ_b), element by element."""
    return np.asarray(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b], np.float64)


def explain(naive: Floats, popularity: Floats) -> Floats:
    """X: a constant, the naive score from 6 systems, popularity from 8; columns that say nothing new are left out."""
    n = len(naive)
    columns = [np.ones(n)]
    more = [naive - naive.mean()] * (n >= WITH_NAIVE) + [popularity] * (n >= WITH_POPULARITY)
    for column in more:
        wider = np.stack([*columns, column / max(float(np.abs(column).max()), 1e-300)], axis=1)
        if np.linalg.matrix_rank(wider, tol=1e-8 * np.sqrt(n)) > len(columns):
            columns.append(column)
    return np.stack(columns, axis=1)
