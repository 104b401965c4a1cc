"""A small study with known truth, shared by the tests of inference."""

from __future__ import annotations

import numpy as np

import dissensus as ds


def study(topics=20, seed=0, *, se=0.85, sp=0.8, depth=10, pool=16, grades=2, systems=("A", "B", "C")):
    """(runs, bronze judgments, gold judgments of everything): system A is better than B, B than C."""
    rng = np.random.default_rng(seed)
    runs = {s: {} for s in systems}
    gold, bronze = {}, {}
    for q in range(topics):
        grade = rng.binomial(grades - 1, np.linspace(0.75, 0.15, pool))
        docs = [f"d{i:02d}" for i in range(pool)]
        gold[f"q{q:02d}"] = dict(zip(docs, grade.tolist(), strict=True))
        keep = rng.random(pool) < np.where(grade > 0, se, sp)
        other = rng.integers(1, grades, pool)
        wrong = np.where(grade > 0, grade - 1, other)
        bronze[f"q{q:02d}"] = dict(zip(docs, np.where(keep, grade, wrong).tolist(), strict=True))
        for k, s in enumerate(systems):
            order = np.argsort(np.arange(pool) + rng.normal(0, 2 + 3 * k, pool))
            runs[s][f"q{q:02d}"] = {docs[d]: float(pool - r) for r, d in enumerate(order[:depth])}
    scale = f"0..{grades - 1}"
    return (
        ds.Runs.from_dict(runs),
        ds.Judgments.from_dict({"llm": bronze}, scale=scale),
        ds.Judgments.from_dict({"expert": gold}, scale=scale),
    )


def audit(gold, share=0.4, seed=1):
    """A random audit with its inclusion probabilities."""
    frame = gold.to_frame()
    pick = np.random.default_rng(seed).random(frame.height) < share
    import polars as pl

    return ds.Audit.from_frame(
        frame.filter(pl.Series(pick)).select("topic", "doc", "grade").with_columns(inclusion=pl.lit(share)),
        scale=gold.scale,
    )
