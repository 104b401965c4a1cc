"""The AWARE experiment drawn."""

from __future__ import annotations

import polars as pl
import pytest
from drawn_charts import encoding, marks, rows

from dissensus.reporting.charts.aware import approach_chart, interaction_chart, parts_chart, size_chart
from dissensus.reporting.charts.theme import spec

NAMES = ["sgl_rmse_msd", "tpc_tau_md", "uni", "mv"]
FRAME = pl.DataFrame(
    [(a, k, m, "all", 0.5 + 0.1 * i + 0.01 * k) for i, a in enumerate(NAMES) for k in (2, 3) for m in ("AP", "P@10")],
    schema=["approach", "k", "measure", "systems", "tau_ap"], orient="row",
)  # fmt: skip
TUKEY = pl.DataFrame({"level": NAMES[::-1], "groups": ["X ", "XX", " X", " X"]})


def test_approaches_stand_best_first_and_the_top_group_is_full():
    chart = approach_chart(FRAME, TUKEY, "tau_ap")
    assert marks(chart) == ["rule", "point", "point"]
    assert encoding(chart)["y"]["sort"] == NAMES[::-1]
    drawn = {r["approach"]: r for r in rows(chart)}
    assert {a for a, r in drawn.items() if r["group"] == "top group"} == {"mv", "uni"}
    assert drawn["mv"]["mean"] == pytest.approx(0.825)
    assert (drawn["mv"]["low"], drawn["mv"]["high"]) == pytest.approx((0.82, 0.83))
    assert {a: r["kind"] for a, r in drawn.items()} == {**dict.fromkeys(NAMES[:2], "AWARE"), "uni": "uni", "mv": "mv"}


def test_a_smaller_error_comes_first():
    chart = approach_chart(FRAME.rename({"tau_ap": "rmse"}), TUKEY, "rmse")
    assert encoding(chart)["y"]["sort"] == NAMES


def test_sizes_average_over_measures_and_name_few_lines():
    chart = size_chart(FRAME, "tau_ap")
    assert marks(chart) == ["line", "line"]
    grey, named = (spec(chart)["layer"][i]["encoding"] for i in (0, 1))
    assert grey["detail"]["field"] == "approach"
    assert named["color"]["scale"]["domain"] == ["sgl_rmse_msd", "uni", "mv", "emmv", "emneu"]
    assert [r["tau_ap"] for r in rows(chart) if r["approach"] == "uni" and r["k"] == 3] == [pytest.approx(0.73)]


def test_interactions_have_a_panel_per_factor_with_several_levels():
    one = spec(interaction_chart(FRAME, "tau_ap"))["hconcat"]
    assert [p["layer"][0]["encoding"]["x"]["field"] for p in one] == ["measure"]
    both = pl.concat([FRAME, FRAME.with_columns(systems=pl.lit("best"))])
    two = spec(interaction_chart(both, "tau_ap"))["hconcat"]
    assert [p["layer"][0]["encoding"]["x"]["field"] for p in two] == ["measure", "systems"]


def test_parts_take_estimators_apart():
    chart = parts_chart(FRAME, "tau_ap")
    panels = spec(chart)["hconcat"]
    assert [(p["encoding"]["x"]["field"], p["encoding"]["color"]["field"]) for p in panels] == [
        ("granularity", "gap"), ("granularity", "weight"), ("weight", "gap"),
    ]  # fmt: skip
    assert {(r["granularity"], r["gap"]) for r in rows(chart, "granularity", "gap")} == {
        ("sgl", "rmse"),
        ("tpc", "tau"),
    }


def test_charts_are_the_same_each_time():
    many = pl.DataFrame(
        [(f"a{i}", k, f"M{m}", s, 0.5) for i in range(40) for k in (2, 3) for m in range(3) for s in ("all", "best")],
        schema=["approach", "k", "measure", "systems", "tau_ap"], orient="row",
    )  # fmt: skip
    for draw in (size_chart, interaction_chart):
        assert len({str(spec(draw(many, "tau_ap"))) for _ in range(5)}) == 1
