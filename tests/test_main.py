"""Ctrl-C while the command starts, and closed streams, end it without a traceback."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from wording import phrase

# Ctrl-C comes at the very moment when a module is imported
INTERRUPTED = """
import os, signal, sys
from dissensus.__main__ import run

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == MODULE:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
sys.argv = ["dissensus", "evaluate", "--help"]
sys.exit(run())
"""


@pytest.mark.parametrize(
    ("module", "statuses"),
    [("dissensus.cli", {-2}), ("click", {-2, 130}), ("dissensus.cli.evaluate", {130})],
)
def test_ctrl_c_while_starting(module: str, statuses: set[int]) -> None:
    script = INTERRUPTED.replace("MODULE", repr(module))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode in statuses
    assert "Traceback" not in done.stderr


def test_closed_streams(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 1.0 a\n")
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\n")
    words = [sys.executable, "-m", "dissensus", "evaluate", "a.run", "-j", "a.qrels", "-m", "P@1"]

    def status(closing: str, *more: str) -> tuple[int, str]:
        line = f"{shlex.join([*words, *more])} {closing}"
        done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False, cwd=tmp_path)
        return done.returncode, done.stderr

    code, error = status(">&-")
    assert code == 2
    assert phrase("main.standard-output-closed") in error
    assert status(">&-", "-o", "out.csv")[0] == 0  # a file still takes the result
    assert (tmp_path / "out.csv").exists()
    assert status("2>&-") == (0, "")
