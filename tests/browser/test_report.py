"""The report in a real browser: it opens quietly, draws, sorts, downloads, and can be used by keyboard."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page


class Seen:
    """What a page said and asked for while it was open."""

    def __init__(self, page: Page) -> None:
        self.messages: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda m: self.messages.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda e: self.messages.append(f"error: {e}"))
        page.on("dialog", lambda d: (self.messages.append(f"dialog: {d.message}"), d.dismiss()))
        page.on("request", lambda r: self.requests.append(r.url))


def open_report(browser: Browser, path: Path, **how: object) -> tuple[Page, Seen]:
    page = browser.new_context(**how).new_page()  # type: ignore[arg-type]
    seen = Seen(page)
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-drawn=yes]", timeout=60_000)
    return page, seen


def unfold(page: Page) -> None:
    """Open every section, and wait for the charts that are drawn then."""
    page.evaluate("for (const box of document.querySelectorAll('details.section')) box.open = true")
    charts, drawn = ("document.querySelectorAll('[data-chart]" + inner + "').length" for inner in ("", " svg.marks"))
    for _ in range(300):  # the page's policy forbids the eval that wait_for_function polls with
        if page.evaluate(f"{charts} === {drawn}"):
            return
        page.wait_for_timeout(100)
    raise AssertionError("some charts were not drawn in 30 seconds")


@pytest.fixture(scope="module")
def opened(browser: Browser, report_page: Path) -> Iterator[tuple[Page, Seen]]:
    page, seen = open_report(browser, report_page, viewport={"width": 1100, "height": 900}, accept_downloads=True)
    unfold(page)
    yield page, seen
    page.context.close()


def test_it_opens_without_a_word_and_without_the_network(opened: tuple[Page, Seen], report_page: Path) -> None:
    page, seen = opened
    assert seen.messages == []
    assert [r for r in seen.requests if not r.startswith(("data:", "blob:"))] == [report_page.as_uri()]
    assert page.title() == "Test <b>report</b>"


def test_every_chart_draws(opened: tuple[Page, Seen]) -> None:
    page, _ = opened
    charts = page.locator("[data-chart]")
    assert charts.count() >= 8
    for i in range(charts.count()):
        svg = charts.nth(i).locator("svg.marks")
        assert svg.count() == 1
        box = svg.bounding_box()
        assert box is not None
        assert box["width"] > 100
        assert box["height"] > 40


def test_hostile_names_are_shown_as_text(opened: tuple[Page, Seen]) -> None:
    page, seen = opened
    assert page.locator("img, main svg [onload]").count() == 0
    assert "</script><script>alert('system')</script>" in page.locator("main").inner_text()
    assert not [m for m in seen.messages if m.startswith("dialog")]


def test_sections_stand_in_order_with_the_answer_first(opened: tuple[Page, Seen]) -> None:
    page, _ = opened
    keys = page.locator("main > section, main > details").evaluate_all("all => all.map(s => s.id)")
    assert keys == [
        "answer", "explore", "differences", "scores", "judges", "judge-set", "merging", "ceiling", "weights",
        "measures", "data", "assumptions", "methods",
    ]  # fmt: skip


def test_sorting_by_click_and_by_keyboard(opened: tuple[Page, Seen]) -> None:
    page, _ = opened
    table = page.locator("#table-scores-assessors")
    column = table.locator("th").nth(2)
    column.locator("button").click()
    assert column.get_attribute("aria-sort") == "descending"
    values = [float(v) for v in table.locator("tbody td:nth-child(3)").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    column.locator("button").focus()
    page.keyboard.press("Enter")
    assert column.get_attribute("aria-sort") == "ascending"
    values = [float(v) for v in table.locator("tbody td:nth-child(3)").all_inner_texts()]
    assert values == sorted(values)
    names = table.locator("th").nth(1)
    names.locator("button").click()
    assert names.get_attribute("aria-sort") == "ascending"
    assert column.get_attribute("aria-sort") == "none"


def test_tables_download_as_csv(opened: tuple[Page, Seen]) -> None:
    page, _ = opened
    with page.expect_download() as waiting:
        page.locator("#table-scores-assessors .download").click()
    download = waiting.value
    assert download.suggested_filename == "scores-assessors.csv"
    rows = list(csv.reader(io.StringIO(Path(download.path()).read_text(encoding="utf-8-sig"))))
    assert rows[0][:2] == ["measure", "system"]
    assert len(rows[0]) == 2 + 6
    assert len(rows) == 1 + 2 * 8
    assert any("</script>" in row[1] for row in rows)


def test_a_keyboard_user_reaches_the_answer_and_the_methods(opened: tuple[Page, Seen]) -> None:
    page, _ = opened
    page.reload()
    page.wait_for_selector("html[data-drawn=yes]", timeout=60_000)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the answer"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    how = page.locator("#answer .how").first
    how.press("Enter")
    assert how.get_attribute("aria-expanded") == "true"
    assert page.locator("#answer .explain").first.inner_text()
    how.press("Enter")
    assert page.locator("#answer .explain").count() == 0
    unfold(page)


def test_everything_has_a_name_for_screen_readers(opened: tuple[Page, Seen]) -> None:
    page, _ = opened
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll('button, a, table, [role=region]')].filter(e =>
            !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.textContent.trim())).length"""
    )
    assert unnamed == 0
    headings = page.locator("h1, h2").evaluate_all("all => all.map(h => h.tagName)")
    assert headings[0] == "H1"
    assert headings.count("H1") == 1
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    assert page.locator("html").get_attribute("lang") == "en"


def test_links_inside_the_page_lead_somewhere(opened: tuple[Page, Seen]) -> None:
    page, _ = opened
    broken = page.evaluate(
        """() => [...document.querySelectorAll('a[href^="#"]')].map(a => a.getAttribute('href')).filter(h =>
            h.length > 1 && !document.getElementById(decodeURIComponent(h.slice(1))))"""
    )
    assert broken == []


def test_on_a_phone_nothing_is_wider_than_the_screen(browser: Browser, report_page: Path) -> None:
    page, seen = open_report(browser, report_page, viewport={"width": 390, "height": 800}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert seen.messages == []
    page.context.close()


def test_a_table_that_goes_on_shows_that_it_does(opened: tuple[Page, Seen]) -> None:
    page, _ = opened
    scrolled = page.evaluate(
        """[...document.querySelectorAll(".scroll")].filter((box) => box.scrollHeight > box.clientHeight + 1)
           .map((box) => getComputedStyle(box).backgroundAttachment)"""
    )
    assert scrolled
    assert all(kind == "local, scroll, local, scroll" for kind in scrolled)


def test_dark_mode_is_dark_and_its_ink_light(browser: Browser, report_page: Path) -> None:
    page, _ = open_report(browser, report_page, color_scheme="dark")
    unfold(page)
    light = "c => c.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0) / 3"
    assert page.evaluate(f"({light})(getComputedStyle(document.body).backgroundColor)") < 60
    assert page.evaluate(f"({light})(getComputedStyle(document.body).color)") > 200
    label = page.locator("#chart-scores-scores svg .mark-text text").first
    assert label.evaluate(f"e => ({light})(getComputedStyle(e).fill)") > 200
    page.context.close()


def test_it_prints(opened: tuple[Page, Seen]) -> None:
    page, _ = opened
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.locator("#table-scores-assessors .download").is_hidden()
    page.emulate_media(media="screen")
