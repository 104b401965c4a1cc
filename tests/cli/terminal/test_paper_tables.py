"""Tables for papers: escaped, the best bold, marks where a test found a difference."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest
from paths import ROOT

from dissensus.cli import main
from dissensus.cli.terminal.output import Printout, Table
from dissensus.cli.terminal.paper_tables import PaperTable, best_cells, paper

FRAME = pl.DataFrame({"system": ["a_b", "c|d"], "AP": [0.25, 0.5], "ESL": [1.0, 2.0]})


def test_the_best_is_bold_in_the_direction_of_its_measure() -> None:
    assert best_cells(FRAME, {"AP": True, "ESL": False}) == {(1, 1), (0, 2)}
    text = PaperTable(Table.of(FRAME), "50 % & more", bold={(1, 1)}, marks=[r"\dagger", ""]).latex()
    assert r"a\_b$^{\dagger}$ & 0.2500" in text
    assert r"\textbf{0.5000}" in text
    assert r"\caption{50 \% \& more}" in text


def test_ties_are_all_bold_and_assessors_have_their_own_best() -> None:
    frame = pl.DataFrame({"assessor": ["x", "x", "y", "y"], "system": list("abab"), "AP": [0.2, 0.2, 0.1, 0.3]})
    assert best_cells(frame, {"AP": True}) == {(0, 2), (1, 2), (3, 2)}


def test_markdown_shows_text_as_it_is() -> None:
    text = PaperTable(Table.of(FRAME), "T", {(1, 1)}, [r"\dagger", ""], ["a*b"]).markdown()
    assert r"| a\_b † | 0.2500" in text
    assert r"| c\|d | **0.5000**" in text
    assert r"a\*b" in text


@pytest.mark.parametrize(("name", "bold"), [("t.tex", r"\textbf{"), ("t.md", "**")])
def test_evaluate_writes_tables_for_papers(name: str, bold: str, tmp_path: Path) -> None:
    runs = sorted(map(str, (ROOT / "examples" / "runs").glob("*.gz")))
    labels = str(ROOT / "examples" / "labels.csv")
    assert main(["evaluate", *runs, "-j", labels, "--assessor", "llm", "-m", "P@10", "-o", str(tmp_path / name)]) == 0
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert bold in text
    assert ("dagger" if name.endswith("tex") else "†") in text


def test_latex_is_booktabs_and_escaped() -> None:
    frame = pl.DataFrame({"system": ["bm25", "a_b"], "AP": [0.25, math.nan], "topics": [50, 49]})
    text = paper(Printout({"t": frame}, "50 % & more"), ".tex")
    assert r"\begin{tabular}{lrr}" in text
    assert r"\toprule" in text
    assert r"a\_b & -- & 49 \\" in text
    assert r"\caption{50 \% \& more}" in text
