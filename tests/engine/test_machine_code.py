"""Files are read by machine code where NUMBA_DISABLE_JIT is set, too, and give the same numbers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
import numba  # kernels are used from the first line on
import dissensus as ds

runs, labels = ds.read_runs(sys.argv[1]), ds.read_judgments(sys.argv[2])
print(repr(float(ds.evaluate(runs, labels, ["nDCG@10"])["nDCG@10"].mean())), bool(numba.config.DISABLE_JIT))
"""


def test_a_setting_for_debugging_changes_no_number(tmp_path: Path) -> None:
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_text("".join(f"q{t} Q0 d{i} {i} {50 - i}.5 a\n" for t in range(20) for i in range(50)))
    qrels.write_text("".join(f"q{t} 0 d{i} {(i * t) % 3}\n" for t in range(20) for i in range(0, 50, 2)))
    shown = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(run), str(qrels)],
            capture_output=True, text=True, check=True, env={**os.environ, "NUMBA_DISABLE_JIT": setting},
        ).stdout.split()
        for setting in ("0", "1")
    ]  # fmt: skip
    assert shown[0][0] == shown[1][0]
    assert [s[1] for s in shown] == ["False", "True"]  # the user's own functions keep what was asked for
