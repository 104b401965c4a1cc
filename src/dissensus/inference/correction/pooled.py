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
from numpy.typing import NDArray

from dissensus.inference.correction.coverage import every_difference
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate, Method, contrast, covariance_population, refused
from dissensus.inference.correction.weights import Floats, Weights, cosines, discount_weights, identical, popularity
from dissensus.measures.measure import Measure, Ratio
from dissensus.wording import counted

FEWEST = 4  # systems; fewer do not show how biases vary
WITH_NAIVE, WITH_POPULARITY = 6, 8  # systems at which these explain biases, too
GRID = (16, 10)  # places for τ₁ and τ₂
POWER = 1.5  # τ = top·x^1.5: places are denser near 0
RIDGE = 1e-6  # of the mean variance: identical runs have a singular covariance
WEAK = 0.5  # discrimination below which pooled intervals were found to cover less than they claim
ASSUMPTION = (
    "the judge's biases vary between systems as if drawn at random, given which documents they share, how popular "
    "these are among all systems, and their naive scores"
)
TOO_SMALL = "this audit is too small to improve the order of systems; it corrects their level."


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
class Biases:
    """Estimated biases b̂ with covariance C, what explains them (X), and how similar systems are (K)."""

    estimate: Floats
    covariance: Floats
    design: Floats
    overlap: Floats

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
    useful = float((seen - contrast(widened, a, b)).mean()) > float(contrast(spread, a, b).mean())
    return Pooled(naive - bias, spread, tau, useful)


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


# ── pooled scores of a corrected measure, and when they are not offered ──────────────────────────────────────────────
def pooled_estimate(
    measure: Measure, naive: Floats, estimate: Estimate, design: Design, weights: Weights | None, target: str
) -> Estimate:
    """Pooled scores with the covariance of their means; `why_not` says why they are not offered.

    `naive` are bronze scores, systems × topics; `weights` those of a linear measure.
    """
    why = _not_offered(estimate, design, weights, len(naive))
    if why:
        return refused(Method.POOLED, naive.shape, why, assumption=ASSUMPTION)
    if estimate.model is not None:
        from dissensus.inference.ndcg.scores import pooled_by_model

        return pooled_by_model(measure, estimate, design, target)
    assert estimate.sampling is not None
    kept = np.asarray(np.isfinite(naive).all(axis=0) & np.isfinite(estimate.scores).all(axis=0))
    if not kept.any():
        why = f"{measure} is undefined on every topic"
        return refused(Method.POOLED, naive.shape, why, assumption=ASSUMPTION)
    used = discount_weights(measure, design.joined) if weights is None else weights
    bronze = naive[:, kept].mean(axis=1)
    made = pool(bronze, estimate.theta, estimate.sampling, cosines(used), popularity(used))
    covariance, df = made.covariance, np.inf
    least: Floats | None = None
    if target == "population":
        covariance = made.covariance + _topics(estimate, kept)
        least = np.asarray(made.covariance + covariance_population(naive[:, kept]))
        df = float(kept.sum() - 1)
    scores = estimate.scores + (made.theta - estimate.theta)[:, None]
    notes = _notes(measure, made, design, used, corrected=not estimate.too_few.all())
    return Estimate(
        Method.POOLED, ASSUMPTION, scores, made.theta, covariance, df, notes=tuple(notes), least_between=least,
        calibration_part=made.covariance, df_part=np.inf,
    )  # fmt: skip


def _not_offered(estimate: Estimate, design: Design, weights: Weights | None, systems: int) -> str:
    if systems < FEWEST:
        return f"pooled scores need at least {FEWEST} systems, there are {systems}"
    if estimate.why_not:
        return estimate.why_not
    if estimate.sampling is None:
        return "pooled scores need an audit of the scored documents"
    if not np.isfinite(estimate.theta).all():
        return "some systems have no corrected score"
    return "" if weights is None else every_difference(design, weights)


def _topics(estimate: Estimate, kept: NDArray[np.bool_]) -> Floats:
    """What topics bring to the covariance of θ̂, beyond the audit's part; negative eigenvalues cut."""
    assert estimate.sampling is not None
    by_topic = estimate.floor is None  # a sample of topics has the covariance of its design
    whole = estimate.covariance if by_topic else covariance_population(estimate.scores[:, kept])
    value, vector = np.linalg.eigh(whole - estimate.sampling)
    return np.asarray((vector * np.maximum(value, 0.0)) @ vector.T, np.float64)


def _notes(measure: Measure, made: Pooled, design: Design, weights: Weights, corrected: bool) -> list[str]:
    notes = []
    if not made.useful:
        notes.append(TOO_SMALL)
    slope = discrimination(measure, design, weights)
    if slope < WEAK:
        notes.append(
            f"the judge discriminates weakly (D = {slope:.3f} on the audited documents that systems show, below "
            f"{WEAK}): pooled intervals cover less than they claim with such a judge"
            + ("; rely on the corrected scores." if corrected else ".")
        )
    names = design.joined.systems
    if same := identical(weights):
        some = ", ".join(f"{names[a]} and {names[b]}" for a, b in same[:3])
        more = f" and {counted(len(same) - 3, 'more pair')}" if len(same) > 3 else ""
        notes.append(f"identical in what they show, and so in their pooled scores: {some}{more}.")
    return notes


def discrimination(measure: Measure, design: Design, weights: Weights) -> float:
    """D = Se + Sp − 1 on audited documents that count; for graded values the slope of bronze on gold values.

    NaN where all audited documents have one gold value, or none has a bronze label.
    """
    seen = design.audited & weights.weighty & (design.bronze < design.n_labels - 1)
    if not seen.any():
        return float("nan")
    gold, bronze = (_values(measure, design, s) for s in (True, False))
    g, j, w = gold[design.gold[seen]], bronze[design.bronze[seen]], 1 / design.inclusion[seen]
    mean = float((w * g).sum() / w.sum())
    spread = float((w * (g - mean) ** 2).sum())
    scale = float(np.ptp(gold)) / (float(np.ptp(bronze)) or 1.0)
    return scale * float((w * (g - mean) * j).sum()) / spread if spread > 0 else float("nan")


def _values(measure: Measure, design: Design, gold: bool) -> Floats:
    scale = design.gold_scale if gold else design.bronze_scale
    if isinstance(measure, Ratio):
        return measure.values(scale)
    return (scale.grades >= measure.relevant_from(scale)).astype(np.float64)
