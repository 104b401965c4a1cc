"""A new label of an audit in order: one pair, and all pairs of a hundred systems, on ten thousand documents."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np

from bench.rows import Row

DOCUMENTS, SYSTEMS, LABELS = 10_000, 100, 300


def run() -> list[Row]:
    from dissensus.inference.sequential.many import ManyPairs
    from dissensus.inference.sequential.stop import Track
    from dissensus.inference.sequential.wealth import LabelSequence

    rng = np.random.default_rng(0)
    weight = (rng.random((SYSTEMS, DOCUMENTS)) < 0.05) * rng.choice([0.1, 0.2], DOCUMENTS) / 50
    weight[np.arange(DOCUMENTS) % SYSTEMS, np.arange(DOCUMENTS)] = 0.1 / 50  # every document counts for some system
    label, prior = rng.integers(0, 4, DOCUMENTS), np.array([0.1, 0.3, 0.7, 0.9])
    rate = weight.std(axis=0) * np.sqrt(prior * (1 - prior))[label]
    order = np.argsort(rng.exponential(size=DOCUMENTS) / rate)
    weight, label, rate = weight[:, order], label[order], rate[order]
    gold = (rng.random(DOCUMENTS) < prior[label]).astype(np.float64)
    pairs = np.array(list(combinations(range(SYSTEMS), 2)))
    many = ManyPairs(weight, rate, label, prior, pairs, 0.05)
    track = Track(LabelSequence(weight[0] - weight[1], rate, label, prior), ("a", "b"), alpha=0.05, level=0.95)
    each, alone = [], []
    for t in range(LABELS):
        start = time.perf_counter()
        many.add(float(gold[t]))
        each.append(time.perf_counter() - start)
        start = time.perf_counter()
        track.advance(gold[: t + 1])
        alone.append(time.perf_counter() - start)
    late = Track(LabelSequence(weight[0] - weight[1], rate, label, prior), ("a", "b"), alpha=0.05, level=0.95)
    late.advance(gold[:3000], 100)
    start = time.perf_counter()
    late.peek(gold[:3001])
    peek = time.perf_counter() - start
    note = "goal: under 0.050 s"
    return [
        Row("a new label, 4,950 pairs of 100 systems, 10,000 documents: median", float(np.median(each)), note=note),
        Row("the same: slowest of 300 labels", float(np.max(each)), note=note),
        Row("a new label, one pair, 10,000 documents: median", float(np.median(alone)), note=note),
        Row("a look at one pair after 3,000 labels", peek, note=note),
    ]
