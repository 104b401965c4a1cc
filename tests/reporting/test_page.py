"""The page: hostile names stay text, tables are complete, missing sections say why."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser

import altair as alt
import polars as pl
import pytest
from wording import phrase

from dissensus.reporting.blocks import ROWS_SHOWN, ChartBlock, Paragraph, Section, SystemsBlock, TableBlock
from dissensus.reporting.origin import Origin
from dissensus.reporting.page import cell, render, table_view
from dissensus.reporting.systems_chart import SystemRow, SystemsChart
from dissensus.results import Table

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    '"><svg onload=alert(3)>',
    "{{ 7 * 7 }}",
    "<!-- <script>",
    "javascript:alert(4)",
    "a\u2028b\x00c",
]


class Tags(HTMLParser):
    """Collects the elements a browser would build, and the text outside scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.raw = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.raw = tag in {"script", "style"}

    def handle_endtag(self, tag: str) -> None:
        self.raw = False

    def handle_data(self, data: str) -> None:
        if not self.raw:
            self.text.append(data)


def hostile_page() -> str:
    frame = pl.DataFrame({name: [name] for name in HOSTILE} | {"score": [0.5]})
    chart = alt.Chart(pl.DataFrame({"system": HOSTILE, "score": [0.1] * len(HOSTILE)})).mark_point().encode(
        x="score:Q", y="system:N"
    )  # fmt: skip
    blocks = [
        *(Paragraph(name, "score", "answer") for name in HOSTILE),
        TableBlock("t", frame, HOSTILE[0]),
        ChartBlock("c", chart, HOSTILE[1], HOSTILE[2], table=TableBlock("u", frame, HOSTILE[3])),
    ]
    return render(HOSTILE[0], [Section("answer", HOSTILE[1], blocks)], subtitle=HOSTILE[2])


def tags(page: str) -> Tags:
    parser = Tags()
    parser.feed(page)
    return parser


def test_hostile_names_never_become_markup() -> None:
    found = tags(hostile_page())
    names = [tag for tag, _ in found.found]
    assert names.count("script") == 5  # three of data, the bundle, ours
    assert "img" not in names
    assert names.count("svg") == 1  # the chart, as it is before scripts
    assert not [a for _, attrs in found.found for a in attrs if a.startswith("on")]
    assert not [a for _, attrs in found.found for a in attrs.values() if a and a.startswith("javascript:")]
    text = "".join(found.text)
    assert "alert(1)" in text  # shown, as text
    assert "{{ 7 * 7 }}" in text
    assert "49" not in text


def test_data_in_scripts_reads_back() -> None:
    page = hostile_page()
    tables = json.loads(re.search(r'id="tables-data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert tables["table-answer-t"]["columns"][:-1] == HOSTILE
    charts = json.loads(re.search(r'id="charts-data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert charts["chart-answer-c"]["description"] == HOSTILE[2]


def test_the_page_loads_nothing() -> None:
    found = tags(hostile_page())
    assert not [attrs for tag, attrs in found.found if tag in {"link", "img", "iframe", "object"} or "src" in attrs]
    policy = next(a["content"] for t, a in found.found if t == "meta" and a.get("http-equiv"))
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy


def test_long_tables_are_cut_on_the_page_and_whole_in_the_download() -> None:
    frame = pl.DataFrame({"n": range(ROWS_SHOWN + 50)})
    page = render("t", [Section("s", "S", [TableBlock("long", frame, "Long")])])
    assert page.count("<tr>") == ROWS_SHOWN + 1
    assert phrase("page.rows-shown", ROWS_SHOWN, ROWS_SHOWN + 50) in page
    tables = json.loads(re.search(r'id="tables-data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert len(tables["table-s-long"]["rows"]) == ROWS_SHOWN + 50


def test_a_missing_section_says_why_and_a_page_without_charts_carries_no_library() -> None:
    page = render("t", [Section("ceiling", "The ceiling", missing="one assessor cannot disagree.")])
    assert phrase("page.not-report-assessor-cannot") in page
    assert len(page) < 40_000


def test_numbers_link_to_how_they_were_made() -> None:
    page = render("t", [Section("s", "S", [Paragraph("0.5", "ceiling")])], documentation="https://example.org/docs/")
    assert 'href="#method-ceiling"' in page
    assert 'id="method-ceiling"' in page
    assert 'href="https://example.org/docs/understand/ceiling.html"' in page


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"), (math.nan, "–"), (math.inf, "∞"), (-math.inf, "−∞"), (0.12345, "0.123"), (0.0, "0.000"),
        (0.0004, "4.0e-04"), (-0.0004, "-4.0e-04"), (True, "yes"), (False, "no"), (7, "7"), ("<b>", "<b>"),
    ],
)  # fmt: skip
def test_a_value_as_text(value, text):
    assert cell(value, 3) == text


def test_long_tables_are_cut_in_the_view_and_whole_in_the_data():
    n = ROWS_SHOWN + 5
    frame = pl.DataFrame({"system": [f"s{i}" for i in range(n)], "score": [0.5] * n, "topics": [3] * n})
    tables = {}
    view = table_view(Section("scores", "Scores"), TableBlock("all", frame, "All"), tables)
    assert (len(view.rows), view.hidden) == (ROWS_SHOWN, 5)
    assert [column[:2] for column in view.columns] == [("system", False), ("score", True), ("topics", True)]
    data = tables["table-scores-all"]
    assert len(data["rows"]) == n
    assert (data["file"], data["decimal"]) == ("scores-all.csv", [False, True, False])


def systems(*rows: SystemRow, folded: tuple[SystemRow, ...] = ()) -> SystemsBlock:
    table = TableBlock("order", pl.DataFrame({"system": [r.system for r in rows]}), "The order")
    return SystemsBlock("systems", SystemsChart(rows, "score", "Scores", folded=folded), "Scores.", table)


def test_the_first_screen_is_drawn_in_three_widths_and_folded_systems_are_in_the_page() -> None:
    rows = [SystemRow(i + 1, f"s{i}", "corrected", 0.5, 0.4, 0.6) for i in range(14)]
    head = Paragraph("A leads. B follows", "compare", "answer", lead="A leads.")
    page = render("t", [Section("answer", "The answer", [head, systems(*rows[:12], folded=tuple(rows[12:]))])])
    assert page.count('role="listitem"') == 3 * 14
    assert phrase("page.more-systems", 2, 14) in page
    assert "<h1>A leads.</h1>" in page
    assert '<meta name="description" content="A leads. B follows">' in page


def test_names_in_the_drawing_are_text() -> None:
    page = render("t", [Section("answer", "A", [systems(*(SystemRow(1, n, "naive", 0.5, 0.4, 0.6) for n in HOSTILE))])])
    found = tags(page)
    assert "img" not in [t for t, _ in found.found]
    assert not [a for _, attrs in found.found for a in attrs if a.startswith("on")]
    assert "alert(2)" in "".join(found.text)


def test_the_page_says_where_it_came_from() -> None:
    origin = Origin("dissensus report runs/a.run -j <b>.txt", "18 November 2026", 7, (("q.txt", "ab" * 32),))
    page = render("t", [Section("answer", "A", [Paragraph("x", None, "answer")])], origin=origin)
    assert phrase("page.made-on", "18 November 2026", 7, 1) in page
    assert "&lt;b&gt;.txt" in page


def test_tables_show_titles_and_meanings_and_download_names():
    low = Table.of(pl.DataFrame({"system": ["bm25"], "low": [0.1]}), level=0.9)
    tables: dict = {}
    view = table_view(Section("scores", "Scores"), TableBlock("all", low, "All"), tables)
    assert view.columns[1] == ("lower", True, low.columns["low"].meaning)
    assert "90%" in view.columns[1][2]
    assert tables["table-scores-all"]["columns"] == ["system", "low"]
    plain = table_view(Section("scores", "Scores"), TableBlock("all", low.frame, "All"), {})
    assert plain.columns[1][:2] == ("lower", True)
    assert "%" not in plain.columns[1][2]  # nobody said which interval
