"""Conformance with trec_eval (through pytrec_eval), per topic: generated data with everything odd, and real runs."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from paths import shared_data
from random_collections import random_dicts

import dissensus as ds

SHARED_NAMES = {
    "map": "AP",
    "map_cut_5": "AP@5",
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "P_5": "P@5",
    "P_10": "P@10",
    "recall_10": "R@10",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "success_1": "Success@1",
    "success_5": "Success@5",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    **{f"iprec_at_recall_{level / 10:.2f}": f"IPrec@{level / 10:g}" for level in range(11)},
}
FAMILIES = {
    "map", "map_cut", "ndcg", "ndcg_cut", "P", "recall", "Rprec", "bpref", "recip_rank", "success", "set_P",
    "set_recall", "set_F", "iprec_at_recall",
}  # fmt: skip


def compare(
    scores, qrels: dict, run: dict, system: str, assessor: str, level: int = 1, tolerance: float = 1e-9
) -> None:
    theirs = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES, relevance_level=level).evaluate(run)
    for name, ours in SHARED_NAMES.items():
        mine = scores[str(_at_level(ours, level))].sel(system=system, assessor=assessor)
        for topic in qrels:
            expected = theirs[topic][name] if topic in theirs else 0.0
            assert mine.sel(topic=topic).item() == pytest.approx(expected, abs=tolerance), (name, topic)


def _at_level(name: str, level: int):
    from dataclasses import fields, replace

    m = ds.measure(name)
    return replace(m, rel=level) if level > 1 and "rel" in {f.name for f in fields(m)} else m


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_generated_data(seed: int, level: int) -> None:
    judged, runs = random_dicts(seed)
    measures = [_at_level(m, level) for m in SHARED_NAMES.values()]
    scores = ds.evaluate(ds.Runs.from_dict(runs), ds.Judgments.from_dict(judged), measures, empty="zero")
    for system, run in runs.items():
        compare(scores, judged["a0"], run, system, "a0", level)


def test_scores_are_doubles_as_in_trec_eval_10() -> None:
    """Two scores that single precision cannot tell apart: trec_eval 9 sees a tie, dissensus does not."""
    runs = {"s": {"q": {"a": 1.00000001, "b": 1.0}}}
    qrels = {"q": {"a": 1, "b": 0}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(runs["s"])["q"]["map"]
    ours = ds.evaluate(ds.Runs.from_dict(runs), ds.Judgments.from_dict({"j": qrels}), ["AP"])["AP"].item()
    assert (theirs, ours) == (0.5, 1.0)


def read_run(path: Path) -> dict:
    run: dict = {}
    with gzip.open(path, "rt") as lines:
        for line in lines:
            topic, _, doc, _, score, _ = line.split()
            run.setdefault(topic, {})[doc] = float(score)
    return run


@pytest.mark.parametrize("folder", ["trec-robust03", "trec-dl21-passage"])
def test_real_runs(folder: str) -> None:
    """Some of the runs, rounded to single precision first, because that is what trec_eval 9 ranks by."""
    data = shared_data(folder)
    qrels_file = next(p for p in data.iterdir() if p.name.startswith(("qrels.robust03", "qrels.nist")))
    judgments = ds.read_judgments(qrels_file)
    assessor = judgments.assessors[0]
    files = sorted((data / "runs").glob("*.gz"))[:: 20 if folder == "trec-robust03" else 5]
    frame = judgments.to_frame()
    qrels: dict = {}
    for topic, doc, grade in zip(frame["topic"], frame["doc"], frame["grade"], strict=True):
        qrels.setdefault(topic, {})[doc] = int(grade)
    raw = {p.name.removesuffix(".gz"): read_run(p) for p in files}
    single = {
        s: {t: {d: float(np.float32(x)) for d, x in docs.items()} for t, docs in r.items()} for s, r in raw.items()
    }
    scores = ds.evaluate(ds.Runs.from_dict(single), judgments, list(SHARED_NAMES.values()), empty="zero")
    for system, run in raw.items():
        compare(scores, qrels, run, system, assessor, tolerance=1e-6)


def test_official_means_of_robust03() -> None:
    data = shared_data("trec-robust03")
    rows = [line.split("\t") for line in (data / "official_summaries.tsv").read_text().splitlines()]
    official = {row[0]: float(row[2]) for row in rows if row[1] == "map"}
    runs = ds.read_runs(str(data / "runs" / "*.gz"))
    scores = ds.evaluate(runs, ds.read_judgments(data / "qrels.robust03.txt.gz"), ["AP"], empty="zero")
    means = scores["AP"].mean("topic").isel(assessor=0)
    checked = 0
    for system in runs.systems:
        name = system.removeprefix("input.")
        if name in official:
            assert float(means.sel(system=system)) == pytest.approx(official[name], abs=5.1e-5), name
            checked += 1
    assert checked == 10
