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
    "Judged",
    "Success",
    "Rprec(mult=0.6)",
    "Rprec(mult=1.7)",
    "AP(judged_only=True)",
    "P(rel=2, judged_only=True)@3",
    "nDCG(judged_only=True)@5",
    "infAP",
    "infAP(rel=2)",
    "Compat",
    "Compat(p=0.8, normalize=False)",
    "SDCG(max_rel=3)@5",
    "INSQ(max_rel=3)",
    "INSQ(max_rel=2, min_rel=1, T=2.5, depth=None)",
    "INST(max_rel=3)",
    "INST(max_rel=2, min_rel=1, T=0.4)",
    "INST(max_rel=3, T=3, depth=None)",
    "INST(max_rel=3, depth=7)",
    "BPM(max_rel=3)@8",
    "BPM(max_rel=3, T=0.5, depth=6)@20",
    "NERR8(max_rel=3)@8",
    "NERR9(max_rel=3, min_rel=1)@30",
    "NERR10(max_rel=3)",
    "NERR10(max_rel=3, p=0.5, depth=None)",
    "NERR11(max_rel=3, T=2)",
    "NERR11(max_rel=4, depth=None)",
    "SetAP",
    "SetRelP",
    "RelP@5",
    "F1@5",
    "Accuracy",
    "Accuracy(rel=2)@9",
    "NumQ",
    "NumRet",
    "NumRel(rel=2)",
    "NumRelRet",
    "NumNonRelRet",
    "GMAP",
    "GMBpref",
    "IPrecAvg",
    "IPrecAvg(levels=[0.25, 0.5, 0.75], rounding='v10')",
    "binG",
    "G",
    "RnDCG",
    "nDCG_rel",
    "Utility",
    "Utility(a=2, b=-1, c=-0.5, d=0.01, documents=60)",
    "Unjudged@5",
    "TrecRBP",
    "TrecRBPResidual(p=0.7)",
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
