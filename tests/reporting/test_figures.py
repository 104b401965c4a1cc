"""Captions say what was computed: whose labels, how many topics, what the intervals are."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from reported_study import full_study, plain_study
from wording import phrase

import dissensus as ds
from dissensus.measures.catalog import measure_list
from dissensus.reporting.build import Built, build
from dissensus.reporting.charts.drawing import HEAD, PPI
from dissensus.reporting.figures import (
    PaperFigure,
    facts,
    figures,
    interpolated_curve,
    left_out,
    raw_curve,
    write_captions,
    write_figures,
    write_latex,
)
from dissensus.reporting.study import ReportedStudy
from dissensus.reporting.systems_chart import SystemRow, SystemsChart


def width_of(path: Path) -> float:
    """The width of a figure's file, in points."""
    if path.suffix == ".png":
        return int.from_bytes(path.read_bytes()[16:20], "big") * 72 / PPI
    if path.suffix == ".svg":
        head = HEAD.search(path.read_text(encoding="utf-8"))
        found = re.search(r'width="([\d.]+)pt"', head[0] if head else "")
    else:
        found = re.search(r"/MediaBox \[0 0 ([\d.]+)", path.read_bytes().decode("latin-1"))
    assert found
    return float(found[1])


def small() -> Built:
    runs = ds.Runs.from_dict(
        {
            s: {f"q{q}": {d: float((7 * q + 3 * i * k) % 5) for i, d in enumerate("vwxyz")} for q in range(8)}
            for k, s in enumerate("AB", 1)
        }
    )
    labels = {f"q{q}": {d: (q + i) % 2 for i, d in enumerate("vwxyz")} for q in range(8)}
    return build(ReportedStudy(runs, ds.Judgments.from_dict({"ann": labels}), tuple(measure_list(["P@2"]))))


def test_every_figure_has_a_caption_with_its_facts(tmp_path: Path) -> None:
    built = small()
    drawn = list(figures(built))
    assert {"differences-differences", "differences-ranks", "precision-recall-raw"} <= {f.name for f in drawn}
    end = phrase("report-figures.systems-topics-seed", 2, 8, 0)
    assert all(f.caption.endswith(f"{end}.") for f in drawn)
    own = phrase("report-figures.labels-uncorrected", "ann")
    assert facts(built, "precision-recall-raw") == f"{own}; {end}"
    assert facts(built, "answer-systems") == f"{built.answer.basis}; {end}"
    assert facts(built, "measures-attention") == end  # rests on no labels
    assert "ann" not in facts(built, "data-labels")
    text = write_captions(drawn, tmp_path).read_text()
    assert all(f"**{f.name}** " in text for f in drawn)


def test_figures_are_written_in_every_format(tmp_path: Path) -> None:
    written = write_figures(full_study(), tmp_path / "figures", formats=["svg"])
    names = {p.stem for p in written}
    assert {
        "differences-differences",
        "scores-scores",
        "answer-systems",
        "precision-recall-raw",
        "precision-recall-interpolated",
    } <= names
    assert all(p.read_text().startswith("<svg") for p in written)
    assert {width_of(p) for p in written} == {240.0}
    assert all("<desc>" in p.read_text() for p in written)


@pytest.mark.parametrize(("width", "wide"), [("column", 240), ("page", 504), (333, 333)])
def test_a_figure_is_as_wide_as_was_asked_in_every_format(tmp_path: Path, width: Any, wide: int) -> None:
    study = replace(small().study, measures=tuple(measure_list(["P@2"])))
    written = write_figures(study, tmp_path, width=width)
    assert {p.suffix for p in written} == {".svg", ".pdf", ".png"}
    assert {p.name: width_of(p) for p in written} == pytest.approx({p.name: wide for p in written}, abs=0.34)
    assert all(b"/FontFile" in p.read_bytes() for p in written if p.suffix == ".pdf")


def test_figures_tex_has_every_figure_with_an_escaped_caption_and_a_label(tmp_path: Path) -> None:
    drawn = [PaperFigure("a-b", None, "95% of {x}_1 & 2 #3.")]
    text = write_latex(drawn, tmp_path, 504).read_text()
    assert r"\caption{95\% of \{x\}\_1 \& 2 \#3.}" in text
    assert r"\label{fig:a-b}" in text
    assert r"\includegraphics{a-b.pdf}" in text
    assert text.count("figure*") == 2
    assert "figure*" not in write_latex(drawn, tmp_path, 240).read_text()


@pytest.fixture(name="full")
def _full() -> ReportedStudy:
    return full_study()


def test_precision_recall_curves(full: ReportedStudy) -> None:
    raw, smooth = raw_curve(full), interpolated_curve(full)
    assert raw.columns == smooth.columns == ["system", "step", "recall", "precision"]
    for system in full.systems:
        assert raw.filter(pl.col("system") == system)["recall"].is_sorted()
        precision = smooth.filter(pl.col("system") == system)["precision"]
        assert precision.is_sorted(descending=True)
        assert len(precision) == 11
    p10 = full.judge_scores.values["P(rel=2)@10"]
    assert p10.shape[1] == raw["system"].n_unique()


def test_raw_points_are_means_of_precision_and_recall():
    study = plain_study()
    raw = raw_curve(study)
    direct = ds.evaluate(study.runs, study.judge, ["P@10", "R@10"]).mean("topic").isel(assessor=0)
    for system in study.systems:
        row = raw.filter((pl.col("system") == system) & (pl.col("step") == 10)).row(0, named=True)
        assert row["precision"] == pytest.approx(float(direct["P@10"].sel(system=system)))
        assert row["recall"] == pytest.approx(float(direct["R@10"].sel(system=system)))


def test_a_figure_has_room_for_fifteen_systems() -> None:
    rows = [SystemRow(i, f"s{i}", "naive", 0.9 - i / 100, 0.8 - i / 100, 1 - i / 100) for i in range(1, 21)]
    few, many = (SystemsChart(rows[:12], "P@10", "systems", folded=rows[12:n]) for n in (15, 20))
    assert left_out(few) == ""
    assert left_out(many).startswith("12 of 20")
    assert "s15" in PaperFigure("a", few, "").svg(240)
    assert "s13" not in PaperFigure("a", many, "").svg(240)
