"""Captions say what was computed: whose labels, how many topics, what the intervals are."""

from __future__ import annotations

from pathlib import Path

from reported_study import full_study
from wording import phrase

import dissensus as ds
from dissensus.measures.evaluate import measure_list
from dissensus.report.build import Built, build
from dissensus.report.figures import facts, figures, write_captions, write_figures
from dissensus.report.study import Study


def small() -> Built:
    runs = ds.Runs.from_dict(
        {
            s: {f"q{q}": {d: float((7 * q + 3 * i * k) % 5) for i, d in enumerate("vwxyz")} for q in range(8)}
            for k, s in enumerate("AB", 1)
        }
    )
    labels = {f"q{q}": {d: (q + i) % 2 for i, d in enumerate("vwxyz")} for q in range(8)}
    return build(Study(runs, ds.Judgments.from_dict({"ann": labels}), tuple(measure_list(["P@2"]))))


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
