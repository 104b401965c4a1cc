"""Tests of all pairs of systems, and corrections of all scores, beside doing it pair by pair with SciPy."""

from __future__ import annotations

import numpy as np
import xarray as xr

from bench.rows import Row, best_of


def run() -> list[Row]:
    from scipy import stats

    import dissensus as ds
    from dissensus.inference.correction.linear_scores import rectified_estimate
    from dissensus.inference.correction.rectified import Labels
    from dissensus.inference.correction.weights import Weights

    rng = np.random.default_rng(0)
    systems, topics = 40, 50
    x = rng.random(topics) + 0.1 * rng.normal(size=(systems, topics)) + np.linspace(0, 0.1, systems)[:, None]
    coords = {"assessor": ["a"], "system": [f"s{i}" for i in range(systems)], "topic": [str(t) for t in range(topics)]}
    scores = xr.Dataset({"AP": (("assessor", "system", "topic"), x[None])}, coords=coords)
    pairs = [(i, j) for i in range(systems) for j in range(i + 1, systems)]

    def flips() -> None:
        for i, j in pairs[:20]:
            stats.permutation_test(
                (x[i] - x[j],), np.mean, permutation_type="samples", n_resamples=10_000, vectorized=True, rng=1
            )

    n = 20_000
    topic = np.repeat(np.arange(50), n // 50)
    weights = Weights.from_dense((rng.random((60, n)) < 0.05) * 0.1, topic)
    seen = rng.random(n) < 0.02
    labels = Labels(rng.integers(0, 4, n), 5, np.where(seen, rng.random(n), np.nan), seen, np.full(n, 0.02), topic)
    tested = best_of(2, lambda: ds.compare(scores, "AP", "randomization"))
    peer = best_of(1, flips) * len(pairs) / 20
    return [
        Row("sign-flip test and interval, 780 pairs", tested, "scipy.permutation_test", peer, 5.0, "no interval there"),
        Row("paired t, 780 pairs, Holm", best_of(3, lambda: ds.compare(scores, "AP"))),
        Row("rectified means and covariance, 60 systems, 20,000 documents",
            best_of(3, lambda: rectified_estimate(weights, labels, labels.inclusion))),
    ]  # fmt: skip
