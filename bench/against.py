"""Old against new: rows of the benchmark with two source trees in turn, in one run.

    python -m bench --against ../dissensus-0.1.0 evaluate judges

Every round runs the old tree's row and the new tree's row one after the other, each in a process of its own, so that a
busy moment hits both; the best of five rounds counts, in seconds of processor time of all threads, which other work on
the machine disturbs less than the clock. A row that is more than 15 % slower than before is marked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROUNDS = 5
SLOWER = 1.15
#: rows that both trees can run, by what they need of the public interface alone
ROWS: dict[str, str] = {
    "files → scores, 10 runs × 50 topics × 1,000 documents, 7 measures": """
from pathlib import Path
from bench.trec_shaped import write_collection
runs, qrels = write_collection(Path(folder), 10, 50, 1000, 1500, 500_000, 0.06)
measures = ["AP", "nDCG", "nDCG@10", "P@10", "Rprec", "RBP(p=0.8)", "Bpref"]
work = lambda: ds.evaluate(ds.read_runs(*runs), ds.read_judgments(qrels), measures)
""",
    "50 judges × 20 systems × 10 topics × 1,000 ranks, AP": """
rng = np.random.default_rng(0)
docs = [f"D{i:05d}" for i in range(1500)]
runs = {f"s{s}": {str(t): {d: -r for r, d in enumerate(rng.permutation(docs)[:1000].tolist())} for t in range(10)}
        for s in range(20)}
gold = {str(t): dict.fromkeys(docs, 0) for t in range(10)}
grades = rng.integers(0, 4, (15_000, 50)).astype(np.int8)
collection = ds.Collection(ds.Runs.from_dict(runs), ds.Judgments.from_dict({"gold": gold}, scale="0..3"))
work = lambda: collection.with_labels(grades).score(["AP", "nDCG@20"])
""",
    # posteriors as they are: tempering them, a second fit, is new since 0.1.0
    "EM, 20 rounds, 100,000 labels": """
import inspect
import polars as pl
plain = {"temper": False} if "temper" in inspect.signature(ds.merge).parameters else {}
rng = np.random.default_rng(0)
frame = pl.DataFrame({"topic": ["1"] * 100_000, "doc": rng.integers(0, 20_000, 100_000).astype(str),
                      "assessor": [f"a{i}" for i in rng.integers(0, 500, 100_000)],
                      "grade": rng.integers(0, 4, 100_000)}).unique(["doc", "assessor"], maintain_order=True)
judgments = ds.Judgments.from_frame(frame)
import warnings; warnings.simplefilter("ignore")
work = lambda: ds.merge(judgments, "em-mv", max_rounds=20, **plain)
""",
    "agreement, 100,000 labels": """
import polars as pl
rng = np.random.default_rng(0)
frame = pl.DataFrame({"topic": ["1"] * 100_000, "doc": rng.integers(0, 20_000, 100_000).astype(str),
                      "assessor": [f"a{i}" for i in rng.integers(0, 50, 100_000)],
                      "grade": rng.integers(0, 4, 100_000)}).unique(["doc", "assessor"], maintain_order=True)
judgments = ds.Judgments.from_frame(frame)
work = lambda: ds.agreement(judgments)
""",
    "compare 40 systems on 200 topics, max-t or Holm": """
import xarray as xr
values = np.random.default_rng(0).random((1, 40, 200))
scores = xr.Dataset({"AP": (("assessor", "system", "topic"), values)}, {"assessor": ["a"],
                    "system": [f"s{i}" for i in range(40)], "topic": [str(t) for t in range(200)]})
work = lambda: ds.compare(scores, "AP", correction="holm")
""",
    "nDCG ceiling of 500 queries × 120 documents × 5 grades, exact": """
matrix = 0.1 * np.ones((5, 5)) + 0.5 * np.eye(5)
topics = {str(q): g for q, g in enumerate(np.random.default_rng(0).integers(0, 5, (500, 120)))}
work = lambda: ds.ceiling(topics, matrix, "nDCG(dcg='exp-log2')")
""",
    "correct 8 systems by an audit and compare all pairs, examples/": """
runs, labels = ds.read_runs("examples/runs/*"), ds.read_judgments("examples/labels.csv")
audit = ds.read_audit("examples/audit.csv")
work = lambda: ds.correct(runs, labels, audit, "P(rel=2)@10", assessor="llm").compare_all()
""",
    "plan an audit of 200 documents, examples/": """
runs, labels = ds.read_runs("examples/runs/*"), ds.read_judgments("examples/labels.csv").select(assessors=["llm"])
work = lambda: ds.plan(runs, labels, budget=200, measure="P(rel=2)@10")
""",
    "AWARE, 1,000 random judges, examples/": """
runs, labels = ds.read_runs("examples/runs/*"), ds.read_judgments("examples/labels.csv")
work = lambda: ds.aware(runs, labels, ["AP"], replicates=1000)
""",
    "session log with 100,000 pages, read and fitted": """
from pathlib import Path
log, rng = Path(folder) / "log.csv", np.random.default_rng(0)
ranks, pages = rng.integers(1, 11, 400_000).tolist(), (np.arange(400_000) // 4).tolist()
log.write_text("session,query,rank,time\\n" + "".join(f"{p},{p % 500},{r},{i}\\n" for i, (p, r) in
                                                        enumerate(zip(pages, ranks))))
work = lambda: ds.MarkovUser.fit(ds.read_clicks(log))
""",
    "expected pair noise and noise of 100,000 labels": """
labels = ds.Judgments.from_dict({"a": {str(t): dict(zip([f"d{i}" for i in range(1000)], row)) for t, row in
                                       enumerate(np.random.default_rng(0).integers(0, 4, (100, 1000)).tolist())}})
confusion = ds.Confusion.uniform(4, 0.2)
work = lambda: float(ds.pair_noise(labels, ds.inject_noise(labels, confusion, seed=1)))
""",
}
CODE = """
import json, sys, tempfile, time
import numpy as np
import dissensus as ds
with tempfile.TemporaryDirectory() as folder:
    exec(sys.argv[1])
    work()
    best, spent, times = float("inf"), 0.0, 0
    while times < 3 or (spent < 1.5 and times < 100):  # long enough that kernels are compiled once it pays
        start = time.process_time()
        work()
        taken = time.process_time() - start
        best, spent, times = min(best, taken), spent + taken, times + 1
print(json.dumps(best))
"""


def against(old: Path, wanted: Sequence[str] = (), rounds: int = ROUNDS) -> int:
    """Print the table row by row; how many rows are more than 15 % slower."""
    here = Path(__file__).parents[1]
    trees = {"old": old.resolve() / "src", "new": here / "src"}
    print(f"{'what':68}  {'old':>9}  {'new':>9}  {'new/old':>7}", flush=True)
    slower = 0
    for what, code in ROWS.items():
        if wanted and not any(word in what for word in wanted):
            continue
        best = {name: float("inf") for name in trees}
        failed = ""
        for _ in range(rounds):
            for name, tree in trees.items():
                seconds, problem = _timed(tree, here, code)
                best[name] = min(best[name], seconds)
                failed = failed or (problem and f"{name}: {problem}")
            if failed:
                break
        ratio = best["new"] / best["old"]
        mark = failed or ("  SLOWER" if ratio > SLOWER else "")
        slower += not failed and ratio > SLOWER
        print(f"{what:68}  {best['old'] * 1e3:6.1f} ms  {best['new'] * 1e3:6.1f} ms  {ratio:7.2f}{mark}", flush=True)
    return slower


def _timed(tree: Path, here: Path, code: str) -> tuple[float, str]:
    env = {**os.environ, "PYTHONPATH": f"{tree}{os.pathsep}{here}"}
    done = subprocess.run([sys.executable, "-c", CODE, code], capture_output=True, text=True, env=env, cwd=here)
    if done.returncode:
        return float("inf"), done.stderr.strip().splitlines()[-1]
    return float(json.loads(done.stdout.splitlines()[-1])), ""
