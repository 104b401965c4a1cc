"""Small random collections for tests: ties, unjudged documents, missing topics, several assessors."""

from __future__ import annotations

import numpy as np

import dissensus as ds

EVERY = [
    "P@5",
    "P(rel=2)@3",
    "R@5",
    "Fallout@7",
    "Success@2",
    "Judged@5",
    "Rprec",
    "SetP",
    "SetR",
    "SetF",
    "SetF(beta=2)",
    "AP",
    "AP@5",
    "AP(rel=2)",
    "RR",
    "RR@3",
    "IPrec@0",
    "IPrec@0.3",
    "IPrec(rounding='v10')@0.5",
    "Bpref",
    "Bpref(rel=2)",
    "CG@5",
    "NCG@5",
    "DCG",
    "DCG(dcg='jk')@7",
    "nDCG",
    "nDCG@5",
    "nDCG(dcg='exp-log2')@5",
    "nDCG(gains={0: 0, 1: 1, 2: 5, 3: 6})",
    "RBP(p=0.8)",
    "RBP(p=0.5)@4",
    "RBP(p=0.9, gains={0: 0, 1: 0.1, 2: 0.5, 3: 1})",
    "ERR",
    "ERR@5",
    "ERR(max=3)@5",
    "ESL",
    "ESL(n=2)",
    "NCP",
    "NCP(stop='retrieved')@9",
    "GAP",
    "GAP(gains={0: 0, 1: 0.2, 2: 0.2, 3: 1})@9",
]


def random_dicts(seed: int, assessors: int = 1, negative: bool = True) -> tuple[dict, dict]:
    """({assessor: {topic: {doc: grade}}}, {system: {topic: {doc: score}}}) with everything that can go odd."""
    rng = np.random.default_rng(seed)
    grades = [-2, -1, 0, 0, 0, 0, 1, 2, 3] if negative else [0, 0, 0, 1, 2, 3]
    docs = [f"d{i}" for i in range(60)]
    judged = {
        f"a{a}": {
            str(t): {str(d): int(rng.choice(grades)) for d in rng.choice(docs, size=rng.integers(1, 40), replace=False)}
            for t in range(6)
            if a == 0 or rng.random() < 0.8
        }
        for a in range(assessors)
    }
    runs = {
        s: {
            str(t): {str(d): float(rng.integers(0, 12)) for d in rng.choice(docs, rng.integers(1, 50), replace=False)}
            for t in range(6)
            if rng.random() < 0.9
        }
        for s in ("alpha", "beta", "gamma")
    }
    return judged, runs


def random_collection(seed: int, assessors: int = 1, negative: bool = True) -> ds.Collection:
    judged, runs = random_dicts(seed, assessors, negative)
    return ds.Collection(ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged, scale="0..3"))
