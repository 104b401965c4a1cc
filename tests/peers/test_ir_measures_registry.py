"""Every measure that ir-measures registers, by every name, parameter and alias, against installed ir-measures.

Scores are distinct and positive and topics have relevant documents: ties, negative scores and empty topics, where the
packages behind ir-measures differ from each other, are compared in `test_faults_of_the_packages`.
"""

from __future__ import annotations

import logging
import warnings

import ir_measures
import numpy as np
import polars as pl
import pytest
from ir_measures.measures import registry
from ir_named import named

import dissensus as ds

CASES = [
    "AP", "MAP", "AP@5", "AP(rel=2)", "AP(judged_only=True)", "AP(rel=2, judged_only=True)@5",
    "Accuracy", "Accuracy(rel=2)@20",
    "BPM(max_rel=3)@10", "BPM(T=2.0, min_rel=1, max_rel=2)@7",
    "Bpref", "BPref", "Bpref(rel=2)",
    "Compat", "Compat(p=0.8)", "Compat(p=0.9, normalize=False)",
    "INSQ(max_rel=3)", "INSQ(T=2.0, min_rel=1, max_rel=3)",
    "INST(max_rel=3)", "INST(T=2.0, min_rel=1, max_rel=3)", "INST(T=0.4, max_rel=2)",
    "IPrec@0.1", "IPrec(rel=2)@0.5", "IPrec(judged_only=True)@0.3",
    "Judged@10",
    "NERR8(max_rel=3)@10", "NERR9(min_rel=1, max_rel=3)@10", "NERR10(max_rel=3)", "NERR10(p=0.7, max_rel=3)",
    "NERR11(max_rel=3)", "NERR11(T=2.5, max_rel=4)",
    "NumQ", "NumRel", "NumRet", "NumRelRet", "NumRet(rel=2)",
    "P@5", "Precision@5", "P(rel=2)@10", "P(judged_only=True)@5",
    "R@5", "Recall@5", "R(rel=2)@10", "R(judged_only=True)@5",
    "RBP(p=0.8, rel=1)", "RBP(p=0.5, rel=2)",
    "Rprec", "RPrec", "Rprec(rel=2)", "Rprec(judged_only=True)",
    "RR", "MRR", "RR@3", "RR(rel=2)", "RR(judged_only=True)",
    "SDCG(max_rel=3)@10", "SDCG(min_rel=1, max_rel=3)@5",
    "SetAP", "SetAP(rel=2)", "SetAP(judged_only=True)",
    "SetF", "SetF(rel=2)", "SetF(judged_only=True)",
    "SetP", "SetP(rel=2)", "SetP(relative=True)", "SetRelP", "SetP(judged_only=True)",
    "SetR", "SetR(rel=2)",
    "Success@2", "Success(rel=2)@5", "Success(judged_only=True)@1",
    "infAP", "infAP(rel=2)",
    "nDCG", "NDCG", "nDCG@10", "nDCG(judged_only=True)@10", "nDCG(gains={0: 0, 1: 1, 2: 5, 3: 7})@5",
]  # fmt: skip
DIVERSITY = [
    "alpha_DCG@10", "α_DCG@10", "alpha_DCG(alpha=0.3)@5", "alpha_DCG(rel=2)@10",
    "alpha_nDCG@10", "α_nDCG@10", "alpha_nDCG(alpha=0.8)@20", "alpha_nDCG(rel=2)@5",
    "ERR_IA@10", "ERR_IA(rel=2)@5", "nERR_IA@10", "nERR_IA@20",
    "NRBP", "NRBP(alpha=0.2, beta=0.8)", "nNRBP", "nNRBP(rel=2)",
    "AP_IA", "MAP_IA", "AP_IA(rel=2)", "P_IA@10", "P_IA(rel=2)@5", "StRecall@10", "StRecall(rel=2)@5",
]  # fmt: skip
# gdeval is a Perl script: its numbers are compared with the file of its own tests, in `test_ir_measures`
ELSEWHERE = {"ERR"}
SAMPLE = {
    "rel": 1, "judged_only": False, "T": 1.0, "min_rel": 0, "max_rel": 3, "p": 0.7, "normalize": True, "alpha": 0.4,
    "beta": 0.6, "relative": True, "dcg": "log2", "gains": {0: 0, 1: 1}, "recall": 0.3,
}  # fmt: skip


def theirs(name: str):
    """ir-measures' measure; its parser does not take aliases, so they are replaced by the names they mean."""
    head = name.split("(")[0].split("@")[0]
    if head in ("SetRelP", "NumRelRet"):
        return registry[head]
    return named(name.replace(head, registry[head].NAME, 1))


def collection(seed: int) -> tuple[dict, dict]:
    rng = np.random.default_rng(seed)
    docs = [f"d{i:03d}" for i in range(80)]
    qrels, run = {}, {}
    for t in range(6):
        judged = {d: int(rng.integers(0, 4)) for d in rng.choice(docs, 30, replace=False)}
        qrels[str(t)] = {**judged, docs[t]: 3, docs[t + 9]: 0}
        shown = rng.permutation(docs)[: int(rng.integers(25, 60))].tolist()
        run[str(t)] = {d: 1.0 + float(s) for d, s in zip(shown, rng.permutation(60), strict=False)}
    return qrels, run


def test_every_registered_measure_has_a_case() -> None:
    covered = {registry[n.split("(")[0].split("@")[0]].NAME for n in (*CASES, *DIVERSITY)}
    assert {m.NAME for m in registry.values()} - covered == ELSEWHERE
    assert set(registry) - {n.split("(")[0].split("@")[0] for n in (*CASES, *DIVERSITY)} == ELSEWHERE


@pytest.mark.parametrize("name", registry)
def test_every_registered_name_reads_and_has_every_parameter(name: str) -> None:
    """By name, with all parameters that ir-measures declares for it."""
    if name in ELSEWHERE:
        return
    declared = registry[name].SUPPORTED_PARAMS
    given = ", ".join(f"{k}={SAMPLE[k]!r}" for k in declared if k != "cutoff")
    ours = ds.measure(f"{name}({given})" + ("@10" if "cutoff" in declared else ""))
    assert ds.measure(str(ours)) == ours


@pytest.mark.parametrize("name", CASES)
def test_equal_on_every_topic(name: str) -> None:
    logging.getLogger("ir_measures.cwl_eval").setLevel("ERROR")
    compared = 0
    for seed in range(2):
        qrels, run = collection(seed)
        judgments = ds.Judgments.from_dict({"j": qrels}, scale="0..3")
        ours = ds.evaluate(ds.Runs.from_dict({"s": run}), judgments, [name], empty="zero")[str(ds.measure(name))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for row in ir_measures.iter_calc([theirs(name)], qrels, run):
                assert ours.sel(topic=row.query_id).item() == pytest.approx(row.value, abs=1e-6), (name, row.query_id)
                compared += 1
    assert compared >= 10


@pytest.mark.parametrize("name", DIVERSITY)
def test_diversity_equal_on_every_topic(name: str) -> None:
    rng = np.random.default_rng(5)
    docs = [f"d{i:02d}" for i in range(40)]
    rows = [
        (str(t), str(i), d, int(rng.integers(0, 3)))
        for t in range(5)
        for i in range(int(rng.integers(2, 6)))
        for d in rng.choice(docs, 12, replace=False)
    ]
    _, run = collection(1)
    run = {t: {f"d{int(d[1:]) % 40:02d}": s for d, s in own.items()} for t, own in run.items() if t != "5"}
    run = {t: {d: float(r) for r, d in enumerate(sorted(own, key=own.get))} for t, own in run.items()}
    frame = pl.DataFrame(rows, schema=["topic", "intent", "doc", "grade"], orient="row")
    judgments = ds.Judgments.from_frame(frame, assessor="j", intent="column")
    ours = ds.evaluate(ds.Runs.from_dict({"s": run}), judgments, [name])[str(ds.measure(name))]
    qrels = [ir_measures.Qrel(t, d, g, i) for t, i, d, g in rows]
    values = list(ir_measures.iter_calc([theirs(name)], qrels, run))
    assert len(values) == 5
    for row in values:
        assert ours.sel(topic=row.query_id).item() == pytest.approx(row.value, abs=1e-6), (name, row.query_id)


def test_set_f_of_ir_measures_has_beta_squared() -> None:
    """ir-measures hands beta to trec_eval, whose parameter is β²: its SetF(beta=2) has β = √2."""
    qrels, run = collection(0)
    judgments = ds.Judgments.from_dict({"j": qrels}, scale="0..3")
    ours = ds.evaluate(ds.Runs.from_dict({"s": run}), judgments, [ds.measure(f"SetF(beta={2**0.5!r})")])
    for row in ir_measures.iter_calc([theirs("SetF(beta=2.0)")], qrels, run):
        assert next(iter(ours.values())).sel(topic=row.query_id).item() == pytest.approx(row.value, abs=1e-6)
