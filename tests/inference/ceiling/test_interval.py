"""Intervals of mean ceilings: they cover, and a matrix from few labels makes them wider."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dissensus as ds
from dissensus.inference.ceiling.interval import ceiling_interval

MATRIX = ds.Confusion([[0.8, 0.15, 0.05], [0.2, 0.6, 0.2], [0.05, 0.25, 0.7]])


def collection(rng, topics=12, documents=60):
    """bob's labels from a population of topics; ann's as the matrix makes them of his."""
    shares = rng.dirichlet((6, 3, 1.5), size=topics)
    bob = {t: rng.choice(3, documents, p=p) for t, p in enumerate(shares)}
    ann = {t: MATRIX.sample(row, seed=rng) for t, row in bob.items()}
    return ds.Judgments.from_dict(
        {
            who: {t: {f"d{i}": int(g) for i, g in enumerate(row)} for t, row in rows.items()}
            for who, rows in (("ann", ann), ("bob", bob))
        },
        scale="0..2",
    )


def test_coverage():
    """The ceiling of the population, by the true matrix, lies inside about 19 times in 20."""
    rng = np.random.default_rng(8)
    shares = rng.dirichlet((6, 3, 1.5), size=4000)
    everyone = {t: rng.choice(3, 60, p=p) for t, p in enumerate(shares)}
    truth = float(ds.ceiling(everyone, MATRIX, "nDCG@10"))
    inside, rounds = 0, 40
    for _ in range(rounds):
        j = collection(rng)
        row = ceiling_interval(ds.ceiling(j, None, "nDCG@10", assessor="bob"), j, groups=6).row(0, named=True)
        inside += row["low"] <= truth <= row["high"]
    assert 0.85 <= inside / rounds <= 1


def test_given_matrix_has_the_spread_of_topics():
    result = ds.ceiling({t: [1, 0, 0] if t % 2 else [1, 1, 0, 0] for t in range(10)}, [[0.8, 0.2], [0.3, 0.7]], "P@1")
    _, mean, low, high, n = ceiling_interval(result).row(0)
    assert (mean, n) == (pytest.approx(result.mean), 10)
    se = np.std(result.score, ddof=1) / math.sqrt(10)
    assert high - low == pytest.approx(2 * 2.262157 * se)


def test_estimated_matrix_is_less_sure():
    j = collection(np.random.default_rng(1))
    estimated = ds.ceiling(j, None, "nDCG@10", assessor="bob")
    known = ds.ceiling(j, MATRIX, "nDCG@10", assessor="bob")
    wide, narrow = ceiling_interval(estimated, j), ceiling_interval(known, j)
    assert estimated.estimated
    assert not known.estimated
    assert (wide["high"] - wide["low"])[0] > (narrow["high"] - narrow["low"])[0]


def test_one_topic_has_no_interval():
    one = ds.Judgments.from_dict({"a": {1: {"x": 1, "y": 0}}, "b": {1: {"x": 1, "y": 0}}})
    frame = ceiling_interval(ds.ceiling(one, None, "P@1"), one)
    assert frame["low"].is_nan().all()
    assert frame["topics"].to_list() == [1, 1]
