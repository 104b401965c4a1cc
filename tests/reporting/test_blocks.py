"""Sections: their one line, and the tables and charts they hold."""

from __future__ import annotations

import polars as pl
from wording import phrase

from dissensus.reporting.blocks import ChartBlock, Paragraph, Section, SystemsBlock, TableBlock
from dissensus.reporting.systems_chart import SystemsChart

FRAME = pl.DataFrame({"x": [1]})
TABLE = TableBlock("t", FRAME, "A table")
CHART = ChartBlock("c", object(), "A chart", "Points", table=TableBlock("behind", FRAME, "Behind it"))
ORDER = SystemsBlock("o", SystemsChart((), "score", "The order"), "The order", TableBlock("o", FRAME, "O", "compare"))


def test_the_answer_is_the_first_answer_unless_a_line_is_given():
    blocks = [Paragraph("Some text."), Paragraph("The answer.", kind="answer")]
    assert Section("k", "Title", blocks).answer == "The answer."
    assert Section("k", "Title", blocks[:1]).answer == "Some text."
    assert Section("k", "Title", blocks, line="A line.").answer == "A line."
    assert Section("k", "Title", [TABLE]).answer == ""


def test_what_is_missing_is_said():
    assert Section("k", "Title", missing="one system.").answer == phrase("blocks.not-report-system")


def test_every_table_can_be_downloaded_also_those_behind_charts_and_orders():
    section = Section("k", "Title", [CHART, Paragraph("."), TABLE, ORDER])
    assert section.charts() == [CHART]
    assert [t.name for t in section.tables()] == ["t", "o", "behind"]
    assert section.tables()[1].method == "compare"
