"""What people feel: every command on `examples/`, in a fresh process, beside `python -c "import numpy, polars"`.

Warm: bytecode and kernels are in their caches. Cold: the very first call of `evaluate` after an installation, with an
empty kernel cache and no bytecode of ours. A row's ratio is this command's seconds over those of the two imports in
the same run; the targets are the most it may be.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        # bytecode is kept in a folder of this run: an environment that forbids writing it would never be warm
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        env |= {"PYTHONPYCACHEPREFIX": f"{folder}/bytecode", "NUMBA_CACHE_DIR": f"{folder}/kernels"}
        imports = [sys.executable, "-c", "import numpy, polars"]
        timed(imports, env)
        first = timed(_words("evaluate", folder), env)
        for name in COMMANDS:
            timed(_words(name, folder), env)
        # commands take turns with the imports, so that a busy moment hits both
        taken: dict[str, list[float]] = {name: [] for name in ("imports", *COMMANDS)}
        for _ in range(TIMES):
            taken["imports"].append(timed(imports, env))
            for name in COMMANDS:
                taken[name].append(timed(_words(name, folder), env))
    base = min(taken["imports"])
    rows = [_row(name, min(taken[name]), base, most) for name, (_, most) in COMMANDS.items()]
    more = first - min(taken["evaluate"])
    kept = "kept" if more <= 3 else "MISSED"
    rows.append(
        Row("first call ever, evaluate on examples/", first, note=f"{more:.1f} s more than later; at most 3 s: {kept}")
    )
    return rows


def _row(name: str, seconds: float, base: float, most: float) -> Row:
    kept = "kept" if seconds / base <= most else "MISSED"
    return Row(
        f"dissensus {name} on examples/, warm", seconds, "import numpy, polars", base, None,
        f"{seconds / base:.1f} times the imports, at most {most:g}: {kept}",
    )  # fmt: skip


def _words(name: str, folder: str) -> list[str]:
    return [sys.executable, "-m", "dissensus", *(word.replace("{folder}", folder) for word in COMMANDS[name][0])]


def timed(words: list[str], env: dict[str, str]) -> float:
    """Seconds of one process."""
    start = time.perf_counter()
    subprocess.run(words, check=True, env=env, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start
