"""The section of the ceiling: its numbers are the library's."""

from __future__ import annotations

import pytest
from reported_study import MEASURES, SAMPLE, full_section, full_study, plain_study, table_of, text_of
from wording import phrase

import dissensus as ds
from dissensus.measures.catalog import measure_list
from dissensus.measures.measure import Ratio
from dissensus.reporting.sections import ceiling
from dissensus.reporting.study import ReportedStudy


def test_shares_are_condensed_scores_over_the_ceiling():
    study = full_study()
    section, (measure, *_) = full_section("ceiling"), [m for m in MEASURES if isinstance(m, Ratio)]
    top = ds.ceiling(SAMPLE.judgments, measures=measure).mean
    frame = table_of(section, "shares")
    scores = ds.evaluate(study.runs, study.judgments, [measure], unjudged="condense")[str(measure)]
    means = scores.mean("topic").mean("assessor")
    for row in frame.iter_rows(named=True):
        assert row["score"] == pytest.approx(float(means.sel(system=row["system"])))
        assert row["share"] == pytest.approx(row["score"] / top)
    assert frame["score"].is_sorted(descending=True)
    best = frame.row(0, named=True)
    assert phrase("sections-ceiling.scores-another", f"{top:.3f}", measure) in text_of(section)
    assert phrase(
        "sections-ceiling.reaches-of-that", best["system"], f"{best['score']:.3f}", f"{best['share']:.0%}"
    ) in text_of(section)


def test_one_assessor_or_no_linear_measure_has_no_ceiling():
    assert phrase("sections-ceiling.one-assessor") in ceiling.build(plain_study()).missing
    steep = ReportedStudy(SAMPLE.runs, SAMPLE.judgments, tuple(measure_list(["AP"])))
    assert ceiling.build(steep).missing.startswith(phrase("sections-ceiling.none-weight-per-rank", "AP"))
