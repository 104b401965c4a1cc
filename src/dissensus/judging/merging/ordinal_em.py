"""Ordinal EM: assessors err towards neighbouring grades, and lean up or down.

    P(label h | truth g) ∝ exp(−a_k |h − g| + b_k (h − g))

Two numbers per assessor on any scale: a_k, how quickly a label becomes unlikely with its distance, and b_k, the lean
(above zero: lenient). Dawid and Skene's matrix has K(K−1) numbers, which five or more grades and few labels cannot pay
for; this form says what is usual with grades. The M step is Newton's method on the expected counts, whose likelihood is
concave; a weak prior (as many labels as `STRENGTH`, at the values of the whole crowd) holds assessors with few labels.

EM is slow where assessors agree little, in a thousand rounds. After every two rounds a leap goes where they lead to. It
is taken back where the likelihood falls.
"""

from __future__ import annotations

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import InputError
from dissensus.judging.label_table import Labels
from dissensus.judging.merging.fit import Fit, item_sums, log_shares, normalised
from dissensus.work.progress import Progress

STRENGTH = 2.0
NEWTON = 25
LIMIT = 8.0  # e⁻⁸: a grade's distance never makes a label impossible


def fit(table: Labels, start: Floats, *, tol: float = 1e-3, max_rounds: int = 1000) -> Fit:
    """EM from posteriors `start`; `skill` is a_k."""
    if not table.scale.ordered:
        raise InputError(
            'method="ordinal" needs grades in order; these labels have none.',
            "Give the scale in order, lowest grade first, or use another method.",
        )
    k, item, who, level = table.n_levels, table.item, table.assessor, table.level.astype(np.int64)
    labelled = table.per_item() > 0
    prior = log_shares(start[labelled])

    def expected(shape: Floats) -> tuple[Floats, float]:
        """E step: (posterior, log-likelihood)."""
        log_c = log_confusions(shape, k)  # assessor × true × given
        new, size = normalised(item_sums(item, log_c.transpose(0, 2, 1)[who, level], table.n_items) + prior)
        new[~labelled] = 0
        return new, float(size[labelled].sum())

    shape = lean_and_spread(table.expected(start), np.tile([1.0, 0.0], (table.n_assessors, 1)))
    posterior, change, last = start.copy(), np.inf, -np.inf
    likelihoods: list[float] = []
    steps = [shape]
    with Progress("ordinal", max_rounds) as bar:
        while len(likelihoods) < max_rounds and change > tol:
            new, likelihood = expected(steps[-1])
            leapt = len(steps) == 1 and len(likelihoods) > 0
            if leapt and likelihood < last - 1e-9 * abs(last):  # the leap went too far: back to the plain step
                steps, last = [shape], -np.inf
                continue
            if not leapt:
                change = float(np.abs(new - posterior).max(initial=0))
            posterior, last = new, likelihood
            likelihoods.append(likelihood)
            bar.advance()
            shape = lean_and_spread(table.expected(posterior), steps[-1])
            steps.append(shape)
            if len(steps) == 3 and change > tol:
                steps = [_leap(*steps)]
    number = np.bincount(who, minlength=table.n_assessors)
    return Fit(
        posterior, counts=table.expected(posterior), skill=np.where(number > 0, shape[:, 0], np.nan),
        log_likelihood=tuple(likelihoods), change=change, converged=change <= tol, rounds=len(likelihoods),
    )  # fmt: skip


def _leap(first: Floats, second: Floats, third: Floats) -> Floats:
    """Where two steps of EM lead to if the next ones shrink as the second one did (SQUAREM, Varadhan & Roland 2008)."""
    r, v = second - first, third - 2 * second + first
    size = float(np.linalg.norm(v))
    length = max(float(np.linalg.norm(r)) / size, 1.0) if size > 0 else 1.0
    return np.asarray(np.clip(first + 2 * length * r + length**2 * v, -LIMIT, LIMIT))


def log_confusions(shape: Floats, k: int) -> Floats:
    """log P(given | true) of every assessor from its (a, b)."""
    gap = np.arange(k)[None, :] - np.arange(k)[:, None]
    z = -shape[:, 0, None, None] * np.abs(gap) + shape[:, 1, None, None] * gap
    top = z.max(axis=2, keepdims=True)
    out: Floats = z - top - np.log(np.exp(z - top).sum(axis=2, keepdims=True))
    return out


def lean_and_spread(counts: Floats, start: Floats) -> Floats:
    """(a, b) of every assessor: the crowd's first, then each one's with the crowd's as a weak prior."""
    crowd = _newton(counts.sum(axis=0, keepdims=True), start.mean(axis=0, keepdims=True))
    share = counts.sum(axis=(0, 2)) / max(counts.sum(), 1e-12)
    prior = STRENGTH * share[:, None] * np.exp(log_confusions(crowd, counts.shape[1]))[0]
    return _newton(counts + prior, start)


def _newton(counts: Floats, shape: Floats) -> Floats:
    """Maximise Σ counts · log P over (a, b), all assessors at once."""
    k = counts.shape[1]
    gap = np.arange(k)[None, :] - np.arange(k)[:, None]
    features = np.stack([-np.abs(gap), gap]).astype(np.float64)  # what a and b multiply
    rows = counts.sum(axis=2)
    seen = np.einsum("jgh,fgh->jf", counts, features)
    for _ in range(NEWTON):
        p = np.exp(log_confusions(shape, k))
        mean = np.einsum("jgh,fgh->jgf", p, features)
        gradient = seen - np.einsum("jg,jgf->jf", rows, mean)
        second = np.einsum("jgh,fgh,egh->jgfe", p, features, features) - np.einsum("jgf,jge->jgfe", mean, mean)
        curvature = np.einsum("jg,jgfe->jfe", rows, second) + 1e-6 * np.eye(2)
        step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
        step = np.clip(step, -2, 2)
        shape = np.clip(shape + step, [-LIMIT, -LIMIT], [LIMIT, LIMIT])
        if np.abs(step).max(initial=0) < 1e-8:
            break
    return shape
