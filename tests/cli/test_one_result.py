"""A command shows what its verb returns: the same words on a terminal and in Python, one result through all windows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from paths import ROOT
from shell import call

import dissensus as ds
from dissensus.results import Result
from dissensus.theory.order import compare_rankings
from dissensus.windows import latex, markdown, notebook
from dissensus.windows.files import write

E = ROOT / "examples"
LABELS = str(E / "labels.csv")
TWO = [str(E / "runs" / f"{name}.run.gz") for name in ("bm25", "dense")]
RUNS = sorted(map(str, (E / "runs").glob("*.gz")))

#: command → (its words, the verb)
SAME: dict[str, tuple[list[str], Callable[[], Any]]] = {
    "order": (["0 1 1 2 2", "0 1 1 1 3"], lambda: compare_rankings([0, 1, 1, 2, 2], [0, 1, 1, 1, 3])),
    "balance": (["AP", "ERR", "-n", "20"], lambda: ds.balance(["AP", "ERR"], 20)),
    "gate": (
        [*TWO, "-j", LABELS, "-a", "ann", "--tolerance", "0.02", "-m", "P@10"],
        lambda: ds.gate(*TWO, LABELS, "P@10", tolerance=0.02, assessor="ann"),
    ),
    "agree": (
        [LABELS, "--replicates", "99"],
        lambda: ds.agree(ds.read_judgments(LABELS, repeated="keep"), replicates=99),
    ),
    "compare": (
        [*RUNS, "-j", LABELS, "-a", "llm", "-m", "P@10"],
        lambda: ds.compare(ds.evaluate(RUNS, ds.read_judgments(LABELS).select(assessors=["llm"]), "P@10"), "P@10"),
    ),
    "correct": (
        [*TWO, "-j", LABELS, "-a", "llm", "--audit", str(E / "audit.csv"), "-m", "P@10"],
        lambda: ds.correct(TWO, LABELS, E / "audit.csv", "P@10", assessor="llm"),
    ),
    "noise": (
        [LABELS, "-a", "ann", "--levels", "0.1", "--replicates", "2"],
        lambda: ds.noise(ds.read_judgments(LABELS).select(assessors=["ann"]), levels=[0.1], replicates=2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_a_command_prints_its_verbs_result(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words, verb = SAME[name]
    call(name, *words)
    typed = capsys.readouterr().out
    assert told(typed) == told(str(verb()))


def told(text: str) -> list[str]:
    """The lines of a screen without those that say how the rest is seen, in the words of a terminal and of Python."""
    return [line.replace("--all shows them", "").rstrip() for line in text.splitlines() if not line.startswith("… ")]


def test_every_window_shows_the_same_numbers(tmp_path: Path) -> None:
    result: Result = SAME["gate"][1]()
    row = result.to_frame().row(0, named=True)
    shown = f"{row['difference']:.4f}"
    assert json.loads(result.to_json())["tables"]["checks"][0]["difference"] == row["difference"]
    write(result, tmp_path / "gate.csv")
    assert pl.read_csv(tmp_path / "gate.csv")["difference"][0] == row["difference"]
    write(result, tmp_path / "gate.parquet")
    assert pl.read_parquet(tmp_path / "gate.parquet").equals(result.to_frame())
    windows = [str(result), notebook.page(result), latex.text(result), markdown.text(result)]
    assert [shown in text for text in windows] == [True] * len(windows)


def test_no_command_builds_a_table() -> None:
    assert [p.name for p in (ROOT / "src" / "dissensus" / "cli").rglob("*.py") if builds(p)] == []


def builds(path: Path) -> bool:
    """Does a file make tables?"""
    text = path.read_text(encoding="utf-8")
    return any(word in text for word in ("Tables(", "Table.of(", "Table(", "emit("))
