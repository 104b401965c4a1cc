"""What commands do not import on a small study: each of these takes longer to load than the study to analyse."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from paths import ROOT

RUNS = ["examples/runs/*.run.gz", "--judgments", "examples/labels.csv", "-m", "P(rel=2)@10"]
ONE = ["--assessor", "llm"]
COMMANDS = {
    "evaluate": ["evaluate", *RUNS],
    "agree": ["agree", "examples/labels.csv"],
    "plan": ["plan", *RUNS, *ONE, "--budget", "200"],
    "correct": ["correct", *RUNS, *ONE, "--audit", "examples/audit.csv"],
    "compare": ["compare", *RUNS, *ONE],
    "compare audited": ["compare", *RUNS, *ONE, "--audit", "examples/audit.csv"],
}
HEAVY = (
    "scipy",
    "numba",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.stats",
    "xarray",
    "pandas",
    "altair",
    "jinja2",
    "matplotlib",
    "asyncio",
    "sqlalchemy",
    "pydantic",
)
SPECIAL = ("plan", "correct", "compare", "compare audited")  # quantiles and p-values: scipy.special
# one process for all, those first that need no scipy, in which kernels of each command begin with nothing walked
CODE = """
import contextlib, io, json, sys
import gc
from dissensus.engine.compiled import Compiled
from dissensus.cli import main
commands, heavy = json.loads(sys.argv[1])
seen = {}
for name, words in commands.items():
    for kernel in gc.get_objects():
        if isinstance(kernel, Compiled):
            kernel.walked = 0
    with contextlib.redirect_stdout(io.StringIO()):
        status = main(words)
    seen[name] = [status, [m for m in heavy if m in sys.modules]]
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def loaded() -> dict[str, tuple[int, list[str]]]:
    words = [sys.executable, "-c", CODE, json.dumps([COMMANDS, HEAVY])]
    done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT)
    return {name: (status, heavy) for name, (status, heavy) in json.loads(done.stdout.splitlines()[-1]).items()}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_small_study_needs_no_heavy_module(loaded: dict[str, tuple[int, list[str]]], command: str) -> None:
    status, heavy = loaded[command]
    assert status == 0
    assert set(heavy) <= ({"scipy"} if command in SPECIAL else set())


def test_help_needs_neither_numpy_nor_polars() -> None:
    heavy = "{'numpy', 'polars', 'rich', 'pydantic'}"
    code = f"import sys; from dissensus.cli import main; main(['--help']); print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"
