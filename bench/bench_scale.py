"""How cost grows: files in pieces → scores, at 1×, 2× and 4× the topics, systems and assessors.

python -m bench scale                               slopes (1 is linear), memory of a worker
DISSENSUS_BENCH_LARGE=1 python -m bench scale       also 1,000,000 topics × 100 documents × 2 systems
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from bench.rows import Row, best_of_both

LARGE = "DISSENSUS_BENCH_LARGE"
DEPTH = 100
BASE = {"topics": 2000, "systems": 2, "assessors": 2}
PART = 20_000  # topics per file: generated in bounded memory, as they will be read
LIMIT = 1.5  # GB
GOAL = 60.0  # seconds


def write(folder: Path, topics: int, systems: int, assessors: int) -> None:
    """A dataset of two folders, runs/ and labels/, sorted by topic; every topic has documents of its own."""
    for name in ("runs", "labels"):
        (folder / name).mkdir(parents=True)
    names = [f"s{s}" for s in range(systems)]
    judges = [f"j{j}" for j in range(assessors)]
    for number, first in enumerate(range(0, topics, PART)):
        rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(number,)))
        n = min(PART, topics - first)
        topic = np.repeat(np.arange(first, first + n), systems * DEPTH)
        shift = np.tile(np.repeat(np.arange(systems) % 3 * 20, DEPTH), n)
        pl.DataFrame(
            {
                "topic": topic,
                "system": pl.Series(np.tile(np.repeat(names, DEPTH), n), dtype=pl.String).cast(pl.Categorical),
                "doc": topic * 1000 + np.tile(np.arange(DEPTH), n * systems) + shift,
                "score": rng.random(len(topic)),
            }
        ).write_parquet(folder / "runs" / f"part-{number:04}.parquet")
        pooled = np.repeat(np.arange(first, first + n), assessors * 10)
        pl.DataFrame(
            {
                "topic": pooled,
                "assessor": pl.Series(np.tile(np.repeat(judges, 10), n), dtype=pl.String).cast(pl.Categorical),
                "doc": pooled * 1000 + np.tile(np.arange(0, 100, 10), n * assessors),
                "grade": rng.integers(0, 3, len(pooled)).astype(np.int8),
            }
        ).write_parquet(folder / "labels" / f"part-{number:04}.parquet")


def score(folder: Path) -> object:
    import dissensus as ds
    from dissensus.io import partition

    partition.LARGE = 0  # in pieces, however small
    return ds.evaluate(folder / "runs", folder / "labels", ["AP", "nDCG@10"])


def slopes() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        warm = Path(temporary) / "warm"
        write(warm, 50, 2, 2)
        score(warm)
        for dimension in BASE:
            processor = []
            for times in (1, 2, 4):
                folder = Path(temporary) / f"{dimension}{times}"
                sizes = {**BASE, dimension: BASE[dimension] * times}
                write(folder, **sizes)
                wall, busy = best_of_both(3, lambda folder=folder: score(folder))
                processor.append(busy)
                shape = " × ".join(f"{n:,} {name}" for name, n in sizes.items())
                note = f"{busy:.2f} s of processor time"
                if times == 4:
                    exponent = np.polyfit(np.log([1, 2, 4]), np.log(processor), 1)[0]
                    note += f"; slope in {dimension} {exponent:.2f} (1 is linear)"
                rows.append(Row(f"Parquet → AP, nDCG@10: {shape} × {DEPTH}", wall, note=note))
    return rows


CHILD = """
import resource, sys, time
from pathlib import Path
from bench.bench_scale import score
start = time.perf_counter()
scores = score(Path(sys.argv[1]))
seconds, kilobytes = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
sys.stdout.write(f"{seconds} {time.process_time()} {kilobytes / 2**20} {len(scores.topics)}")
"""


def large() -> Row:
    """The job that does not fit: 200 million rows, in a process of its own so that its memory can be told."""
    with tempfile.TemporaryDirectory() as temporary:
        write(Path(temporary) / "data", 1_000_000, 2, 1)
        done = subprocess.run(
            [sys.executable, "-c", CHILD, str(Path(temporary) / "data")],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[1],
        )
    seconds, busy, memory, topics = done.stdout.split()
    kept = "kept" if float(memory) < LIMIT and float(seconds) <= GOAL else "MISSED"
    return Row(
        f"Parquet → AP, nDCG@10: {int(topics):,} topics × {DEPTH} documents × 2 systems",
        float(seconds),
        note=f"{float(busy):.0f} s of processor time at a load of {os.getloadavg()[0]:.1f}, "
        f"peak memory {float(memory):.2f} GB; goal {GOAL:g} s within {LIMIT:g} GB {kept}",
    )


def run() -> list[Row]:
    return slopes() + ([large()] if os.environ.get(LARGE) else [])
