"""The page: hostile names stay text, tables are complete, missing sections say why."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import altair as alt
import polars as pl
from wording import phrase

from dissensus.report.blocks import ROWS_SHOWN, ChartBlock, Paragraph, Section, TableBlock
from dissensus.report.page import render

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
    assert 'href="https://example.org/docs/methods/ceiling.html"' in page
