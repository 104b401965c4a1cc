"""Files to scores, hundreds of judges, import and first number: the promises of the foundation."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytrec_eval

import dissensus as ds
from bench.rows import Row, best_of
from bench.trec_shaped import write_collection

MEASURES = ["AP", "nDCG", "nDCG@10", "P@10", "Rprec", "RBP(p=0.8)", "Bpref"]
THEIRS = {"map", "ndcg", "ndcg_cut.10", "P.10", "Rprec", "bpref"}


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return [
            *files_to_scores(Path(folder) / "adhoc", systems=129, topics=50, pool=1500, corpus=500_000, relevant=0.06),
            *files_to_scores(Path(folder) / "passage", systems=4, topics=6980, pool=2, corpus=8_800_000, relevant=0.8),
            many_judges(),
            *starting(Path(folder)),
        ]


def files_to_scores(folder: Path, systems: int, topics: int, pool: int, corpus: int, relevant: float) -> list[Row]:
    runs, qrels = write_collection(folder, systems, topics, 1000, pool, corpus, relevant)
    lines = systems * topics * 1000
    ours = best_of(7, lambda: ds.evaluate(ds.read_runs(*runs), ds.read_judgments(qrels), MEASURES))
    sample = runs[: max(1, min(10, systems // 4))]

    def peer() -> None:
        with qrels.open() as file:
            evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), THEIRS)
        for path in sample:
            with path.open() as file:
                evaluator.evaluate(pytrec_eval.parse_run(file))

    theirs = best_of(2, peer) * len(runs) / len(sample)
    memory = peak_memory(
        f"import dissensus as ds; ds.evaluate(ds.read_runs({str(folder / 'runs' / '*')!r}), "
        f"ds.read_judgments({str(qrels)!r}), {MEASURES!r})"
    )
    what = f"files → scores, {systems} runs × {topics:,} topics × 1,000 documents, 7 measures"
    note = f"{1e9 * ours / lines:.0f} ns a line, peak {memory:.2f} GB; peer timed on {len(sample)} runs, without RBP"
    goal = 18 if systems > topics else 20
    return [Row(what, ours, "pytrec_eval, its own parser", theirs, goal, note)]


def many_judges() -> Row:
    rng = np.random.default_rng(0)
    judges, systems, topics, depth, pool = 331, 129, 10, 1000, 1500
    docs = [f"DOC-{i:06d}" for i in range(pool)]
    score = [float(depth - r) for r in range(depth)]
    runs = {
        f"s{s}": {str(t): dict(zip(rng.permutation(docs)[:depth].tolist(), score, strict=True)) for t in range(topics)}
        for s in range(systems)
    }
    grades = rng.choice(np.arange(4, dtype=np.int8), (topics * pool, judges), p=(0.9, 0.06, 0.03, 0.01))
    gold = {str(t): dict.fromkeys(docs, 0) for t in range(topics)}
    collection = ds.Collection(ds.Runs.from_dict(runs), ds.Judgments.from_dict({"gold": gold}, scale="0..3"))
    ours = best_of(5, lambda: collection.with_labels(grades).score(["AP", "nDCG@20", "ERR@20"]))
    sample = 2

    def peer() -> None:
        for j in range(sample):
            own = grades[:, j].reshape(topics, pool)
            qrels = {str(t): dict(zip(docs, own[t].tolist(), strict=True)) for t in range(topics)}
            evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.20"})
            for own_run in runs.values():
                evaluator.evaluate(own_run)

    theirs = best_of(2, peer) * judges / sample
    what = "331 judges × 129 systems × 10 topics × 1,000 ranks, AP + nDCG@20 + ERR@20"
    kept = "kept" if ours <= 0.06 else "MISSED"
    note = f"at most 60 ms: {kept}; peer timed on {sample} judges, without ERR"
    return Row(what, ours, "pytrec_eval in a loop", theirs, 1000, note)


def starting(folder: Path) -> list[Row]:
    (folder / "small.run").write_text("".join(f"1 Q0 d{i} {i} {-i} tag\n" for i in range(20)))
    (folder / "small.qrels").write_text("".join(f"1 0 d{i} {i % 2}\n" for i in range(20)))
    words = [
        sys.executable,
        "-m",
        "dissensus",
        "evaluate",
        str(folder / "small.run"),
        "-j",
        str(folder / "small.qrels"),
    ]
    nothing = best_of(5, lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
    bare = best_of(5, lambda: subprocess.run([sys.executable, "-c", "import dissensus"], check=True)) - nothing
    fresh = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    cold = best_of(1, lambda: subprocess.run(words, check=True, env=fresh, stdout=subprocess.DEVNULL))
    warm = best_of(5, lambda: subprocess.run(words, check=True, env=fresh, stdout=subprocess.DEVNULL))
    return [
        Row("import dissensus", bare, note="promised: under 0.3 s"),
        Row("first number of a small job, nothing compiled yet", cold, note="promised: under 5 s"),
        Row("first number of a small job, afterwards", warm, note="promised: under 1 s"),
    ]


def peak_memory(code: str) -> float:
    """Peak resident memory in GB of a fresh interpreter that runs `code`, as the kernel tells it.

    (`ru_maxrss` would not do: a child process begins with its parent's.)
    """
    report = "; print(next(l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')))"
    done = subprocess.run([sys.executable, "-c", code + report], check=True, capture_output=True, text=True)
    return float(done.stdout.splitlines()[-1]) * 1024 / 1e9


if __name__ == "__main__":
    start = time.perf_counter()
    for row in run():
        print(row, row.ratio)
    print(f"{time.perf_counter() - start:.0f} s")
