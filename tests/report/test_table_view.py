"""Tables on the page: the first rows as text, all of them as data."""

from __future__ import annotations

import math

import polars as pl
import pytest

from dissensus.report.blocks import ROWS_SHOWN, Section, TableBlock
from dissensus.report.table_view import cell, table_view


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
