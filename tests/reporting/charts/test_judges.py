"""Judges beside each other."""

from __future__ import annotations

import math

import polars as pl
import pytest
from drawn_charts import encoding, marks, rows
from wording import phrase

from dissensus.reporting.charts.judges import (
    _spread,
    agreement_map,
    bias_chart,
    confusion_map,
    label_share_chart,
    order_chart,
    skill_chart,
    two_orders,
    used,
    weight_bars,
)
from dissensus.reporting.charts.theme import LIGHT_TO_DARK, spec
from dissensus.reporting.sections.judges import unused_grades


def pairs(n: int) -> tuple[pl.DataFrame, list[str]]:
    names = [f"j{i}" for i in range(n)]
    made = [(a, b, 10, 0.1 * i - 0.1) for i, a in enumerate(names) for b in names[i + 1 :]]
    return pl.DataFrame(made, schema=["assessor_a", "assessor_b", "n", "kappa"], orient="row"), names


def test_the_map_is_symmetric_and_numbered_while_it_is_small():
    frame, names = pairs(3)
    chart = agreement_map(frame, names)
    drawn = {(r["assessor_a"], r["assessor_b"]): r["value"] for r in rows(chart)}
    assert len(drawn) == 6
    assert all(drawn[b, a] == v for (a, b), v in drawn.items())
    assert marks(chart) == ["rect", "text"]
    assert encoding(chart)["x"]["sort"] == names
    assert encoding(chart)["color"]["scale"]["domainMin"] == -0.1
    assert marks(agreement_map(*pairs(16))) == ["rect"]


def test_a_pair_without_a_kappa_does_not_break_the_scale():
    frame, names = pairs(3)
    chart = agreement_map(frame.with_columns(kappa=pl.lit(math.nan)), names)
    assert encoding(chart)["color"]["scale"]["domainMin"] == 0.0


def test_a_matrix_per_assessor_with_grades_in_order():
    frame = pl.DataFrame(
        [("ann", g, o, 0.5, 4) for g in ("no", "yes") for o in ("no", "yes")],
        schema=["assessor", "reference", "observed", "share", "n"], orient="row",
    )  # fmt: skip
    chart = confusion_map(frame, ["no", "yes"], columns=2)
    assert marks(chart) == ["rect", "text"]
    assert spec(chart)["facet"]["field"] == "assessor"
    assert encoding(chart)["x"]["sort"] == encoding(chart)["y"]["sort"] == ["no", "yes"]
    assert encoding(chart)["color"]["scale"]["domain"] == [0, 1]


def test_grades_that_nobody_gives_are_left_out():
    """Reference grades 0 and 1; the judge also says 5; 3 is on the scale because some other judge says it once."""
    shares = {("0", "0"): 0.7, ("0", "1"): 0.3, ("1", "1"): 0.9, ("1", "5"): 0.1}
    scale = ["0", "1", "3", "5"]
    rows_ = [("j", g, o, shares.get((g, o), 0.0) if g in ("0", "1") else float("nan"), 9) for g in scale for o in scale]
    frame = pl.DataFrame(rows_, schema=["assessor", "reference", "observed", "share", "n"], orient="row")
    left = used(frame)
    assert set(left["reference"]) == {"0", "1"}
    assert set(left["observed"]) == {"0", "1", "5"}
    assert left["share"].sum() == pytest.approx(2.0)
    assert unused_grades(left, scale) == phrase("judge-maps.no-label-grade", 3)
    assert unused_grades(left, ["0", "1", "5"]) == ""


def test_assessors_keep_the_order_of_their_table():
    skill = pl.DataFrame(
        {"assessor": ["b", "a"], "kappa": [0.5, 0.1], "low": [0.4, 0.0], "high": [0.6, 0.2], "looks": ["fine", "lazy"]}
    )
    assert encoding(skill_chart(skill), 1)["y"]["sort"] == ["b", "a"]
    assert [r["x"] for r in rows(skill_chart(skill), "x")] == [0.0]
    weights = pl.DataFrame({"assessor": ["b", "a"], "weight": [0.7, 0.3]})
    assert encoding(weight_bars(weights, 0.5))["y"]["sort"] == ["b", "a"]
    assert [r["x"] for r in rows(weight_bars(weights, 0.5), "x")] == [0.5]


@pytest.mark.parametrize(("kappas", "white"), [([0.87], [True]), ([0.1, 0.5, 0.9], [False, True, True])])
def test_ink_is_white_on_the_darker_half_of_the_colours(kappas: list[float], white: list[bool]) -> None:
    """FINDINGS C6: the map of two judges was dark on dark."""
    pairs = [("a", "b"), ("a", "c"), ("b", "c")][: len(kappas)]
    frame = pl.DataFrame(
        {
            "assessor_a": [p[0] for p in pairs],
            "assessor_b": [p[1] for p in pairs],
            "n": [9] * len(pairs),
            "kappa": kappas,
        }
    )
    drawn = agreement_map(frame, ["a", "b", "c"][: len(kappas) + 1]).to_dict()
    ink = drawn["layer"][1]["encoding"]["color"]
    limit = float(ink["condition"]["test"].rsplit(">", 1)[1])
    assert ink["condition"]["value"] == "white"
    assert [k > limit for k in kappas] == white


def test_grades_are_stacked_in_their_order_and_darken():
    grades = ["bad", "fair", "best"]
    frame = pl.DataFrame(
        {"assessor": ["ann"] * 3, "grade": ["best", "bad", "fair"], "labels": [1, 2, 1], "share": [0.25, 0.5, 0.25]}
    )
    chart = label_share_chart(frame, grades)
    assert {r["grade"]: r["step"] for r in rows(chart)} == {"bad": 0, "fair": 1, "best": 2}
    assert encoding(chart)["order"]["field"] == "step"
    assert encoding(chart)["color"]["scale"] == {"domain": grades, "range": _spread(3)}


def test_colours_run_from_light_to_dark_without_the_lightest():
    for n in (1, 2, 5):
        places = [LIGHT_TO_DARK.index(c) for c in _spread(n)]
        assert places == sorted(places)
        assert places[0] == 1
    assert _spread(2)[-1] == LIGHT_TO_DARK[-1]


def test_biases_stand_largest_first_and_only_those_found_are_coloured_so():
    frame = pl.DataFrame(
        {
            "feature": ["length", "rank", "unknown"],
            "coefficient": [-0.1, 0.2, 0.0],
            "low": [-0.2, 0.1, float("nan")],
            "high": [0.0, 0.3, float("nan")],
            "adjusted": [0.05, 0.049, float("nan")],
        }
    )
    chart = bias_chart(frame)
    assert marks(chart) == ["rule", "rule", "point"]
    assert encoding(chart, 1)["y"]["sort"] == ["rank", "length"]
    assert {r["feature"]: r["bias"] for r in rows(chart, "bias")} == {"rank": "found", "length": "not found"}


def test_systems_are_placed_by_gold_and_by_the_judge():
    frame = pl.DataFrame({"system": ["a", "b"], "gold": [0.2, 0.4], "v 2.0": [0.5, 0.3]})
    chart = order_chart(frame, "gold", "v 2.0", "P@10")
    assert rows(chart)[0] == {"system": "a", "by_gold": 0.2, "by_judge": 0.5}
    assert encoding(chart)["y"]["title"] == "P@10 by v 2.0"


def test_both_axes_are_equal_and_runs_without_a_score_left_out():
    frame = pl.DataFrame({"system": ["a", "b", "c"], "by wins": [0.2, 0.6, None], "by grade": [0.4, 0.8, 0.5]})
    chart = two_orders(frame, "by wins", "by grade")
    assert marks(chart) == ["line", "circle"]
    assert [r["system"] for r in rows(chart, "system")] == ["a", "b"]
    points = encoding(chart, 1)
    assert points["x"]["scale"]["domain"] == points["y"]["scale"]["domain"] == pytest.approx([0.17, 0.83])
    assert (points["x"]["title"], points["y"]["title"]) == ("by wins", "by grade")


def test_one_run_has_room_around_it():
    chart = two_orders(pl.DataFrame({"system": ["a"], "x1": [0.5], "y1": [0.5]}), "x1", "y1")
    low, high = encoding(chart, 1)["x"]["scale"]["domain"]
    assert low < 0.5 < high
