"""Ctrl-C while the command starts ends it without a traceback."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
    [("dissensus.cli", {-2}), ("typer", {-2, 130}), ("dissensus.cli.evaluate", {130})],
)
def test_ctrl_c_while_starting(module: str, statuses: set[int]) -> None:
    script = INTERRUPTED.replace("MODULE", repr(module))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode in statuses
    assert "Traceback" not in done.stderr
