"""Charts of disagreement and ceilings: drawn whole from the tables they name."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from dissensus.report.charts.ceiling import cross_chart, topic_chart
from dissensus.report.charts.disagreement import again_chart, labels_chart, mutual_chart, probability_chart, users_chart
from dissensus.report.charts.theme import save, spec

GRADES = ["Non", "Rel", "HRel"]


def charts():
    few = pl.DataFrame(
        {"grade": GRADES, "p": [0.1, 0.3, 0.5], "p.low": [0.05, 0.2, 0.4], "p.high": [0.2, 0.4, 0.6],
         "labels": [80, 20, 90], "reliable": [True, False, True]}
    )  # fmt: skip
    yield "probability", probability_chart(few, "HRel")
    by_n = pl.DataFrame({"grade": GRADES * 2, "n": [1] * 3 + [2] * 3}).with_columns(mean=0.3, sd=0.01, exact=0.3)
    yield "labels", labels_chart(by_n, "HRel")
    by_users = pl.DataFrame({"grade": GRADES[:2] * 2, "users": [2, 2, 3, 3]})
    yield (
        "users",
        users_chart(by_users.with_columns(counted=0.4, mean=0.4, sd=0.02, predicted=0.42, low=0.4, high=0.45)),
    )
    hills = pl.DataFrame({"who": ["self", "other"] * 3, "grade": sorted(GRADES * 2)})
    yield "again", again_chart(hills.with_columns(p=0.5, density=1.0, mean=0.5, sd=0.1), "HRel")
    yield (
        "mutual",
        mutual_chart(pl.DataFrame({"metric": ["AP", "nDCG"], "mean": [0.5, 0.9], "sd": [0.6, 0.1], "topics": [9, 9]})),
    )
    topics = pl.DataFrame(
        {"measure": ["nDCG", "nDCG", "P@5"], "topic": ["1", "2", "1"], "ceiling": [0.7, float("nan"), 0.6]}
    )
    yield "topics", topic_chart(topics)
    points = pl.DataFrame(
        {"ranks": ["a"] * 4, "scores": ["b"] * 4, "topic": list("1234"), "predicted": [0.6, 0.7, 0.8, 0.9]}
    )
    yield "cross", cross_chart(points.with_columns(matrix=pl.lit("own"), actual=0.75), "nDCG")


@pytest.mark.parametrize(("name", "chart"), list(charts()))
def test_every_chart_is_drawn(name, chart, tmp_path):
    drawn = save(chart, tmp_path / f"{name}.svg").read_text()
    assert "<svg" in drawn
    assert "NaN" not in drawn.replace("NaN)", "")


def test_many_points_are_thinned():
    n = 12_000
    rng = np.random.default_rng(0)
    many = pl.DataFrame({"predicted": rng.random(n), "actual": rng.random(n)}).with_columns(
        matrix=pl.lit("own"), ranks=pl.lit("a"), scores=pl.lit("b"), topic=pl.lit("1")
    )
    rows = max(len(v) for v in spec(cross_chart(many, "nDCG"))["datasets"].values())
    assert rows <= 4000
