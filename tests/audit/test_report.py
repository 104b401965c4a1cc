"""The report of a closed study: sentences made of its numbers."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from audit_studies import PAIR, small_study, truth
from drawn_charts import encoding, marks, rows
from wording import phrase

from dissensus.audit.closing import close_study
from dissensus.audit.reliability import SourceShare
from dissensus.audit.report import MOST_POINTS, average_one, share_sentence, shrinking
from dissensus.audit.simulate import play
from dissensus.audit.store import StudyStore
from dissensus.inference.sequential.stop import Verdict


def verdict(state, low, high, winner=None):
    return Verdict(state, "a", "b", 40, low, high, 0.95, winner)


@pytest.mark.parametrize(
    ("drawn", "average", "words"),
    [
        (verdict("better", 0.1, 0.3, "a"), verdict("better", 0.05, 0.35, "a"), phrase("audit-report.conclusion-same")),
        (verdict("better", 0.1, 0.3, "a"), verdict("open", -0.05, 0.4), phrase("audit-report.not-decided")),
        (verdict("better", 0.1, 0.3, "a"), verdict("better", -0.4, -0.1, "b"), phrase("audit-report.not-decided")),
        (verdict("open", -0.1, 0.3), verdict("open", -0.2, 0.4), phrase("audit-report.interval", "[−0.200, 0.400]")),
    ],
)
def test_the_average_expert(drawn, average, words):
    sentence = average_one(drawn, average)
    assert sentence.startswith(words)
    assert f"[{average.low:.3f}, {average.high:.3f}]".replace("-", "−") in sentence


def test_a_share_has_its_interval_or_says_that_there_is_none():
    assert (
        share_sentence("Same", SourceShare(3, 4, 0.3, 0.95)) == "Same in 3 of 4 cases (75%, 95% interval 30% to 95%)."
    )
    assert share_sentence("Same", SourceShare(0, 0, float("nan"), float("nan"))).endswith(
        phrase("audit-report.judged-twice")
    )


def test_the_page_holds_the_answer_the_commitment_and_the_audit(tmp_path: Path) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"), stop="budget:20", second_share=0.5)
    closed = close_study(study, play(study, truth(), seed=1).live)
    assert closed.outcome is not None  # the number of labels was fixed: one look, and its claim
    assert closed.summary.startswith(str(closed.outcome.headline))
    for text in (study.row.order_hash, study.row.seed_hash, "Do the experts agree?", *PAIR):
        assert text in closed.report
    trust = closed.reliability.between
    assert f"in {trust.hits} of {trust.n} cases" in closed.report


def table(n: int) -> pl.DataFrame:
    return pl.DataFrame({"labels": range(1, n + 1)}).with_columns(
        estimate=pl.lit(0.1), low=-1 / pl.col("labels"), high=1 / pl.col("labels"), decided=pl.lit(False)
    )


def test_a_band_a_line_and_zero():
    chart = shrinking(table(20), "a − b")
    assert marks(chart) == ["area", "line", "rule"]
    assert encoding(chart)["y"]["title"] == "a − b"
    assert encoding(chart)["y2"]["field"] == "high"
    assert marks(shrinking(table(20), "a", zero=False)) == ["area", "line"]


def test_many_looks_are_thinned():
    drawn = rows(shrinking(table(5000), "a − b"), "estimate")
    assert len({r["labels"] for r in drawn}) <= MOST_POINTS + 1
