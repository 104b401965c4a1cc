"""Ceilings drawn: by topic, and predicted against actual."""

from __future__ import annotations

import numpy as np
import polars as pl
from drawn_charts import marks, rows

from dissensus.reporting.charts.ceiling import cross_chart, topic_chart
from dissensus.reporting.charts.theme import save, spec


def points(n: int, pairs: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "predicted": rng.uniform(0.42, 0.9, n),
            "actual": rng.uniform(0.5, 1, n),
            "ranks": [f"a{i % pairs}" for i in range(n)],
        }
    ).with_columns(matrix=pl.lit("own"), scores=pl.lit("b"), topic=pl.lit("1"))


def test_topics_are_placed_by_their_mean_ceiling_and_undefined_ones_left_out():
    frame = pl.DataFrame(
        {
            "measure": ["nDCG", "nDCG", "nDCG", "nDCG", "P@5"],
            "topic": ["1", "1", "2", "3", "1"],
            "ceiling": [0.6, 0.8, 0.9, float("nan"), 0.5],
        }
    )
    drawn = {(r["measure"], r["place"]): (r["topic"], r["ceiling"]) for r in rows(topic_chart(frame))}
    assert drawn == {("nDCG", 1): ("2", 0.9), ("nDCG", 2): ("1", 0.7), ("P@5", 1): ("1", 0.5)}


def test_both_axes_share_a_domain_that_holds_all_points(tmp_path):
    chart = cross_chart(points(40), "nDCG")
    assert marks(chart) == ["line", "circle"]
    dots = spec(chart)["concat"][0]["layer"][1]["encoding"]
    assert dots["x"]["scale"]["domain"] == dots["y"]["scale"]["domain"] == [0.4, 1.0]
    assert "NaN" not in save(chart, tmp_path / "cross.svg").read_text()


def test_pairs_are_coloured_while_they_are_few():
    few, many = (spec(cross_chart(points(40, n), "nDCG"))["concat"][0]["layer"][1]["encoding"] for n in (3, 9))
    assert few["color"]["field"] == "pair"
    assert "value" in many["color"]


def test_many_points_are_thinned():
    assert len(rows(cross_chart(points(12_000), "nDCG"), "topic")) <= 4000
