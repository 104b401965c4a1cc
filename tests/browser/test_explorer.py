"""The explorer in a real browser: from the verdict to single documents, by mouse, by keyboard, by link."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

WIDE = {"width": 1280, "height": 900}


def open_page(browser: Browser, path: Path, state: str = "", **how: object) -> Page:
    page = browser.new_context(**{"viewport": WIDE, **how}).new_page()  # type: ignore[arg-type]
    page.goto(path.as_uri() + state)
    page.wait_for_selector("html[data-drawn=yes][data-explorer]", timeout=60_000)
    return page


@pytest.fixture(scope="module", name="page")
def _page(browser: Browser, report_page: Path) -> Iterator[Page]:
    page = open_page(browser, report_page, "#explore?m=0&a=0&b=1")
    yield page
    page.context.close()


def column(page: Page, table: str, number: int) -> list[str]:
    return page.locator(f"#{table} tbody td:nth-child({number})").all_inner_texts()


def test_folded_the_report_is_at_most_three_screens(browser: Browser, report_page: Path) -> None:
    page = open_page(browser, report_page)
    assert page.evaluate("document.documentElement.scrollHeight") <= 3 * WIDE["height"]
    assert page.locator("#answer").is_visible()
    assert page.locator("details.section[open]").count() == 0
    lines = page.locator("details.section > summary").all_inner_texts()
    assert all(len(line.split()) > 3 for line in lines)
    page.context.close()


def test_topics_are_sorted_by_what_was_clicked(page: Page) -> None:
    page.locator('#x-topics [data-key="difference"]').click()
    differences = [float(x) for x in column(page, "x-topics", 4) if x != "–"]
    assert differences in (sorted(differences), sorted(differences, reverse=True))
    scores = zip(column(page, "x-topics", 2), column(page, "x-topics", 3), strict=True)
    assert [round(float(a) - float(b), 3) for a, b in scores] == differences


def test_a_topic_opens_its_documents_with_every_grade(page: Page) -> None:
    page.locator("#x-topics button.link").first.click()
    assert page.locator("#x-topic-title").inner_text().startswith("Topic ")
    heads = page.locator("#x-docs thead th").all_inner_texts()
    assert heads[0] == "document"
    assert "expert" in heads
    assert "llm" in heads
    assert page.locator("#x-docs tbody tr").count() > 10


def test_documents_on_which_judge_and_expert_differ_come_first(page: Page) -> None:
    page.locator("#x-order").select_option("doubt")
    heads = page.locator("#x-docs thead th").all_inner_texts()
    expert, judge = heads.index("expert") + 1, heads.index("llm") + 1
    pairs = zip(column(page, "x-docs", expert), column(page, "x-docs", judge), strict=True)
    gaps = [abs(int(e) - int(j)) if e and j else -1 for e, j in pairs]
    assert gaps == sorted(gaps, reverse=True)


def test_the_address_brings_a_colleague_to_the_same_place(page: Page, browser: Browser, report_page: Path) -> None:
    page.locator("#x-topics button.link").nth(2).click()
    title = page.locator("#x-topic-title").inner_text()
    other = open_page(browser, report_page, "#" + page.url.split("#", 1)[1])
    assert other.locator("#x-topic-title").inner_text() == title
    assert other.locator("#explore").get_attribute("open") is not None
    other.context.close()


def test_a_keyboard_walks_through_the_topics(page: Page) -> None:
    links = page.locator("#x-topics button.link")
    links.first.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == links.nth(1).inner_text()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "x-topic-title"


def test_search_narrows_topics(page: Page) -> None:
    wanted = page.locator("#x-topics button.link").first.inner_text()
    page.locator("#x-find").fill(wanted)
    assert page.locator("#x-topics button.link").all_inner_texts() == [wanted]
    page.locator("#x-find").fill("")


def test_the_specification_curve_ranks_every_system_under_every_choice(page: Page) -> None:
    choices = page.locator("#x-spec option").count()
    assert page.locator("#x-curve thead th").count() == choices + 1
    firsts = [column(page, "x-curve", k + 1).count("1") for k in range(1, choices + 1)]
    assert all(n >= 1 for n in firsts)


def test_hostile_names_are_text_in_the_explorer_too(page: Page) -> None:
    assert "</script><script>" in page.locator("#x-a").inner_text()
    assert page.locator("#explorer img, #explorer [onload]").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, report_page: Path, scheme: str) -> None:
    page = open_page(browser, report_page, "#explore?m=0&a=0&b=1", color_scheme=scheme)
    page.locator("#x-topics button.link").first.click()
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
    assert [(v["id"], [n["html"][:80] for n in v["nodes"][:2]]) for v in found] == []
    page.context.close()


def test_on_a_phone_the_explorer_fits(browser: Browser, report_page: Path) -> None:
    page = open_page(browser, report_page, "#explore?m=0&a=0&b=1", viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.context.close()
