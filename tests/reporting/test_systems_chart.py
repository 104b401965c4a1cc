"""The chart of the first screen: drawn to its width, honest at its edges, whole names, one shape for each kind."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest

from dissensus.reporting.marks import MARKS, SERIES, style
from dissensus.reporting.systems_chart import SystemRow, SystemsChart, domain, far_out, legend, wrapped

ROWS = [
    SystemRow(1, "crossenc", "pooled", 0.79, 0.69, 0.89, 0.81, (1, 2), could_be_best=True),
    SystemRow(2, "llm-rerank", "corrected", 0.55, 0.44, 0.66, 0.84, (2, 3)),
    SystemRow(3, "bm25", "pooled", 0.54, -math.inf, 0.63, 0.60, (2, 3)),
]
CHART = SystemsChart(ROWS, "score", "Scores")
SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


@pytest.mark.parametrize(("width", "em"), [(1240, 16), (690, 14), (340, 14), (504, 8), (240, 8)])
def test_everything_stays_inside_the_width_asked_for(width: float, em: float) -> None:
    root = parsed(CHART.svg(width, em, standalone=True))
    assert root.get("viewBox", "").split()[2] == f"{width:g}"
    inner = width / em
    for line in root.iter(f"{SVG}line"):
        assert all(-0.01 <= float(line.get(k, "nan")) <= inner + 0.01 for k in ("x1", "x2"))
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x", "nan")) <= inner
    assert [g.get("aria-label") for g in root.iter(f"{SVG}g") if g.get("role")] == [r.sentence for r in ROWS]


def test_the_order_the_shading_and_the_dashes_are_those_of_the_rows() -> None:
    svg = CHART.svg(1240, 16)
    assert svg.count('class="best"') == 1
    assert [r.outside for r in ROWS] == [False, True, False]
    assert svg.count('class="line naive"') == 2  # from the judge's score to the corrected one, and in the legend
    assert svg.count('class="point naive"') == 4


def test_an_interval_without_an_end_goes_to_the_edge_and_has_no_cap_there() -> None:
    svg = SystemsChart(ROWS[2:], "score", "S").svg(1240, 16)
    assert len(re.findall(r'class="line pooled end"', svg)) == 1
    assert 'x1="-' not in svg


def test_a_far_out_system_does_not_set_the_axis() -> None:
    near = [SystemRow(i + 1, f"s{i}", "naive", 0.8 - i / 100, 0.75, 0.85) for i in range(8)]
    broken = SystemRow(9, "broken", "naive", 0.02, 0.0, 0.04)
    assert far_out(broken, [*near, broken])
    assert domain([*near, broken])[0] > 0.5
    svg = SystemsChart([*near, broken], "score", "S").svg(1240, 16)
    assert "0.020" in svg  # its number is there, and an arrow points to it
    best = SystemRow(1, "best", "naive", 3.0, 2.9, 3.1, could_be_best=True)
    assert not far_out(best, [*near, best])


def test_folded_rows_have_an_axis_of_their_own() -> None:
    folded = [SystemRow(4, "far", "naive", 0.1, 0.05, 0.15)]
    chart = SystemsChart(ROWS, "score", "S", folded=folded)
    assert chart.svg(1240, 16) == CHART.svg(1240, 16).replace('aria-label="Scores"', 'aria-label="S"')
    assert 'aria-label="far: place 4' in chart.svg(1240, 16, folded=True)


def test_long_names_are_whole() -> None:
    name = "a_very_long_name_of_a_run_" * 4
    lines = wrapped(name, 20)
    assert "".join(lines) == name
    svg = SystemsChart([SystemRow(1, name, "naive", 0.5, 0.4, 0.6)], "score", "S").svg(340, 14)
    assert "".join(re.findall(r'class="name"[^>]*>([^<]*)<', svg)) == name


def test_each_kind_has_a_hue_a_shape_and_a_dash_of_its_own() -> None:
    assert len({m.colour for m in MARKS.values()}) == len({m.shape for m in MARKS.values()}) == len(MARKS)
    assert len({m.dash for m in MARKS.values()}) == len(MARKS)
    assert all(f".{kind}" in style(".x") for kind in MARKS)
    assert [kind for kind, _, _ in legend(["naive", "pooled"], outside=True)] == ["naive", "pooled", "outside"]


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_colours_stand_out_on_white_and_on_black() -> None:
    for colour in {m.colour for m in MARKS.values()} | set(SERIES[:5]):
        assert 1.05 / (luminance(colour) + 0.05) >= 3
        assert (luminance(colour) + 0.05) / (luminance("#15181c") + 0.05) >= 3
