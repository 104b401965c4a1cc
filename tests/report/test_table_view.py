"""Tables on the page: the first rows as text, all of them as data."""

from __future__ import annotations

import math

import polars as pl
import pytest
from wording import phrase

from dissensus.report.blocks import ROWS_SHOWN, OrderBlock, Section, TableBlock
from dissensus.report.outcome import standings
from dissensus.report.page import render
from dissensus.report.table_view import cell, fixed, order_view, table_view


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"), (math.nan, "–"), (math.inf, "∞"), (-math.inf, "−∞"), (0.12345, "0.123"), (0.0, "0.000"),
        (0.0004, "4.0e-04"), (-0.0004, "-4.0e-04"), (True, "yes"), (False, "no"), (7, "7"), ("<b>", "<b>"),
    ],
)  # fmt: skip
def test_a_value_as_text(value, text):
    assert cell(value, 3) == text


def test_long_tables_are_cut_on_the_page_and_whole_in_the_download():
    n = ROWS_SHOWN + 5
    frame = pl.DataFrame({"system": [f"s{i}" for i in range(n)], "score": [0.5] * n, "topics": [3] * n})
    tables = {}
    view = table_view(Section("scores", "Scores"), TableBlock("all", frame, "All"), tables)
    assert (len(view.rows), view.hidden) == (ROWS_SHOWN, 5)
    assert view.columns == (("system", False), ("score", True), ("topics", True))
    data = tables["table-scores-all"]
    assert len(data["rows"]) == n
    assert (data["file"], data["decimal"]) == ("scores-all.csv", [False, True, False])


VALUES = {"a": (0.6, 0.5, 0.7), "b": (0.4, 0.2, 0.6), "c": (0.3, -math.inf, 0.4), "d": (math.nan,) * 3}


def test_bars_lie_between_the_lowest_and_the_highest_end() -> None:
    block = OrderBlock("order", standings(list("abcd"), VALUES, [["a", "b"]], [], None), "The order", "score")  # type: ignore[arg-type]
    tables: dict[str, object] = {}
    view = order_view(Section("answer", "The answer"), block, tables)
    first, second, endless, unknown = view.rows
    assert first.bar == pytest.approx((60.0, 40.0))
    assert first.point == pytest.approx(80.0)
    assert second.bar == pytest.approx((0.0, 80.0))
    assert endless.bar == pytest.approx((0.0, 40.0))
    assert endless.interval == "[−∞, 0.400]"
    assert (unknown.bar, unknown.point, unknown.score) == (None, None, "–")
    assert view.letters
    assert not view.ranked
    assert "table-answer-order" in tables


def test_later_systems_are_folded_and_all_are_in_the_page() -> None:
    names = [f"s{i}" for i in range(14)]
    block = OrderBlock("order", standings(names, dict.fromkeys(names, (0.5, 0.4, 0.6)), [], [], None), "Order", "score")
    page = render("t", [Section("answer", "The answer", [block])])
    assert page.count('<tr class="later">') == 4
    assert phrase("order-view.show-all-systems", 14) in page


def test_zero_has_no_sign() -> None:
    assert fixed(-1e-9, 3) == "0.000"
