"""What changed since the last report: paired where topics are the same, variances added otherwise."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from paths import ROOT
from scipy import stats

from dissensus.cli import main
from dissensus.errors import InputError
from dissensus.reporting.since import LastReport

EXAMPLES = ROOT / "examples"
RUNS = sorted(map(str, (EXAMPLES / "runs").glob("*.gz")))


def report(folder: Path, capsys: pytest.CaptureFixture[str], judge: str, runs: list[str], *more: str) -> Path:
    words = ["report", *runs, "-j", str(EXAMPLES / "labels.csv"), "-a", judge, "-m", "P@10", *more]
    assert main([*words, "-o", str(folder / "r.html"), "--json"]) == 0
    out = folder / f"{judge}.json"
    out.write_text(capsys.readouterr().out, encoding="utf-8")
    return out


def test_naive_changes_are_paired_by_topic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = report(tmp_path, capsys, "llm", RUNS[1:])
    now = json.loads(report(tmp_path, capsys, "ann", RUNS, "--before", str(last)).read_text("utf-8"))
    then = json.loads(last.read_text("utf-8"))
    rows = {r["system"]: r for r in now["tables"]["since"]}
    assert rows["bm25"]["noise"] == "new"
    old, new = then["topic_scores"]["rm3"], now["topic_scores"]["rm3"]
    gaps = np.array([new[t] - old[t] for t in old])
    half = stats.t.ppf(1 - 0.05 / 7 / 2, gaps.size - 1) * gaps.std(ddof=1) / math.sqrt(gaps.size)
    assert rows["rm3"]["change"] == pytest.approx(gaps.mean(), abs=1e-12)
    assert rows["rm3"]["low"] == pytest.approx(gaps.mean() - half, abs=1e-10)
    assert "table-since" in (tmp_path / "r.html").read_text("utf-8")


def test_other_files_are_refused(tmp_path: Path) -> None:
    for name, text in (("a.json", "{}"), ("b.json", "nothing")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in ("a.json", "b.json", "none.json"):
        with pytest.raises(InputError, match="before"):
            LastReport.read(tmp_path / name)
