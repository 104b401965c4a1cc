"""Noise charts: what is drawn is what the tables say."""

from __future__ import annotations

import polars as pl
from drawn_charts import encoding, rows

from dissensus.label_noise.forecast import AS_THEY_ARE, forecast_noise
from dissensus.reporting.charts.noise import (
    degradation_chart,
    dynamics_chart,
    forecast_chart,
    loss_chart,
    pair_noise_chart,
    scale_chart,
)
from dissensus.reporting.charts.theme import spec
from dissensus.tables.judgments import Judgments


def curves():
    cells = [
        (s, r, p, level, level, 0.9 * level, 1 - level, 1 - level / 2)
        for s in ("A", "B")
        for r in ("PRank", "GBDT")
        for p in ("uniform", "distance")
        for level in (0.0, 0.2, 0.4)
    ]
    names = ["set", "ranker", "profile", "level", "dnoise", "pnoise", "AP.relative", "nDCG(dcg='exp-log2')@10.relative"]
    return pl.DataFrame(cells, orient="row", schema=names)


def test_forecast_shows_few_mergings_of_many():
    j = Judgments.from_dict({"g": {1: {f"d{i}": i % 5 for i in range(40)}}})
    table = forecast_noise(j, levels=(0.1, 0.2), replicates=2).table
    shown = {row["labels"] for row in rows(forecast_chart(table)) if "labels" in row}
    assert AS_THEY_ARE in shown
    assert len(shown) == 6


def test_degradation_has_a_panel_per_ranker_measure_and_profile():
    drawn = rows(degradation_chart(curves(), "pnoise"))
    assert {row["row"] for row in drawn} == {f"{m}, {p}" for m in ("AP", "nDCG@10") for p in ("uniform", "distance")}
    assert sorted({round(row["noise"], 6) for row in drawn}) == [0.0, 0.18, 0.36]
    one = curves().filter(pl.col("profile") == "uniform")
    assert {row["row"] for row in rows(degradation_chart(one, "dnoise"))} == {"AP", "nDCG@10"}


def test_theory_and_measurement_side_by_side():
    theory = curves().select("set", "profile", "dnoise", "pnoise").unique()
    chart = spec(pair_noise_chart(theory, curves()))
    assert [panel["title"] for panel in chart["hconcat"]] == theory["profile"].unique(maintain_order=True).to_list()


def test_dynamics_has_both_rankers():
    table = pl.DataFrame(
        {"set": ["A"], "trees": ["5"], "measure": ["nDCG@10"], "LambdaMART": [0.4], "NMCGMART": [0.5], "p_value": [0.1]}
    )
    assert {row["trained as"]: row["score"] for row in rows(dynamics_chart(table))} == {
        "LambdaMART": 0.4,
        "NMCGMART": 0.5,
    }


def test_a_panel_per_profile_and_a_line_per_set():
    frame = pl.DataFrame({"set": ["A", "B"], "profile": ["uniform", "class"], "dnoise": [0.1, 0.2], "loss": [0.5, 0.6]})
    chart = loss_chart(frame)
    assert spec(chart)["facet"]["column"]["field"] == "profile"
    assert encoding(chart)["color"]["field"] == "set"
    assert encoding(chart)["y"]["field"] == "loss"


def test_only_the_rows_of_the_figure_are_drawn_scales_in_their_order():
    frame = pl.DataFrame(
        {"figure": ["7", "7", "11"], "set": ["A"] * 3, "profile": ["uniform"] * 3,
         "scale": ["5 grades", "2 grades", "x"], "dnoise": [0.1] * 3, "pnoise": [0.2, 0.1, 0.3]}
    )  # fmt: skip
    chart = scale_chart(frame, "7")
    assert [r["scale"] for r in rows(chart)] == ["5 grades", "2 grades"]
    assert encoding(chart)["color"]["sort"] == ["5 grades", "2 grades"]
    assert spec(chart)["facet"]["row"]["field"] == "profile"
