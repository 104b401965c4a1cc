"""The explorer in a real browser: from the verdict to single documents, by mouse, by keyboard, by link."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from dissensus.cli import main

ROOT = Path(__file__).parents[2]
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


def test_the_winner_under_every_choice_is_that_of_its_means(page: Page) -> None:
    """Labels down, measures across; the first of the order under one choice is in the winners' cell."""
    assert page.locator("#x-curve tbody tr").count() == page.locator("#x-labels option").count()
    for label in range(0, page.locator("#x-labels option").count(), 3):
        page.locator("#x-labels").select_option(str(label))
        means = [float(x) for x in column(page, "x-means", 3)]
        assert means == sorted(means, reverse=True)
        first = page.locator("#x-means tbody tr td:nth-child(2)").first.inner_text()
        assert first in page.locator("#x-curve tbody tr").nth(label).locator("td").first.inner_text()


def test_the_difference_of_two_systems_is_shown_under_every_choice(page: Page) -> None:
    differences = [float(x) for x in column(page, "x-spread", 1)]
    assert len(differences) > 10
    assert differences == sorted(differences)


def test_documents_are_filtered_and_the_filter_is_in_the_address(page: Page) -> None:
    page.locator("#x-topics button.link").first.click()
    everything = page.locator("#x-docs tbody tr").count()
    page.locator("#x-only").select_option("audited")
    assert 0 < page.locator("#x-docs tbody tr").count() < everything
    heads = page.locator("#x-docs thead th").all_inner_texts()
    assert all(column(page, "x-docs", heads.index("expert") + 1))
    assert "only=audited" in page.url
    page.locator("#x-only").select_option("all")


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_cards_of_judges(browser: Browser, tmp_path: Path, scheme: str) -> None:
    card = tmp_path / "card.html"
    labels, runs = ROOT / "examples" / "labels.csv", ROOT / "examples" / "runs"
    words = ["judges", str(labels), "--gold", "ann", "--runs", f"{runs}/*.gz", "--card", str(card)]
    assert main(words) == 0
    page = browser.new_context(color_scheme=scheme).new_page()  # type: ignore[arg-type]
    page.goto(card.as_uri())
    assert "ben" in page.inner_text("h1")  # who agrees most
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
    assert [(v["id"], [n["html"][:80] for n in v["nodes"][:2]]) for v in found] == []
    page.context.close()


def test_on_a_phone_the_explorer_fits(browser: Browser, report_page: Path) -> None:
    page = open_page(browser, report_page, "#explore?m=0&a=0&b=1", viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.context.close()
