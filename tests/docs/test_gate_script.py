"""The gate in a shell script: three exit statuses, and the page shows what it prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from paths import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import docs_output


def test_the_script_prints_what_the_page_shows(tmp_path: Path) -> None:
    command = tmp_path / "dissensus"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dissensus "$@"\n')
    command.chmod(0o755)
    done = subprocess.run(
        ["bash", "docs/workflows/gate.sh"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "NO_COLOR": "1"},
        check=False,
    )
    lines = [part for line in done.stdout.splitlines() for part in docs_output.folded(line.rstrip())]
    assert [line for line in lines if line.startswith("exit")] == ["exit status 0", "exit status 1", "exit status 3"]
    shown = "$ bash docs/workflows/gate.sh\n" + "\n".join(lines) + "\n```"
    assert shown in (ROOT / "docs" / "how-to" / "gate.md").read_text(encoding="utf-8")
