"""The court, third trial: one audit read in every window has one order, one best set and the same claims."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from audited_study import audit

from dissensus.cli import main
from dissensus.io.samples import generated_collection
from dissensus.reporting.build import Built, build
from dissensus.reporting.figures import figures
from dissensus.reporting.study import ReportedStudy

MEASURE = "P(rel=2)@10"
SAMPLE = generated_collection(seed=2, topics=20)
AUDIT = audit(SAMPLE.truth, 0.4)
JUDGE = SAMPLE.judgments.select(assessors=["llm"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("court")
    SAMPLE.runs.to_frame().write_csv(place / "runs.csv")
    JUDGE.to_frame().write_csv(place / "llm.csv")
    AUDIT.to_frame().write_csv(place / "audit.csv")
    return place


@pytest.fixture(scope="module")
def built() -> Built:
    from dissensus.measures.catalog import measure_list

    return build(ReportedStudy(SAMPLE.runs, JUDGE, tuple(measure_list([MEASURE])), AUDIT, assessor="llm"))


@pytest.fixture
def told(folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """What a command prints about the three files."""

    def tell(command: str, *words: object) -> str:
        files = [folder / "runs.csv", "-j", folder / "llm.csv", "--audit", folder / "audit.csv", "-m", MEASURE]
        assert main([command, *map(str, files), *map(str, words)]) == 0
        return capsys.readouterr().out

    return tell


def sentences(outcome: dict[str, Any]) -> list[str]:
    return [c["sentence"] for c in outcome["claims"]]


def data_of(built: Built, name: str) -> list[dict[str, Any]]:
    """The rows that a figure draws, the longest of its tables."""
    chart = next(f.chart for f in figures(built) if f.name == name)
    rows: list[dict[str, Any]] = max(chart.to_dict(validate=False)["datasets"].values(), key=len)
    return rows


@pytest.fixture
def said(told: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told("compare", "--json"))["outcome"]
    assert len(found["best"]) > 1  # a best set, a ruled-out system and an open pair: something to disagree about
    assert found["ruled_out"]
    return found


def test_every_command_has_one_outcome_in_json(told: Any, said: dict[str, Any], folder: Path) -> None:
    assert json.loads(told("correct", "--json"))["outcome"] == said
    assert json.loads(told("report", "-o", folder / "page.html", "--json"))["outcome"] == said


@pytest.mark.parametrize("command", ["compare", "correct"])
def test_the_terminal_prints_the_claims(told: Any, said: dict[str, Any], command: str) -> None:
    out = told(command).splitlines()
    lines = [line.removeprefix(f"{MEASURE}: ") for line in out]
    assert [s for s in sentences(said) if s not in lines] == []
    if command == "correct":
        rows = [line.split()[1] for line in out if line.startswith(f"{MEASURE} ")]
        assert rows == said["order"]


def test_the_report_shows_the_claims_and_the_order(told: Any, said: dict[str, Any], folder: Path) -> None:
    told("report", "-o", folder / "page.html")
    page = html.unescape((folder / "page.html").read_text(encoding="utf-8"))
    assert [s for s in sentences(said) if s not in page] == []
    drawn = page[page.index('class="drawn wide"') : page.index('class="drawn medium"')]
    rows = re.findall(r'role="listitem" aria-label="([^"]+)"', drawn)
    assert [r.split(":")[0] for r in rows] == said["order"]
    assert [r.split(":")[0] for r in rows if r.endswith("could be the best")] == said["best"]


def test_latex_has_the_headline_the_order_and_the_pairs(told: Any, said: dict[str, Any], folder: Path) -> None:
    told("correct", "-o", folder / "scores.tex")
    text = (folder / "scores.tex").read_text(encoding="utf-8")
    assert said["headline"] in text
    rows = re.findall(r"^(\S+) & .*textsuperscript\{(\w*)\}", text, flags=re.MULTILINE)
    assert [system for system, _ in rows] == said["order"]
    letters = {system: set(own) for system, own in rows}
    for pair in said["pairs"]:
        a, b = pair["systems"] + pair["others"]
        assert bool(letters[a] & letters[b]) == (pair["kind"] not in ("better", "differ"))


def test_figures_draw_the_order_the_best_set_and_the_claims(built: Built, said: dict[str, Any]) -> None:
    ranks = data_of(built, "differences-ranks")
    assert [r["system"] for r in ranks] == said["order"]
    assert [r["system"] for r in ranks if r["low"] == 1] == said["best"]
    claims = {frozenset((c["systems"] + c["others"])[:2]): c for c in said["pairs"]}
    drawn = data_of(built, "differences-differences")
    assert len(drawn) >= len(said["order"]) - 1
    for row in drawn:
        a, b = row["pair"].split(" − ")
        claim = claims[frozenset((a, b))]
        word = {"better": "better", "probably": "probably better"}.get(claim["kind"], "undecided")
        assert row["verdict"] == word
        if claim["kind"] == "better":
            assert (row["difference"] > 0) == (claim["systems"] == [a])


def test_every_word_that_a_figure_draws_has_its_colour(built: Built) -> None:
    chart = next(f.chart for f in figures(built) if f.name == "differences-differences").to_dict(validate=False)
    domain = next(
        layer["encoding"]["color"]["scale"]["domain"] for layer in chart["layer"] if "color" in layer["encoding"]
    )
    assert {r["verdict"] for r in data_of(built, "differences-differences")} <= set(domain)
