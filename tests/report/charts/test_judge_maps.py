"""Judges beside each other."""

from __future__ import annotations

import math

import polars as pl
import pytest
from drawn_charts import encoding, marks, rows
from wording import phrase

from dissensus.report.charts.judge_maps import agreement_map, confusion_map, skill_chart, used, weight_bars
from dissensus.report.charts.theme import spec
from dissensus.report.sections.judges import unused_grades


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
