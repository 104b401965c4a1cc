"""A fork that would hang is refused; one that would not is let through."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from paths import ROOT

SCRIPT = """
import os, sys
import dissensus as ds
from dissensus.errors import WorkError
import polars
def read():
    return len(ds.read_judgments(sys.argv[1]))
if sys.argv[2] == "used":
    read()
    polars.DataFrame({"a": [2, 1]}).sort("a")
if os.fork() == 0:
    try:
        read()
    except WorkError as error:
        sys.stdout.write(str(error))
        sys.stdout.flush()
        os._exit(3)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize(("state", "status"), [("used", 3), ("unused", 0)])
def test_a_fork(state: str, status: int) -> None:
    command = [sys.executable, "-c", SCRIPT, str(ROOT / "examples" / "labels.csv"), state]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == status, done.stderr
    assert ('get_context("spawn")' in done.stdout) == (status == 3)
