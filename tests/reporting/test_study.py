"""What a report is about, computed once."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from reported_study import MEASURES, SAMPLE, full_study, plain_study
from scipy import stats
from wording import phrase

from dissensus.errors import InputError
from dissensus.measures.scores import aggregated
from dissensus.reporting.study import ReportedStudy
from dissensus.stats.intervals import mean_intervals


def test_an_unknown_assessor_is_refused() -> None:
    with refused(InputError, 'assessor="zoe"'):
        ReportedStudy(SAMPLE.runs, SAMPLE.judgments, MEASURES, assessor="zoe")


def test_whose_word_counts():
    assert full_study().judge_name == "llm"
    assert full_study().judge.assessors == ("llm",)
    several = ReportedStudy(SAMPLE.runs, SAMPLE.judgments, MEASURES[:1])
    assert several.judge_name == phrase("build.majority-assessors", len(SAMPLE.judgments.assessors))
    assert len(several.judge.assessors) == 1
    assert plain_study().judge_name == "ann"
    assert not plain_study().several


def test_the_verdict_is_the_correction_of_the_first_measure_alone():
    study = full_study()
    assert list(study.corrected.results) == [str(m) for m in MEASURES]
    assert list(study.verdict.results) == [study.measure]
    assert plain_study().verdict is None


def test_means_and_intervals_leave_undefined_topics_out():
    values = np.array([0.2, np.nan, 0.4, 0.9])
    assert aggregated(np.stack([values, np.full(4, np.nan)])) == pytest.approx([0.5, np.nan], nan_ok=True)
    mean, low, high = (column[0] for column in mean_intervals(values[None]))
    want = stats.ttest_1samp(values[[0, 2, 3]], 0).confidence_interval(0.95)
    assert (mean, low, high) == pytest.approx((0.5, want.low, want.high))
    one = [column[0] for column in mean_intervals(np.array([[0.3]]))]
    assert one == pytest.approx([0.3, np.nan, np.nan], nan_ok=True)
    assert np.isnan(mean_intervals(np.array([[np.nan]]))).all()
