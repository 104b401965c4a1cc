"""Measures beside ir-measures, files included; and hundreds of judges beside our own AP."""

from __future__ import annotations

import logging
import tempfile
import warnings
from pathlib import Path

import ir_measures
import numpy as np

import dissensus as ds
from bench.rows import Row, best_of
from bench.trec_shaped import write_collection
from dissensus.measures.evaluate import Collection
from dissensus.tables.intents import Intents

CWL = [
    "INST(max_rel=1)", "INSQ(max_rel=1)", "BPM(max_rel=1)@10", "NERR8(max_rel=1)@10", "NERR11(max_rel=1)",
    "SDCG(max_rel=1)@10",
]  # fmt: skip
DIVERSITY = ["alpha_nDCG@20", "ERR_IA@20", "AP_IA", "P_IA@20", "StRecall@20"]


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return [cwl(Path(folder) / "cwl"), diversity(Path(folder) / "div"), *many_judges()]


def cwl(folder: Path) -> Row:
    """C/W/L measures from files to scores."""
    runs, qrels = write_collection(folder, 4, 50, 1000, 200, 100_000, 0.2)
    ours = best_of(3, lambda: ds.evaluate(ds.read_runs(*runs), ds.read_judgments(qrels), CWL))
    logging.getLogger("ir_measures.cwl_eval").setLevel("ERROR")
    measures = [ir_measures.parse_measure(m) for m in CWL]

    def peer() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels = list(ir_measures.read_trec_qrels(str(qrels)))
            list(ir_measures.iter_calc(measures, labels, ir_measures.read_trec_run(str(runs[0]))))

    theirs = best_of(1, peer) * len(runs)
    what = f"files → scores, {len(runs)} runs × 50 topics × 1,000 documents, {len(CWL)} C/W/L measures"
    return Row(what, ours, "ir-measures (cwl-eval)", theirs, 5, "peer timed on 1 run")


def diversity(folder: Path) -> Row:
    """Diversity measures from files to scores, five intents a topic."""
    runs, qrels = write_collection(folder, 4, 50, 1000, 200, 100_000, 0.2)
    rng = np.random.default_rng(0)
    lines = [line.split() for line in qrels.read_text().splitlines()]
    intents = qrels.with_name("intents.qrels")
    intents.write_text("".join(f"{t} {i} {d} {int(rng.random() < 0.1)}\n" for t, _, d, _ in lines for i in range(1, 6)))
    ours = best_of(3, lambda: ds.evaluate(ds.read_runs(*runs), ds.read_judgments(intents, intent="column"), DIVERSITY))
    measures = [ir_measures.parse_measure(m) for m in DIVERSITY]

    def peer() -> None:
        labels = list(ir_measures.read_trec_qrels(str(intents)))
        list(ir_measures.iter_calc(measures, labels, ir_measures.read_trec_run(str(runs[0]))))

    theirs = best_of(1, peer) * len(runs)
    what = f"files → scores, {len(runs)} runs × 50 topics × 1,000 documents, {len(DIVERSITY)} diversity measures"
    return Row(what, ours, "ir-measures (pyndeval)", theirs, 5, "peer timed on 1 run")


def many_judges() -> list[Row]:
    """331 judges: INST, Compat and alpha_nDCG take at most ten times AP's time."""
    rng = np.random.default_rng(0)
    judges, systems, topics, depth, pool, intents = 331, 129, 10, 1000, 1500, 3
    docs = [f"DOC-{i:06d}" for i in range(pool)]
    score = [float(depth - r) for r in range(depth)]
    runs = {
        f"s{s}": {str(t): dict(zip(rng.permutation(docs)[:depth].tolist(), score, strict=True)) for t in range(topics)}
        for s in range(systems)
    }
    grades = rng.choice(np.arange(4, dtype=np.int8), (topics * pool, judges), p=(0.9, 0.06, 0.03, 0.01))
    gold = {str(t): dict.fromkeys(docs, 0) for t in range(topics)}
    collection = ds.Collection(ds.Runs.from_dict(runs), ds.Judgments.from_dict({"gold": gold}, scale="0..3"))
    joined = collection.with_labels(grades).joined
    about = rng.integers(0, intents, (topics * pool, 1, 1)) == np.arange(intents)[None, None]
    labels = np.where(about & (grades > 0)[:, :, None], np.int8(1), np.int8(0)).reshape(topics * pool, -1)
    owner = np.repeat(np.arange(judges), intents)
    whole = Intents(tuple(str(i % intents) for i in range(judges * intents)), owner, np.ascontiguousarray(labels))
    object.__setattr__(joined, "intents", whole)
    scored = Collection.of(joined)
    base = best_of(3, lambda: scored.score(["AP"]))
    rows = []
    for name in ("INST(max_rel=3)", "Compat", "alpha_nDCG@20"):
        own = best_of(3, lambda name=name: scored.score([name]))
        what = f"331 judges × 129 systems × 10 topics × 1,000 ranks, {name}"
        rows.append(Row(what, own, "AP of ours", base, 0.1, "promised: within 10 times AP's time"))
    return rows
