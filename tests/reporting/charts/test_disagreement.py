"""User disagreement drawn: intervals, grades in order, and hollow points where labels are few."""

from __future__ import annotations

import polars as pl
import pytest
from drawn_charts import encoding, marks, rows

from dissensus.reporting.charts.disagreement import (
    again_chart,
    labels_chart,
    mutual_chart,
    probability_chart,
    users_chart,
)
from dissensus.reporting.charts.theme import save, spec

GRADES = ["Non", "Rel", "HRel"]
FEW = pl.DataFrame(
    {"grade": GRADES, "p": [0.1, 0.3, 0.5], "p.low": [0.05, 0.2, 0.4], "p.high": [0.2, 0.4, 0.6],
     "labels": [80, 20, 90], "reliable": [True, False, True]}
)  # fmt: skip


def test_probabilities_have_intervals_and_unreliable_ones_are_hollow(tmp_path):
    chart = probability_chart(FEW, "HRel")
    assert marks(chart) == ["rule", "point"]
    assert encoding(chart)["x"]["sort"] == GRADES
    assert encoding(chart)["y"]["title"] == "P(another says HRel)"
    assert encoding(chart, 1)["fill"]["scale"] == {"domain": [True, False], "range": ["#1F7DBF", "white"]}
    assert {r["grade"]: (r["low"], r["high"]) for r in rows(chart)}["Rel"] == (0.2, 0.4)
    assert "NaN" not in save(chart, tmp_path / "p.svg").read_text()


def test_one_deviation_to_either_side_of_the_mean():
    frame = pl.DataFrame({"grade": GRADES * 2, "n": [1] * 3 + [2] * 3}).with_columns(mean=0.3, sd=0.01, exact=0.31)
    chart = labels_chart(frame, "HRel")
    assert marks(chart) == ["line", "rule", "point"]
    assert all((r["low"], r["high"]) == pytest.approx((0.29, 0.31)) for r in rows(chart))
    assert encoding(chart, 1)["color"]["sort"] == GRADES[::-1]


def test_counted_and_predicted_weights_stand_on_one_axis():
    frame = pl.DataFrame({"grade": GRADES[:2] * 2, "users": [2, 2, 3, 3]}).with_columns(
        counted=0.4, sd=0.02, predicted=0.42, low=0.4, high=0.45
    )
    chart = users_chart(frame)
    assert marks(chart) == ["area", "line", "rule", "square"]
    assert [encoding(chart, i)["y"]["field"] for i in range(4)] == ["low", "predicted", "down", "counted"]
    assert encoding(chart)["color"]["scale"]["domain"] == ["Rel", "Non"]


def test_a_row_per_grade_when_the_same_user_judges_again():
    frame = pl.DataFrame({"who": ["self", "other"] * 3, "grade": [g for g in GRADES for _ in "ab"]})
    chart = again_chart(frame.with_columns(p=0.5, density=1.0, mean=0.5, sd=0.1), "HRel")
    assert encoding(chart)["row"]["sort"] == GRADES[::-1]
    assert spec(chart)["resolve"] == {"scale": {"y": "independent"}}


def test_spread_over_topics_stays_within_what_scores_can_be():
    frame = pl.DataFrame({"metric": ["AP", "nDCG"], "mean": [0.5, 0.95], "sd": [0.6, 0.1], "topics": [9, 9]})
    drawn = {r["metric"]: (r["low"], r["high"]) for r in rows(mutual_chart(frame))}
    assert drawn == {"AP": (0.0, 1.0), "nDCG": (pytest.approx(0.85), 1.0)}
