"""Captions say what was computed: whose labels, how many topics, what the intervals are."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from reported_study import full_study, plain_study
from wording import phrase

import dissensus as ds
from dissensus.measures.catalog import measure_list
from dissensus.reporting.build import Built, build
from dissensus.reporting.figures import facts, figures, interpolated_curve, raw_curve, write_captions, write_figures
from dissensus.reporting.study import ReportedStudy


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
    assert facts(built) == phrase("report-figures.labels-systems-topics-seed", "ann", 2, 8, 0)
    assert all(f.caption.endswith(phrase("report-figures.labels-systems-topics", "ann", 2, 8, 0)) for f in drawn)
    text = write_captions(drawn, tmp_path).read_text()
    assert all(f"**{f.name}** " in text for f in drawn)


def test_figures_are_written_in_every_format(tmp_path: Path) -> None:
    written = write_figures(full_study(), tmp_path / "figures", formats=["svg"])
    names = {p.stem for p in written}
    assert {
        "differences-differences",
        "scores-scores",
        "precision-recall-raw",
        "precision-recall-interpolated",
    } <= names
    assert all(p.read_text().startswith("<svg") for p in written)


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
