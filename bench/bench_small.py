"""What people feel: every command on `examples/`, in a fresh process, beside `python -c "import numpy, polars"`.

Warm: bytecode and kernels are in their caches. Cold: the very first call of `evaluate` after an installation, with an
empty kernel cache and no bytecode of ours. A row's ratio is this command's seconds over those of the two imports in
the same run; the targets are the most it may be. Ratios are given twice: by the clock, and in processor time (user and
system seconds of the process and its threads), which other work on the machine hardly moves.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench.rows import Row

ROOT = Path(__file__).parents[1]
TIMES = 5
RUNS = ("examples/runs/*.run.gz",)
LABELS = ("--judgments", "examples/labels.csv")
ONE = ("--assessor", "llm")
MEASURE = ("-m", "P(rel=2)@10")
#: command → (its words, the most it may take as a multiple of importing numpy and polars)
COMMANDS: dict[str, tuple[tuple[str, ...], float]] = {
    "--help": (("--help",), 0.5),
    "evaluate": (("evaluate", *RUNS, *LABELS, *MEASURE), 2.5),
    "agree": (("agree", "examples/labels.csv"), 2.5),
    "merge": (("merge", "examples/labels.csv"), 2.5),
    "plan": (("plan", *RUNS, *LABELS, *ONE, *MEASURE, "--budget", "200"), 3.0),
    "correct": (("correct", *RUNS, *LABELS, *ONE, "--audit", "examples/audit.csv", *MEASURE), 3.0),
    "compare": (("compare", *RUNS, *LABELS, *ONE, *MEASURE), 3.0),
    "ceiling": (("ceiling", "examples/labels.csv", "-m", "nDCG@10"), 3.5),
    "aware": (("aware", *RUNS, *LABELS, *MEASURE), 3.5),
    "report": (
        ("report", *RUNS, *LABELS, *ONE, "--audit", "examples/audit.csv", "--truth", "examples/truth.csv", *MEASURE,
         "-m", "nDCG@10", "-o", "{folder}/report.html"),
        7.0,
    ),
}  # fmt: skip


class Spent(NamedTuple):
    """What one process took: seconds by the clock, and of processors."""

    clock: float
    processor: float


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        # bytecode is kept in a folder of this run: an environment that forbids writing it would never be warm
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        env |= {"PYTHONPYCACHEPREFIX": f"{folder}/bytecode", "NUMBA_CACHE_DIR": f"{folder}/kernels"}
        env["OPENBLAS_NUM_THREADS"] = "1"  # as commands set it: a thread that spins would make the imports look dear
        imports = [sys.executable, "-c", "import numpy, polars"]
        timed(imports, env)
        first = timed(_words("evaluate", folder), env)
        for name in COMMANDS:
            timed(_words(name, folder), env)
        # commands take turns with the imports, so that a busy moment hits both
        taken: dict[str, list[Spent]] = {name: [] for name in ("imports", *COMMANDS)}
        for _ in range(TIMES):
            taken["imports"].append(timed(imports, env))
            for name in COMMANDS:
                taken[name].append(timed(_words(name, folder), env))
    least = {name: least_of(spent) for name, spent in taken.items()}
    rows = [_row(name, least[name], least["imports"], most) for name, (_, most) in COMMANDS.items()]
    more, processor = first.clock - least["evaluate"].clock, first.processor - least["evaluate"].processor
    note = f"{more:.1f} s more than later; at most 3 s: {_kept(more, 3)}; processor time {processor:.1f} s more"
    return [*rows, Row("first call ever, evaluate on examples/", first.clock, note=note)]


def least_of(spent: list[Spent]) -> Spent:
    """The least of each kind: the run with the least clock need not be the one with the least processor time."""
    return Spent(min(s.clock for s in spent), min(s.processor for s in spent))


def _row(name: str, spent: Spent, base: Spent, most: float) -> Row:
    clock, processor = spent.clock / base.clock, spent.processor / base.processor
    note = (
        f"at most {most:g} times the imports: {clock:.2f} by the clock, {_kept(clock, most)}; {processor:.2f} in "
        f"processor time ({spent.processor:.2f} s / {base.processor:.2f} s), {_kept(processor, most)}"
    )
    return Row(
        f"dissensus {name} on examples/, warm", spent.clock, "import numpy, polars", base.clock, None, note
    )  # fmt: skip


def _kept(value: float, most: float) -> str:
    return "kept" if value <= most else "MISSED"


def _words(name: str, folder: str) -> list[str]:
    return [sys.executable, "-m", "dissensus", *(word.replace("{folder}", folder) for word in COMMANDS[name][0])]


def timed(words: list[str], env: dict[str, str]) -> Spent:
    """What one process takes, threads and its own children included."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, check=True, env=env, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
