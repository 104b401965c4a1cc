"""A report as parts of a paper: what is written, that it compiles, and that marks follow the claims."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import dissensus as ds
from dissensus.cli import main
from dissensus.reporting.paper_tables import BETTER, WORSE, marks_against, marks_of, paper_comparison

EXAMPLES = Path(__file__).parents[2] / "examples"
RUNS = sorted(map(str, (EXAMPLES / "runs").glob("*.gz")))
JUDGED = [*RUNS, "-j", str(EXAMPLES / "labels.csv"), "-a", "llm", "-m", "P@10"]


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paper")
    audit = str(EXAMPLES / "audit.csv")
    page = str(folder / "r.html")
    assert main(["report", *JUDGED, "--audit", audit, "--paper", str(folder / "p"), "-o", page]) == 0
    return folder / "p"


def test_a_folder_has_table_figure_methods_and_how_to_repeat(paper: Path) -> None:
    assert {p.name for p in paper.iterdir()} == {
        "answer-systems.pdf", "answer-systems.svg", "figures.tex", "methods.tex", "paper.tex", "replication.toml",
        "table.tex",
    }  # fmt: skip
    scores = ds.correct(RUNS, EXAMPLES / "labels.csv", EXAMPLES / "audit.csv", "P@10", assessor="llm")
    said = (paper / "methods.tex").read_text("utf-8").replace("\\%", "%")
    for claim in scores.outcome.claims:
        assert str(claim).rstrip(".") in said
    assert "paper" not in (paper / "replication.toml").read_text("utf-8").split("[outputs", 1)[1]


def test_latex_compiles(paper: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex on this machine (apt-get install texlive-latex-recommended)")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=paper,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


def test_marks_follow_the_claims() -> None:
    scores = ds.evaluate(RUNS, EXAMPLES / "labels.csv", ["P@10"])
    found = ds.compare(scores, "P@10", assessor="llm")
    letters, _ = marks_of(found.outcome)
    for d in found.pairs:
        assert (d.claim.kind == "better") is not bool(set(letters[d.a]) & set(letters[d.b])), (d.a, d.b)
    against = ds.compare(scores, "P@10", assessor="llm", baseline="bm25")
    marks, _ = marks_against(against.pairs, "P@10", "bm25")
    for d in against.pairs:
        better = d.claim.kind == "better"
        sign = "" if not better else BETTER if d.claim.others[0] == "bm25" else WORSE
        assert marks.get(d.a if d.b == "bm25" else d.b, "") == sign
    table = paper_comparison(found).tables["systems"]
    assert table.frame["system"].to_list() == list(found.outcome.order)


def test_several_judges_have_a_table_for_each_measure(tmp_path: Path) -> None:
    target = tmp_path / "t.tex"
    assert main(["evaluate", *RUNS, "-j", str(EXAMPLES / "labels.csv"), "-m", "P@10,nDCG@10", "-o", str(target)]) == 0
    text = target.read_text("utf-8")
    assert text.count(r"\begin{table}") == 2
    assert r"system & ann & ben & cyd & dee & eve & llm \\" in text
    assert "max-t for 28 comparisons" in text
