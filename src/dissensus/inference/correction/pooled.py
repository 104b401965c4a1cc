"""Pooled correction: systems share a judge, so their deviations from the mean are estimated together.

Rectified scores θ̂ are unbiased and noisy. A decent judge errs nearly equally on all systems, so its own order is often
better than theirs. Pooling keeps the level of θ̂ and shrinks the *deviations* towards the judge's (Fay & Herriot 1979,
an area is a system). With naive scores n, x = n − mean(n), Q an orthonormal basis of contrasts and z = Qᵀ(θ̂ − n):

    z | d ~ N(d, QᵀCQ),   d ~ N(0, P),   P = σ₁²(Qᵀx)(Qᵀx)ᵀ + (σ₂R)²(Qᵀp)(Qᵀp)ᵀ + τ₁²K₃ + τ₂²K₁,
    θ̃ = mean(θ̂) + x + Q·E[d].

K₁ = QᵀKQ, K the cosines of the systems' weights over documents. K₃ ∝ K₁³ is smoother, as the biases of judges are. p is
how popular a system's documents are among the others, R the range of values. C is the audit's covariance of θ̂: the
expected form F, raised to the size of what the audited documents show (D). E[d] is an average over 378 cells of (σ₁,
σ₂, τ₁, τ₂), weighted by their likelihood. Covariances use weights that are flat on τ and tempered by ν, the number of
contrasts that the systems are worth: near-twins count once. No audit error (F = 0): θ̃ = θ̂.

When not to use it: where one system's score must be right whatever the judge does. Pooled scores rest on a model, and
`disagreement` says where the audit contradicts it. Rectified scores assume nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.inference.correction.coverage import every_difference
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate, Method, covariance_population, effective_number, refused
from dissensus.inference.correction.weights import Weights, cosines, discount_weights, identical, popularity
from dissensus.inference.ndcg.corrected import MODEL
from dissensus.inference.ndcg.pooled import ASSUMPTION as MODELLED
from dissensus.inference.ndcg.pooled import shrink
from dissensus.inference.ndcg.scores import by_bronze, naive_means
from dissensus.measures.families.average import AP
from dissensus.measures.measure import Linear, Measure
from dissensus.wording import counted

FEWEST = 4  # systems; fewer do not show how biases vary
SLOPES, POPULAR = (0.1, 0.3, 1.2), (0.01, 0.06)  # σ₁ and σ₂
GRID = (9, 7)  # places for τ₁ and τ₂
POWER = 1.5  # τ = top·u^1.5: places are denser near 0
USUAL = 0.02  # τ of usual judges, in units of the value range
RIDGE = 1e-6  # of the mean variance: identical runs have a singular covariance
SHOWN, TAKEN_OUT = 2**0.5, 2.0  # |t| at which the audit disagrees with a pooled score, and at which that is not used
ASSUMPTION = "the judge's bias varies at random between systems, and more alike between systems that show the same"
TOO_SMALL = "this audit is too small to improve the judge's order."


@dataclass(frozen=True, eq=False)
class Pooled:
    """Pooled scores; their covariance (for intervals) and that of the deviations under the scores' own weights.

    `spread` are the posterior means of τ₁ and τ₂. `disagreement` is t of the audit against every pooled score.
    `useful`: pooled differences are expected to be nearer to the truth than naive ones, whose squared error the audit
    estimates without bias.
    """

    theta: Floats
    covariance: Floats
    deviations: Floats
    spread: tuple[float, float]
    disagreement: Floats
    useful: bool = True

    @property
    def doubted(self) -> NDArray[np.bool_]:
        """Systems whose pooled score the audit contradicts: claims take their corrected numbers."""
        return np.asarray(np.abs(self.disagreement) > TAKEN_OUT)


@dataclass(frozen=True, eq=False)
class Contrasts:
    """How a judge's errors may vary between systems, as contrasts: Q, Qᵀx, R·Qᵀp, K₁, K₃ and ν."""

    basis: Floats
    slope: Floats
    popular: Floats
    shared: Floats
    smooth: Floats
    worth: float
    scale: float  # R

    @classmethod
    def of(cls, naive: Floats, overlap: Floats, popularity: Floats, scale: float = 1.0) -> Contrasts:
        """From naive scores, cosines of weights, popularity and the range of values."""
        s = len(naive)
        basis = np.linalg.qr((np.eye(s) - 1 / s)[:, :-1])[0]
        shared = basis.T @ overlap @ basis
        shared = (shared + shared.T) / 2
        size, cubed = float(np.trace(shared)), shared @ shared @ shared
        smooth = cubed * (size / float(np.trace(cubed))) if size > 0 else cubed
        worth = size**2 / float((shared**2).sum()) if size > 0 else float(s - 1)
        slope, popular = basis.T @ naive, scale * (basis.T @ popularity)
        return cls(basis, slope, popular, shared, smooth, worth, scale)

    def prior(self, sigma: tuple[float, float], tau: tuple[float, float]) -> Floats:
        """P: the covariance of the deviations before the audit."""
        rows = np.stack([sigma[0] * self.slope, sigma[1] * self.popular])
        return np.asarray(rows.T @ rows + tau[0] ** 2 * self.smooth + tau[1] ** 2 * self.shared, np.float64)

    def within(self, covariance: Floats) -> Floats:
        """QᵀCQ."""
        return np.asarray(self.basis.T @ covariance @ self.basis, np.float64)

    def out(self, covariance: Floats) -> Floats:
        """Q·Qᵀ around a matrix of contrasts: the deviations of all systems."""
        return np.asarray(self.basis @ covariance @ self.basis.T, np.float64)


@dataclass(frozen=True, eq=False)
class _Row:
    """The cells of one (τ₁, τ₂) and every σ: V = B + Uσ²Uᵀ with B = QᵀCQ + τ₁²K₃ + τ₂²K₁ inverted once.

    With A = (σ⁻² + UᵀB⁻¹U)⁻¹ of every σ (Woodbury), V⁻¹ = B⁻¹ − B⁻¹U·A·UᵀB⁻¹.
    """

    tau: Floats
    place: float  # √(u₁u₂)
    inverse: Floats  # B⁻¹
    loadings: Floats  # B⁻¹U
    inner: Floats  # A, by σ
    likelihood: Floats  # by σ
    solved: Floats  # V⁻¹z, by σ

    @classmethod
    def at(cls, contrasts: Contrasts, within: Floats, z: Floats, tau: Floats, place: float) -> _Row:
        base = within + contrasts.prior((0.0, 0.0), (float(tau[0]), float(tau[1])))
        inverse: Floats = np.asarray(np.linalg.inv(base), np.float64)
        explained = np.stack([contrasts.slope, contrasts.popular], axis=1)
        loadings = inverse @ explained
        variance = np.array([(a * a, b * b) for a in SLOPES for b in POPULAR])
        inner = np.linalg.inv(explained.T @ loadings + np.stack([np.diag(1 / v) for v in variance]))
        seen = z @ loadings
        solved = inverse @ z - (inner @ seen) @ loadings.T
        size = np.linalg.slogdet(base)[1] - np.linalg.slogdet(inner)[1] + np.log(variance).sum(axis=1)
        return cls(tau, place, inverse, loadings, inner, -(size + solved @ z) / 2, solved)

    def inverses(self, weight: Floats) -> Floats:
        """ΣwV⁻¹ over the σ."""
        return np.asarray(
            weight.sum() * self.inverse - self.loadings @ np.tensordot(weight, self.inner, 1) @ self.loadings.T,
            np.float64,
        )


def _rows(contrasts: Contrasts, within: Floats, z: Floats) -> list[_Row]:
    """Every (τ₁, τ₂) of the grid."""
    top = 3 * float(np.sqrt(max(float(z @ z), float(np.trace(within))) / len(z)))
    u = [((i + 0.5) / GRID[0], (j + 0.5) / GRID[1]) for i in range(GRID[0]) for j in range(GRID[1])]
    return [_Row.at(contrasts, within, z, top * np.array(x) ** POWER, float(np.sqrt(x[0] * x[1]))) for x in u]


def _weights(rows: list[_Row], contrasts: Contrasts) -> tuple[Floats, Floats]:
    """Weights of (τ, σ) for scores, which expect a usual judge, and for covariances, which expect none."""
    likelihood = np.array([r.likelihood for r in rows])
    likelihood = likelihood - likelihood.max()
    place = np.array([r.place for r in rows])[:, None]
    tau = np.array([r.tau for r in rows]) / (USUAL * contrasts.scale)
    scores = np.exp(likelihood) * place / (1 + tau**2).prod(axis=1)[:, None]
    flat = np.exp(likelihood * contrasts.worth / len(contrasts.slope)) * place
    return scores / scores.sum(), flat / flat.sum()


def pool(
    naive: Floats,
    theta: Floats,
    shown: Floats,
    floor: Floats,
    overlap: Floats,
    popularity: Floats,
    scale: float = 1.0,
) -> Pooled:
    """Pooled scores from naive and rectified ones.

    `shown` (D) and `floor` (F) are the audit's covariance of θ̂ for these topics, as the audited documents show it and
    as it is expected of all documents; `scale` is the range of a document's value.

    >>> naive, rectified = np.array([0.5, 0.6, 0.7, 0.8]), np.array([0.43, 0.47, 0.61, 0.65])
    >>> error = 0.03**2 * np.eye(4)
    >>> pooled = pool(naive, rectified, error, error, np.eye(4), np.zeros(4))
    >>> (naive - pooled.theta).round(3).tolist()  # biases of .07 to .15 drawn towards their mean, .11
    [0.084, 0.115, 0.105, 0.136]
    """
    s = len(naive)
    contrasts = Contrasts.of(naive, overlap, popularity, scale)
    expected, size = float(np.trace(contrasts.within(floor))), float(np.trace(floor))
    if expected <= 1e-12 * size or size <= 0:  # nothing was left to chance, or all systems are one
        larger = floor if floor.sum() >= shown.sum() else shown
        return Pooled(theta, larger, np.zeros_like(floor), (0.0, 0.0), np.zeros(s))
    c = (floor + floor.T) / 2 * max(1.0, float(np.trace(contrasts.within(shown))) / expected)
    c = c + RIDGE * float(np.trace(c)) / s * np.eye(s)
    level, x = float(theta.mean()), naive - naive.mean()
    z, within = contrasts.basis.T @ (theta - naive), contrasts.within(c)
    rows = _rows(contrasts, within, z)
    w, v = _weights(rows, contrasts)
    moved = z - np.array([r.solved for r in rows]) @ within  # Gz, G = PV⁻¹ = I − QᵀCQ·V⁻¹
    m = np.tensordot(w, moved, 2)
    by_scores, by_flat = (np.sum([r.inverses(q) for r, q in zip(rows, each, strict=True)], axis=0) for each in (w, v))
    deviations, wide = (
        contrasts.out(within - within @ inverse @ within + _spread(moved - m, q))
        for inverse, q in ((by_scores, w), (by_flat, v))
    )
    pooled = level + x + contrasts.basis @ m
    t, more = disagreement(theta, pooled, c, shown)
    common = contrasts.out(np.eye(s - 1) - within @ by_flat) @ c.sum(axis=1) / s
    covariance = max(float(c.sum()), float(shown.sum())) / s**2 + common[:, None] + common + wide + np.diag(more)
    spread = w.sum(axis=1) @ np.array([r.tau for r in rows])
    useful = float(z @ z - np.trace(within)) > float(np.trace(deviations))
    return Pooled(pooled, covariance, deviations, (float(spread[0]), float(spread[1])), t, useful)


def _spread(away: Floats, weight: Floats) -> Floats:
    """Σw·aaᵀ over the cells."""
    flat = away.reshape(-1, away.shape[-1])
    return np.asarray((flat * weight.reshape(-1, 1)).T @ flat, np.float64)


def disagreement(theta: Floats, pooled: Floats, first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """(t, e): how much the audit contradicts each pooled score, and what that adds to its variance.

    g = (θ̂ − mean) − (θ̃ − mean) is held against the larger of the two variances V of centred rectified scores:
    t = g/√V, e = max(0, g² − 2V). Systems that the judge favours more than the model allows are found here.
    """
    g = (theta - theta.mean()) - (pooled - pooled.mean())
    variance = np.maximum(*(np.diag(c) - 2 * c.mean(axis=1) + c.mean() for c in (first, second)))
    t = np.divide(g, np.sqrt(np.maximum(variance, 0.0)), out=np.zeros_like(g), where=variance > 0)
    return t, np.maximum(0.0, g**2 - 2 * variance)


# ── pooled scores of a corrected measure, and when they are not offered ──────────────────────────────────────────────
def pooled_estimate(
    measure: Measure, naive: Floats, estimate: Estimate, design: Design, weights: Weights | None, target: str
) -> Estimate:
    """Pooled scores with the covariance of their means; `why_not` says why they are not offered.

    `naive` are bronze scores, systems × topics; `weights` those of a linear measure.
    """
    why = _not_offered(measure, estimate, design, weights, len(naive))
    kept = np.asarray(np.isfinite(naive).all(axis=0) & np.isfinite(estimate.scores).all(axis=0))
    if not why and not kept.any():
        why = f"{measure} is undefined on every topic"
    if why:
        return refused(Method.POOLED, naive.shape, why, assumption=ASSUMPTION)
    if estimate.model is not None:
        return _by_model(measure, estimate, design, target)
    used = discount_weights(measure, design.joined) if weights is None else weights
    shown, floor = audit_covariances(estimate)
    scale = float(np.ptp(measure.values(design.gold_scale))) if isinstance(measure, Linear) else 1.0
    made = pool(naive[:, kept].mean(axis=1), estimate.theta, shown, floor, cosines(used), popularity(used), scale)
    covariance, df, least = made.covariance, np.inf, None
    if target == "population":
        covariance = made.covariance + _topics(estimate, kept)
        least = np.asarray(made.covariance + covariance_population(naive[:, kept]))
        df = float(kept.sum() - 1)
    effective = np.inf if estimate.audit is None else effective_number(estimate.audit.root.mean(axis=0))
    scores = estimate.scores + (made.theta - estimate.theta)[:, None]
    return Estimate(
        Method.POOLED, ASSUMPTION, scores, made.theta, covariance, df, notes=tuple(_notes(made, design, used)),
        least_between=least, calibration_part=made.covariance, df_part=np.inf, df_scores=effective, pool=made,
    )  # fmt: skip


def _by_model(measure: Measure, estimate: Estimate, design: Design, target: str) -> Estimate:
    """Pooled nDCG, from corrected scores whose ideals are modelled (`ndcg.pooled`)."""
    assert estimate.model is not None
    assert estimate.floor is not None
    overlap = cosines(discount_weights(measure, design.joined))
    made = shrink(naive_means(measure, design), estimate.model, estimate.theta, estimate.floor, overlap)
    covariance, least = made.covariance, None
    if target == "population":
        covariance = made.covariance + (estimate.covariance - estimate.floor)
        least = made.covariance + by_bronze(measure, design)
    centre = np.eye(len(made.theta)) - 1 / len(made.theta)
    away, spread = centre @ (estimate.theta - made.theta), np.diag(centre @ estimate.floor @ centre)
    against = np.divide(away, np.sqrt(spread), out=np.zeros_like(away), where=spread > 0)
    found = Pooled(made.theta, made.covariance, centre @ made.narrow @ centre, made.spread, against)
    open_ = estimate.common is not None and bool(estimate.common.any())
    return Estimate(
        Method.POOLED, MODELLED, estimate.scores + (made.theta - estimate.theta)[:, None], made.theta, covariance,
        estimate.df, least_between=least, calibration_part=made.covariance, df_part=made.df, pool=found,
        common=(MODEL * made.theta) ** 2 * open_,
    )  # fmt: skip


def audit_covariances(estimate: Estimate) -> tuple[Floats, Floats]:
    """(as the audited documents show it, as it is expected of all): what the audit brings to the covariance of θ̂."""
    assert estimate.sampling is not None
    if estimate.audit is not None and estimate.floor is not None:
        return estimate.audit.covariance, estimate.floor
    return estimate.sampling, estimate.sampling


def _not_offered(measure: Measure, estimate: Estimate, design: Design, weights: Weights | None, systems: int) -> str:
    if systems < FEWEST:
        return f"pooled scores need at least {FEWEST} systems, there {'is' if systems == 1 else 'are'} {systems}"
    if estimate.why_not:
        return estimate.why_not
    if isinstance(measure, AP):
        return f"intervals of differences in pooled {measure} held the truth in only 91% of cases under weak judges"
    if estimate.sampling is None:
        return "pooled scores need an audit of the scored documents"
    if estimate.audit is None and estimate.floor is None and estimate.sampling.any():
        return "the audit drew topics: intervals of pooled differences then held the truth in only 73% of cases"
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


def _notes(made: Pooled, design: Design, weights: Weights) -> list[str]:
    notes = [] if made.useful else [TOO_SMALL]
    names = design.joined.systems
    for said, who in (
        ("the audit disagrees with the pooled score of", np.abs(made.disagreement) > SHOWN),
        ("these take their corrected scores instead:", made.doubted),
    ):
        if who.any():
            some = [names[s] for s in np.flatnonzero(who)[:5]]
            more = f" and {counted(int(who.sum()) - 5, 'more system')}" if who.sum() > 5 else ""
            notes.append(f"{said} {', '.join(some)}{more}.")
    if same := identical(weights):
        some = [f"{names[a]} and {names[b]}" for a, b in same[:3]]
        more = f" and {counted(len(same) - 3, 'more pair')}" if len(same) > 3 else ""
        notes.append(f"identical in what they show, and so in their pooled scores: {', '.join(some)}{more}.")
    return notes
