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

from dissensus.reporting.answer import standings
from dissensus.reporting.blocks import ROWS_SHOWN, ChartBlock, OrderBlock, Paragraph, Section, TableBlock
from dissensus.reporting.page import cell, fixed, order_view, render, table_view

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
    assert names.count("script") == 4  # two of data, the bundle, ours
    assert "img" not in names
    assert "svg" not in names
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
    assert len(page) < 30_000


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
