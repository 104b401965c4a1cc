"""One closed audit through all its windows: status, closing, page, CSV and a later compare say the same."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from audit_studies import MEASURE, sample, truth

from dissensus.audit.simulate import play
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study
from dissensus.cli import main

LABELS = 40


@pytest.mark.parametrize("stop", ["decided", f"budget:{LABELS}"])
def test_all_windows_of_an_audit_say_the_same(stop: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = sample(6)
    runs, judge, place, closed = (str(tmp_path / name) for name in ("runs.csv", "llm.csv", "study.db", "closed"))
    study.runs.to_frame().write_csv(runs)
    study.judgments.select(assessors=["llm"]).to_frame().write_csv(judge)
    files = [runs, "-j", judge, "-m", MEASURE, "--scale", "0..3"]

    def told(*words: str) -> str:
        assert main(list(words)) == 0
        return capsys.readouterr().out

    told("audit", "new", place, *files, "--stop", stop, "--without-texts", "--seed", "3", "--expert", "ann")
    with StudyStore.open(place, changed=True) as store:
        play(Study.load(store), truth(6), error=0.0)
    status = told("audit", "status", place)
    closing = told("audit", "close", place, "-o", closed).splitlines()
    page = html.unescape(Path(closed, "report.html").read_text(encoding="utf-8"))
    audit = ["--audit", f"{closed}/audit.csv", "--target", "these_topics"]
    later: dict[str, Any] = json.loads(told("compare", *files, *audit, "--json"))["outcome"]

    sentences = [c["sentence"] for c in later["claims"]]
    assert later["headline"] in sentences
    for sentence in sentences:
        assert sentence in closing
        assert sentence in page
        assert sentence in status
    of_pairs = {frozenset(c["systems"] + c["others"]): c["kind"] for c in later["pairs"]}
    for row in pl.read_csv(f"{closed}/differences.csv").iter_rows(named=True):
        assert row["claim"] == of_pairs[frozenset((row["a"], row["b"]))]
        assert row["target"] == later["target"]
