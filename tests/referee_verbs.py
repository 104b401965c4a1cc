"""The referee's verbs: every public function of dissensus, called as a user would (tools/referee.py).

A case returns what the verb returned, or a dictionary of such values. Change a call here when a signature changes; its
name and its recorded numbers stay.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from referee_files import EXAMPLES, clicks_file, crowd_file, features_file, preferences_file, scores_file

import dissensus as ds
from tools.referee import DATA, Case

P10 = "P(rel=2)@10"


@cache
def runs() -> ds.Runs:
    return ds.read_runs(f"{EXAMPLES}/runs/*")


@cache
def labels() -> ds.Judgments:
    return ds.read_judgments(EXAMPLES / "labels.csv")


@cache
def audit() -> ds.Audit:
    return ds.read_audit(EXAMPLES / "audit.csv")


@cache
def pair() -> ds.Runs:
    return ds.read_runs(f"{EXAMPLES}/runs/splade*", f"{EXAMPLES}/runs/llm-rerank*")


@cache
def scores() -> Any:
    return ds.evaluate(runs(), labels(), ["nDCG@10", "AP"])


@cache
def matrix() -> Any:
    return ds.confusion(labels(), "ann", "llm")


PEOPLE = ["ann", "ben", "cyd", "dee", "eve"]


def dl21() -> tuple[Any, Any]:
    folder = DATA / "trec-dl21-passage"
    return ds.read_runs(f"{folder}/runs/p_*"), ds.read_judgments(
        folder / "qrels.nist.txt", f"{folder}/qrels.umbrela*", scale="0..3"
    )


def robust() -> tuple[Any, Any]:
    folder = DATA / "trec-robust03"
    return ds.read_runs(f"{folder}/runs/*"), ds.read_judgments(folder / "qrels.robust03.txt.gz")


def crowd(collection: str, folder: Path, **reading: Any) -> Any:
    return ds.read_judgments(crowd_file(collection, folder), **reading)


def sequential(seed: int) -> Any:
    """An audit in a committed order, graded from the top with the truth."""
    study = ds.Sequential(pair(), labels(), P10, assessor="llm", seed=seed)
    truth = {
        (r["topic"], r["doc"]): r["grade"] for r in ds.read_judgments(EXAMPLES / "truth.csv").to_frame().to_dicts()
    }
    for _ in range(60):
        topic, doc = study.next()[0]
        study.add(topic, doc, int(truth[topic, doc]))
    return study.result()


def noisy(seed: int) -> Any:
    truth = ds.read_judgments(EXAMPLES / "truth.csv", scale="0..3")
    return ds.pair_noise(truth, ds.inject_noise(truth, matrix().matrix, seed=seed))


def merged(judgments: Any, *words: Any, **settings: Any) -> dict[str, Any]:
    found = ds.merge(judgments, *words, **settings)
    return {"labels": found.to_frame(), "posterior": found.posterior}


def top_k() -> dict[str, Any]:
    found = ds.top_k_labelling(list(range(40)), lambda x, y: (x * 7) % 40 > (y * 7) % 40, 5)
    return {"questions": found.questions, "top": list(found.order)}


def clicks(folder: Path) -> dict[str, Any]:
    log = ds.read_clicks(clicks_file("examples", folder))
    user = ds.MarkovUser.fit(log, smoothing=0.5)
    return {"user": user, "dynamic": ds.UserDynamic.fit(user)}


X, Y = np.array([3.0, 1, 2, 5, 4, 6, 8, 7]), np.array([1.0, 2, 3, 4, 4, 6, 7, 9])

# {collection: {name of the case: the call}}
VERBS: dict[str, dict[str, Callable[[int, Path], Any]]] = {
    "examples": {
        "ds.evaluate": lambda seed, at: ds.evaluate(runs(), labels(), ["nDCG@10", P10], seed=seed),
        "ds.measure": lambda seed, at: {
            name: ds.measure(name).score([2, 0, 1, 3, 0, 0, 1], pool=[3, 2, 1, 1, 1, 0, 0, 0, 0])
            for name in ("nDCG@10", "AP", "P@5", "RBP(p=0.8)", "ERR(max=3)", "RR", "DCG@5", "R@5", "Rprec", "Bpref")
        },
        "ds.list_measures": lambda seed, at: {"measures": len(ds.list_measures())},
        "ds.check": lambda seed, at: ds.check(runs(), labels()),
        "ds.compare": lambda seed, at: ds.compare(scores(), "nDCG@10", assessor="ann", seed=seed),
        "ds.compare assessors": lambda seed, at: ds.compare(
            scores(), "AP", "t", "holm", assessor="dee", baseline="bm25"
        ),
        "ds.gate": lambda seed, at: ds.gate(
            "bm25", "dense", None, "nDCG@10", tolerance=0.02, scores=scores()[["nDCG@10"]].sel(assessor=["ann"])
        ),
        "ds.agreement": lambda seed, at: ds.agreement(labels(), replicates=199, seed=seed),
        "ds.confusion": lambda seed, at: {"matrix": matrix().matrix, "counts": matrix().counts},
        "ds.merge": lambda seed, at: merged(labels(), "em-mv", seed=seed),
        "ds.aware": lambda seed, at: ds.aware(runs(), labels(), "nDCG@10", replicates=100, seed=seed),
        "ds.replaceability": lambda seed, at: ds.replaceability(labels(), "llm", PEOPLE, seed=seed),
        "ds.leaderboards": lambda seed, at: ds.leaderboards(scores(), "nDCG@10", replicates=100, seed=seed),
        "ds.disagreement": lambda seed, at: ds.disagreement(labels()),
        "ds.ceiling": lambda seed, at: ds.ceiling(labels(), matrix(), "nDCG@10", assessor="ann"),
        "ds.ceiling simulate": lambda seed, at: ds.ceiling(
            {1: [2, 0, 1, 1], 2: [1, 0, 3, 0]}, matrix(), "ERR", "simulate", replicates=400, seed=seed
        ),
        "ds.correct": lambda seed, at: ds.correct(
            runs(), labels(), audit(), [P10, "nDCG@10"], assessor="llm", seed=seed
        ),
        "ds.correct matrix": lambda seed, at: ds.correct(runs(), labels(), matrix(), P10, assessor="llm", seed=seed),
        "ds.correct_scores": lambda seed, at: ds.correct_scores(
            ds.read_scores(scores_file("examples", at)), "nDCG@10", gold="ann", assessor="llm"
        ),
        "ds.corrected_rate": lambda seed, at: ds.corrected_rate(0.62, 400, (70, 100), (80, 100)),
        "ds.compare_rates": lambda seed, at: ds.compare_rates(
            ds.corrected_rate(0.62, 400, (70, 100), (80, 100)), ds.corrected_rate(0.55, 400, (70, 100), (80, 100))
        ),
        "ds.plan": lambda seed, at: ds.plan(runs(), labels(), budget=150, measures=P10, assessor="llm", seed=seed),
        "ds.sequential": lambda seed, at: sequential(seed),
        "ds.kendall_tau": lambda seed, at: {v: float(ds.kendall_tau(X, Y, variant=v)) for v in ("a", "b")},
        "ds.tau_ap": lambda seed, at: {t: float(ds.tau_ap(X, Y, ties=t)) for t in ("a", "b")},
        "ds.rbo": lambda seed, at: {
            v: ds.rbo([*"abcdefg"], [*"bacdhfi"], variant=v) for v in ("ext", "min", "max", "res")
        },
        "ds.pair_noise": lambda seed, at: noisy(seed),
        "ds.expected_pair_noise": lambda seed, at: ds.expected_pair_noise([0.5, 0.2, 0.2, 0.1], matrix()),
        "ds.check_axioms": lambda seed, at: ds.check_axioms("ERR", 5, "0..2", replicates=100, seed=seed),
        "ds.balancing_index": lambda seed, at: {m: ds.balancing_index(m, 300) for m in ("AP", "nDCG@10", "ERR")},
        "ds.read_clicks": lambda seed, at: clicks(at),
        "ds.robustness": lambda seed, at: ds.robustness(
            ds.read_features(features_file("examples", at)), ["PRank"], levels=(0.0, 0.3), replicates=1, folds=3,
            seed=seed,
        ),
        "ds.top_k_labelling": lambda seed, at: top_k(),
    },
    "trec-dl21-passage": {
        "ds.evaluate": lambda seed, at: ds.evaluate(*dl21(), ["nDCG@10"]),
        "ds.preferences": lambda seed, at: ds.preferences(
            ds.read_preferences(preferences_file("trec-dl21-passage", at)), seed=seed
        ),
        "ds.leaderboards": lambda seed, at: ds.leaderboards(
            ds.evaluate(*dl21(), ["nDCG@10"]), replicates=50, seed=seed
        ),
    },
    "trec-robust03": {
        "ds.compare": lambda seed, at: ds.compare(
            ds.evaluate(*robust(), ["AP"], unjudged="condense", empty="zero"), "AP", "wilcoxon", "bh"
        ),
    },
    "diku-relevance-credibility": {
        "ds.disagreement": lambda seed, at: ds.disagreement(crowd("diku-relevance-credibility", at), repeats="others"),
        "ds.merge": lambda seed, at: merged(crowd("diku-relevance-credibility", at), "wawa", ties="lower"),
    },
    "trec-rf10-crowd": {
        "ds.merge": lambda seed, at: merged(
            crowd("trec-rf10-crowd", at, scale="0..2"), "em-neu", suspects="drop", seed=seed
        ),
    },
    "snow2008": {
        "ds.merge": lambda seed, at: merged(crowd("snow2008", at), "mace", gold="gold", seed=seed),
        "ds.agreement": lambda seed, at: ds.agreement(crowd("snow2008", at), replicates=99, seed=seed),
    },
}  # fmt: skip


def cases() -> list[Case]:
    return [Case(c, name, name.split()[0], call) for c, calls in VERBS.items() for name, call in calls.items()]
