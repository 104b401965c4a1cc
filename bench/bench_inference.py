"""Tests of all pairs of systems, and corrections of all scores, beside doing it pair by pair with SciPy."""

from __future__ import annotations

import numpy as np
import xarray as xr

from bench.rows import Row, best_of


def run() -> list[Row]:
    return [*pairs_of_systems(), corrected_at_size()]


def corrected_at_size(systems: int = 100, topics: int = 1000, labels: int = 50_000) -> Row:
    """`correct` and `compare_all`, plain and pooled, as a shared task with a large audit would need them."""
    import polars as pl

    import dissensus as ds

    rng = np.random.default_rng(0)
    pool, depth = 200, 20
    drawn = rng.random((systems, topics, pool), np.float32) + np.linspace(0.3, 0, pool, dtype=np.float32)
    shown = np.argsort(-drawn, axis=2)[:, :, :depth] + (pool * np.arange(topics))[:, None]
    runs = ds.Runs.from_frame(
        pl.DataFrame(
            {
                "system": np.repeat([f"s{i:03}" for i in range(systems)], topics * depth),
                "topic": np.tile(np.repeat(np.arange(topics), depth), systems),
                "doc": shown.ravel(),
                "score": np.tile(np.arange(depth, 0, -1.0), systems * topics),
            }
        )
    )
    relevant = rng.random((topics, pool)) < np.linspace(0.5, 0.05, pool)
    gold = np.where(relevant, rng.integers(1, 4, (topics, pool)), 0).ravel()
    judged = pl.DataFrame(
        {
            "topic": np.repeat(np.arange(topics), pool),
            "doc": np.arange(topics * pool),
            "grade": np.where(rng.random(len(gold)) < 0.25, rng.integers(0, 4, len(gold)), gold),
        }
    )
    share = labels / len(gold)
    audited = rng.random(len(gold)) < share
    seen = judged.with_columns(grade=pl.Series(gold)).filter(pl.Series(audited))
    audit = ds.Audit(ds.Judgments.from_frame(seen, assessor="gold", scale="0..3"), np.full(seen.height, share))
    judgments = ds.Judgments.from_frame(judged, assessor="llm", scale="0..3")

    def work() -> None:
        corrected = ds.correct(runs, judgments, audit, "P(rel=2)@10")
        corrected.compare_all()
        corrected.compare_all(pooled=True)

    what = f"correct and compare all pairs, plain and pooled: {systems} systems × {topics:,} topics × {labels:,} labels"
    return Row(what, best_of(2, work), note="P(rel=2)@10; goal: at most 5 s")


def pairs_of_systems() -> list[Row]:
    from scipy import stats

    import dissensus as ds
    from dissensus.inference.correction.rectified import AuditedLabels, rectified_estimate
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
    labels = AuditedLabels(
        rng.integers(0, 4, n), 5, np.where(seen, rng.random(n), np.nan), seen, np.full(n, 0.02), topic
    )
    tested = best_of(2, lambda: ds.compare(scores, "AP", "randomization"))
    peer = best_of(1, flips) * len(pairs) / 20
    return [
        Row("sign-flip test and interval, 780 pairs", tested, "scipy.permutation_test", peer, 5.0, "no interval there"),
        Row("paired t, 780 pairs, Holm", best_of(3, lambda: ds.compare(scores, "AP"))),
        Row("rectified means and covariance, 60 systems, 20,000 documents",
            best_of(3, lambda: rectified_estimate(weights, labels, labels.inclusion))),
    ]  # fmt: skip
