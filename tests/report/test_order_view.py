"""The order as bars: places in per cent, nothing beyond the edges."""

from __future__ import annotations

import math

import pytest
from wording import phrase

from dissensus.report.blocks import OrderBlock, Section
from dissensus.report.order_view import fixed, order_view
from dissensus.report.page import render
from dissensus.report.standings import standings

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
