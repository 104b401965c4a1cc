"""Training with our objectives beside LightGBM's own, reading LETOR beside scikit-learn, pNoise beside all pairs.

LambdaMART and NMCGMART are ours, with the trees of LightGBM: at most 1.2 times its lambdarank.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dissensus as ds
from bench.bench_small import Spent, least_of, timed
from bench.rows import Row, best_of
from dissensus.label_noise.counting import count_pairs
from dissensus.learning import NMCGMART, LambdaMART
from dissensus.studies.generated.features import generate
from dissensus.tables.features import Features

ROOT = Path(__file__).parents[1]
QUERIES, TREES = 2000, 10  # about 120 documents × 136 features per query
SETTINGS = {"learning_rate": 0.05, "leaves": 31, "min_documents": 20}


def lambdarank(data: Features, threads: int) -> object:
    """LightGBM's built-in lambdarank with the settings of ours."""
    import lightgbm as lgb

    settings: dict[str, Any] = {
        "objective": "lambdarank",
        "learning_rate": 0.05,
        "num_leaves": 31,
        "min_data_in_leaf": 20,
        "num_threads": threads,
        "deterministic": True,
        "force_col_wise": True,
        "verbosity": -1,
        "metric": "None",
    }
    dataset = lgb.Dataset(data.X, label=data.y, group=data.group, params=settings)
    return lgb.train(settings, dataset, num_boost_round=TREES)


def cpu_best_of(times: int, work: Callable[[], object]) -> float:
    """CPU seconds of the best of several runs: fair for one-threaded work even where others use the machine."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def training() -> list[Row]:
    data = generate("MSLR-WEB10K", queries=QUERIES)
    size = f"{QUERIES:,} queries, {len(data):,} documents × 136 features, {TREES} trees, one thread, CPU time"
    rankers = [kind(trees=TREES, workers=1, **SETTINGS) for kind in (LambdaMART, NMCGMART)]
    small = data.select(data.topics[:20])
    for ranker in rankers:  # compile the kernel before the clock runs
        ranker.fit(small)
    theirs = cpu_best_of(2, lambda: lambdarank(data, 1))
    rows = []
    for ranker in rankers:
        ours = cpu_best_of(2, lambda ranker=ranker: ranker.fit(data))
        rows.append(Row(type(ranker).__name__, ours, "LightGBM lambdarank", theirs, 1 / 1.2, size))
    return rows


PEER = """
import sys
import lightgbm as lgb
settings = {"objective": "lambdarank", "learning_rate": 0.05, "num_leaves": 31, "min_data_in_leaf": 20,
            "num_threads": 1, "deterministic": True, "force_col_wise": True, "verbosity": -1, "metric": "None"}
dataset = lgb.Dataset(sys.argv[1], params=settings)
lgb.train(settings, dataset, num_boost_round=300).save_model(sys.argv[2])
"""


def sample() -> list[Row]:
    """`dissensus train` on LightGBM's own example, read, trained and written in a fresh process, beside its Python call
    for as many trees with the same settings; by the clock, and in processor time.

    One thread each: the example is small. `train` also predicts, scores, and looks for the best single feature.
    """
    folder = ROOT.parent / "shared" / "data" / "ltr-lightgbm-example"
    if not folder.is_dir():
        return []
    with tempfile.TemporaryDirectory() as out:
        data = Path(out, "rank.train")
        data.write_bytes(gzip.decompress((folder / "rank.train.gz").read_bytes()))
        Path(out, "rank.train.query").write_bytes((folder / "rank.train.query").read_bytes())
        env = {**os.environ, "PYTHONPYCACHEPREFIX": f"{out}/bytecode", "NUMBA_CACHE_DIR": f"{out}/kernels"}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        theirs = [sys.executable, "-c", PEER, str(data), f"{out}/theirs.txt"]
        calls = {"LightGBM": theirs}
        for name in ("LambdaMART", "NMCGMART"):
            words = [
                "train",
                str(data),
                "--queries",
                f"{data}.query",
                "--ranker",
                name,
                "--model",
                f"{out}/{name}.json",
            ]
            calls[name] = [sys.executable, "-m", "dissensus", *words]
        for words in calls.values():
            timed(words, env)
        taken = {name: [timed(words, env) for _ in range(3)] for name, words in calls.items()}
    least = {name: least_of(spent) for name, spent in taken.items()}
    peer, rows = least["LightGBM"], []
    for name in ("LambdaMART", "NMCGMART"):
        clock, processor = least[name].clock / peer.clock, least[name].processor / peer.processor
        note = (
            f"at most 1.5 times its own call: {clock:.2f} by the clock, {processor:.2f} in processor time "
            f"({least[name].processor:.2f} s / {peer.processor:.2f} s)"
        )
        what = f"dissensus train on LightGBM's sample, {name}, 300 trees, the whole process"
        rows.append(Row(what, least[name].clock, "LightGBM's Python call", peer.clock, 1 / 1.5, note))
    return rows


WAITING = """
import time
from dissensus.learning import LambdaMART
from dissensus.studies.generated.features import generate
data = generate("MSLR-WEB10K", queries=400)
ranker = LambdaMART(trees=10)
ranker.fit(data.select(data.topics[:20]))
clock, processor = time.perf_counter(), time.process_time()
ranker.fit(data)
print(time.perf_counter() - clock, time.process_time() - processor)
"""


def waiting() -> Row:
    """Training on as many threads as OMP_NUM_THREADS says: threads that do not spin take the processor time of one."""
    taken = {}
    for threads in (1, 2):
        env = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        words = [sys.executable, "-c", WAITING]
        out = subprocess.run(words, env=env, check=True, capture_output=True, text=True).stdout
        taken[threads] = Spent(*map(float, out.split()))
    note = " and ".join(
        f"{spent.processor:.2f} s of processor time, {spent.clock:.2f} s by the clock with OMP_NUM_THREADS={threads}"
        for threads, spent in taken.items()
    )
    return Row("LambdaMART, 400 queries, 10 trees, two threads", taken[2].clock, note=note)


def reading() -> Row:
    from sklearn.datasets import load_svmlight_file

    data = generate("MSLR-WEB10K", queries=40)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.txt")
        with path.open("w") as file:
            for x, y, t in zip(data.X, data.y, data.topic, strict=True):
                values = " ".join(f"{i}:{v:.6f}" for i, v in enumerate(x.tolist(), start=1))
                file.write(f"{int(y)} qid:{t} {values}\n")
        ds.read_features(path)
        ours = best_of(3, lambda: ds.read_features(path))
        theirs = best_of(3, lambda: load_svmlight_file(str(path), query_id=True))
        size = f"{path.stat().st_size / 1e6:.0f} MB"
    return Row("read_features", ours, "scikit-learn load_svmlight_file", theirs, 1.0, size)


def pairs() -> Row:
    rng = np.random.default_rng(0)
    before, after = rng.permutation(2000), rng.permutation(2000)

    def all_pairs() -> float:
        a = np.sign(before[:, None] - before[None, :])
        b = np.sign(after[:, None] - after[None, :])
        return float(((a == -b) & (b != 0)).sum() / 2 / ((b != 0).sum() / 2))

    ours = best_of(5, lambda: count_pairs(before, after))
    return Row("pNoise of two total orders", ours, "numpy, all pairs", best_of(3, all_pairs), 10.0, "2,000 documents")


def run() -> list[Row]:
    return [*training(), *sample(), waiting(), reading(), pairs()]


if __name__ == "__main__":
    for row in run():
        print(row)
