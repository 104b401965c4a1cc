"""The audit's pages in Chromium: judged by keyboard to the end, two at once, narrow, dark, read aloud, hostile."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import uvicorn
from audit_studies import experts, log_of, sample, small_study, texts, truth
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

import dissensus as ds
from dissensus.audit import schema
from dissensus.audit.importing import import_file
from dissensus.audit.live import Live
from dissensus.audit.offline import offline_page, reserve
from dissensus.audit.people import issue_tokens
from dissensus.audit.planned import Planned
from dissensus.audit.server import address_of, bind, configured, links
from dissensus.audit.settings import Stop, StudySettings
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study, Texts, new_study
from dissensus.io.documents import Document

LABELS = 60  # of a planned sample; 300 were judged in one sitting, too
HOSTILE = "<script>window.hit=1</script><img src=x onerror='window.hit=1'>\n\nsecond paragraph & 'quotes'"


# the WCAG contrast of the document's text against the page
CONTRAST = """() => {
  const linear = (x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  const light = (colour) => {
    const [r, g, b] = colour.match(/\\d+/g).map((x) => linear(x / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const text = light(getComputedStyle(document.getElementById('text')).color);
  const paper = light(getComputedStyle(document.body).backgroundColor);
  return (Math.max(text, paper) + 0.05) / (Math.min(text, paper) + 0.05);
}"""


class Served:
    """A study with a real server."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.listening = bind("127.0.0.1", 0)
        self.links = links(study, issue_tokens(study), address_of(self.listening))
        self.server = uvicorn.Server(configured(study))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listening]})

    def __enter__(self) -> Served:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.listening.close()
        self.study.store.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(small_study(StudyStore.create(tmp_path / "study.db"), stop="budget:24", repeat_share=0.0)) as running:
        yield running


@pytest.fixture(autouse=True)
def closed_pages(browser: Browser) -> Iterator[None]:
    """Pages of a test end with it: they would look for its server as long as the others run."""
    yield
    for context in browser.contexts:
        context.close()


def wait_until(page: Page, predicate: str, value: object) -> None:
    """Wait for a condition; the page's policy forbids the eval that `wait_for_function` polls with."""
    for _ in range(300):
        if page.evaluate(predicate, value):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"waited in vain for {predicate}")


def opened(browser: Browser, link: str, **options: Any) -> Page:
    page = browser.new_page(**options)
    page.set_default_timeout(60_000)
    page.goto(link)
    return page


def grade_on(page: Page) -> str:
    topic, doc = page.inner_text("#title").split()
    return truth()[topic, doc]


def press_through(page: Page, *others: Page) -> int:
    """Judge by keys alone until the page says that there is nothing left; returns the judgments."""
    pages, made = [page, *others], 0
    for _ in range(2 * LABELS):
        open_ = [p for p in pages if p.is_visible("#title")]
        if not open_:
            if all("Thank you" in p.inner_text("#end-title") for p in pages):
                break
            page.wait_for_timeout(300)
            continue
        for p in open_:
            count = p.inner_text("#count")
            p.keyboard.press(grade_on(p))
            made += 1
            wait_until(p, "c => document.getElementById('count').textContent !== c", count)
    return made


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("who", ["ann", "owner"])
def test_axe_finds_nothing(served: Served, browser: Browser, who: str, scheme: str) -> None:
    page = browser.new_context(color_scheme=scheme).new_page()  # type: ignore[arg-type]
    page.goto(served.links[who])
    page.wait_for_load_state("networkidle" if who == "ann" else "load")
    page.wait_for_timeout(300)
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
    assert [(v["id"], [n["html"][:80] for n in v["nodes"][:2]]) for v in found] == []


def test_a_page_that_waits_asks_a_lost_server_at_a_steady_rate(served: Served, browser: Browser) -> None:
    page = browser.new_page()
    page.clock.install()
    asked: list[str] = []

    def lost(route: Route) -> None:
        asked.append(route.request.url)
        route.abort()

    page.route("**/next*", lost)
    page.goto(served.links["ann"])
    for _ in range(60):
        page.clock.run_for(2000)
        page.wait_for_timeout(10)
    first = len(asked)
    for _ in range(60):
        page.clock.run_for(2000)
        page.wait_for_timeout(10)
    assert page.is_visible("text=The server does not answer")
    assert 20 <= first <= 90
    assert len(asked) - first <= 90  # two minutes later it asks as often as before


def test_two_browsers_judge_a_study_to_its_end_by_keyboard(served: Served, browser: Browser) -> None:
    ann, ben = (opened(browser, served.links[n]) for n in ("ann", "ben"))
    for page in (ann, ben):
        expect(page.locator("#title")).not_to_have_text("\u00a0")
    made = press_through(ann, ben)
    given = log_of(served.study, schema.assignment)
    assert len({(a.item, a.role, a.attempt) for a in given}) == len(given)
    assert sum(a.role == "first" for a in given) == 24
    assert made == len(given) == len(log_of(served.study, schema.label))
    live = Live(served.study)
    live.refresh()
    assert live.prefix == [truth()[r.topic, r.doc] for r in served.study.order[:24]]
    owner = opened(browser, served.links["owner"])
    expect(owner.locator("#close-text")).to_contain_text("was met after 24 labels")
    expect(owner.locator("#curve polygon.band")).to_have_count(1)
    owner.keyboard.press("End")
    owner.focus("#close")
    owner.keyboard.press("Enter")
    owner.keyboard.press("Enter")  # the dialog's first button
    expect(owner.locator("#files a")).to_have_count(5, timeout=60_000)
    report = opened(browser, str(owner.locator("#files a").first.evaluate("link => link.href")))
    expect(report.locator("h1")).to_contain_text("Audit:")
    expect(report.locator(".chart svg").first).to_be_visible()


def test_skip_undo_cannot_comment_and_help_by_keyboard(served: Served, browser: Browser) -> None:
    page = opened(browser, served.links["ann"])
    expect(page.locator("#title")).not_to_have_text("\u00a0")
    first = page.inner_text("#title")
    page.keyboard.press("?")
    expect(page.locator("#help-dialog")).to_be_visible()
    page.keyboard.press("1")  # no grade while help is open
    page.keyboard.press("Escape")
    page.keyboard.press("Space")
    expect(page.locator("#title")).not_to_have_text(first)
    second = page.inner_text("#title")
    page.keyboard.press("n")
    page.keyboard.type("odd document 3")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("2")
    expect(page.locator("#count")).to_contain_text("1 judged")
    page.keyboard.press("u")
    expect(page.locator("#title")).to_have_text(second)
    expect(page.locator("#saved")).to_have_text("Undone")
    page.keyboard.press("3")
    expect(page.locator("#count")).to_contain_text("1 judged")
    page.keyboard.press("c")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_contain_text("2 judged")
    rows = log_of(served.study, schema.label)
    assert [r.action for r in rows] == ["skip", "grade", "undo", "grade", "cannot"]
    assert rows[1].comment == "odd document 3"
    assert rows[4].cannot == "The text is broken or empty"
    assert rows[1].seconds > 0


LOST = """() => {
  const ask = window.fetch;
  window.heard = false;
  window.fetch = async (address, ...more) => {
    const answer = await ask(address, ...more);
    if (String(address).includes("label") && !window.heard) throw new TypeError("lost");
    return answer;
  };
}"""


def test_a_lost_answer_is_sent_again_and_counts_once(served: Served, browser: Browser) -> None:
    page = opened(browser, served.links["ann"])
    expect(page.locator("#title")).not_to_have_text("\u00a0")
    page.evaluate(LOST)  # the server has every label, the page does not hear of it
    page.keyboard.press("1")
    expect(page.locator("#notice")).to_contain_text("Not saved yet")
    page.evaluate("heard = true")
    expect(page.locator("#count")).to_contain_text("1 judged")
    assert len(log_of(served.study, schema.label)) == 1


POISON = """() => {
  const ask = window.fetch;
  window.held = true;
  window.fetch = async (address, options) => {
    if (!String(address).includes("label")) return ask(address, options);
    if (window.held) throw new TypeError("lost");
    const poisoned = options.body.includes("poison");
    return ask(address, poisoned ? { ...options, body: options.body.replace("poison", "\\\\ud800") } : options);
  };
}"""


def test_one_refused_label_holds_back_no_other(served: Served, browser: Browser) -> None:
    """FINDINGS D3: a comment that no database keeps was sent for ever, and later labels waited behind it."""
    page = opened(browser, served.links["ann"])
    expect(page.locator("#title")).not_to_have_text("\u00a0")
    first = page.inner_text("#title")
    page.evaluate(POISON)
    page.keyboard.press("n")
    page.keyboard.type("poison")
    page.keyboard.press("Control+Enter")  # FINDINGS D10
    expect(page.locator("#comment-dialog")).not_to_be_visible()
    page.keyboard.press("1")
    expect(page.locator("#title")).not_to_have_text(first)
    page.keyboard.press("2")
    expect(page.locator("#notice")).to_contain_text("Not saved yet")
    page.evaluate("held = false")
    expect(page.locator("#notice")).to_contain_text("was not taken")
    expect(page.locator("#count")).to_contain_text("1 judged")
    assert [r.grade for r in log_of(served.study, schema.label)] == ["2"]


def test_what_was_not_sent_outlives_a_reload_with_its_comment(served: Served, browser: Browser) -> None:
    page = opened(browser, served.links["ann"])
    expect(page.locator("#title")).not_to_have_text("\u00a0")
    page.evaluate(POISON)  # nothing gets through
    page.keyboard.press("n")
    page.keyboard.type("kept")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("1")
    expect(page.locator("#notice")).to_contain_text("Not saved yet")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.locator("#count")).to_contain_text("1 judged")
    (row,) = log_of(served.study, schema.label)
    assert (row.grade, row.comment) == ("1", "kept")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_telephone_and_reads_well(served: Served, browser: Browser, scheme: Any) -> None:
    page = opened(browser, served.links["ann"], viewport={"width": 390, "height": 844}, color_scheme=scheme)
    expect(page.locator("#title")).not_to_have_text("\u00a0")
    owner = opened(browser, served.links["owner"], viewport={"width": 390, "height": 844}, color_scheme=scheme)
    expect(owner.locator("#numbers div")).to_have_count(4)
    for p in (page, owner):
        assert p.evaluate("document.documentElement.scrollWidth") <= 390
    for button in page.locator("#grades button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["x"] + box["width"] <= 390
    contrast = page.evaluate(CONTRAST)
    assert contrast > 7


def test_a_screen_reader_finds_names_roles_and_the_new_document(served: Served, browser: Browser) -> None:
    page = opened(browser, served.links["ann"])
    expect(page.locator("#title")).not_to_have_text("\u00a0")
    expect(page.get_by_role("group", name="Grade of this document").get_by_role("button")).to_have_count(4)
    expect(page.get_by_role("status")).to_have_count(1)
    page.get_by_role("button", name="Cannot judge").click()
    expect(page.get_by_role("dialog", name="Why can it not be judged?")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.locator("#count")).to_contain_text("1 judged")
    assert page.evaluate("document.activeElement.id") in ("query", "title")


def test_hostile_texts_are_shown_as_text(tmp_path: Path, browser: Browser) -> None:
    s, plain = sample(), texts()
    evil = Texts(plain.topics, {d: Document(HOSTILE, HOSTILE, "javascript:alert(1)") for d in plain.documents})
    settings = StudySettings("P(rel=2)@5", ("crossenc", "llm-rewrite"), guideline=HOSTILE, title=HOSTILE,
                             mark_query=True, names=(HOSTILE, "1", "2", "3"), experts=("ann",))  # fmt: skip
    study = new_study(StudyStore.create(tmp_path / "s.db"), s.runs, s.judgments, settings, evil, assessor="llm")
    with Served(study) as running:
        for name in ("ann", "owner"):
            page = opened(browser, running.links[name])
            errors: list[str] = []
            page.on("pageerror", lambda error, seen=errors: seen.append(str(error)))
            if name == "ann":
                expect(page.locator("#text")).to_have_text(HOSTILE)
                assert page.evaluate("getComputedStyle(document.getElementById('text')).whiteSpace") == "pre-wrap"
            else:
                expect(page.locator("#numbers div")).to_have_count(4)
            assert page.locator("main img").count() == 0
            assert page.evaluate("window.hit") is None
            assert errors == []


def test_long_texts_fold(tmp_path: Path, browser: Browser) -> None:
    s, plain = sample(), texts()
    long = Texts(plain.topics, {d: Document("word " * 3000, "title") for d in plain.documents})
    settings = StudySettings("P(rel=2)@5", ("crossenc", "llm-rewrite"), experts=("ann",))
    study = new_study(StudyStore.create(tmp_path / "s.db"), s.runs, s.judgments, settings, long, assessor="llm")
    with Served(study) as running:
        page = opened(browser, running.links["ann"])
        expect(page.locator("#unfold")).to_have_text("Show all of it")
        folded = page.locator("#text").bounding_box()
        page.keyboard.press("m")
        expect(page.locator("#unfold")).to_have_attribute("aria-expanded", "true")
        whole = page.locator("#text").bounding_box()
        assert folded is not None
        assert whole is not None
        assert whole["height"] > 2 * folded["height"]


def test_the_page_by_mail_keeps_judgments_and_comes_back(tmp_path: Path, browser: Browser) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"), experts=("ann",))
    (ann,) = experts(study)
    file = tmp_path / "audit.html"
    file.write_text(offline_page(study, ann, reserve(study, [ann], 8)[ann.id]), encoding="utf-8")
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    expect(page.locator("#title")).not_to_have_text("\u00a0")
    page.keyboard.press("1")
    expect(page.locator("#count")).to_contain_text("1 judged")
    page.keyboard.press("u")
    expect(page.locator("#count")).to_contain_text("0 judged")
    page.reload()  # the browser remembers
    for i in range(8):
        expect(page.locator("#count")).to_contain_text(f"{i} judged")
        page.keyboard.press(grade_on(page))
    expect(page.locator("#end-title")).to_have_text("Done. Thank you.")
    with page.expect_download() as download:
        page.click("#end-action button")
    back = tmp_path / "back.jsonl"
    download.value.save_as(back)
    assert [json.loads(line)["action"] for line in back.read_text().splitlines()] == ["grade", "undo"] + ["grade"] * 8
    assert import_file(study, back).new == 10
    live = Live(study)
    live.refresh()
    assert live.prefix == [truth()[r.topic, r.doc] for r in study.order[:8]]
    assert {r for r in requests if not r.startswith(("file:", "data:", "blob:"))} == set()
    context.close()
    study.store.close()


def test_a_planned_sample_is_judged_topic_by_topic_and_closed(tmp_path: Path, browser: Browser) -> None:
    s = sample()
    made = ds.plan(s.runs, s.judgments, measures="nDCG@5", assessor="llm", budget=LABELS, seed=3)
    drawn = Planned.of(made.sample.with_columns(design=pl.lit(made.design)), made.everyone, 1)
    settings = StudySettings("nDCG@5", stop=Stop("budget", LABELS), experts=("ann",), scores=True, repeat_share=0.0)
    study = new_study(StudyStore.create(tmp_path / "study.db"), s.runs, s.judgments, settings, texts(), "llm", drawn)
    with Served(study) as running:
        owner = opened(browser, running.links["owner"])
        expect(owner.locator("#close-text")).to_contain_text("before the study can be closed")
        expect(owner.locator("#state")).to_have_text("Being judged")
        page = opened(browser, running.links["ann"])
        expect(page.locator("#title")).not_to_have_text("\u00a0")
        assert press_through(page) == LABELS
        seen = [row.topic for row in study.order]
        assert sum(a != b for a, b in itertools.pairwise(seen)) == len(set(seen)) - 1
        owner = opened(browser, running.links["owner"])
        expect(owner.locator("#close-text")).to_contain_text(f"was met after {LABELS} labels")
        expect(owner.locator("#state")).to_have_text("All judged")
        for sequential in ("#curve-box", "#pairs-box"):  # a sample is looked at once: nothing is followed
            expect(owner.locator(sequential)).to_be_hidden()
        owner.focus("#close")
        owner.keyboard.press("Enter")
        owner.keyboard.press("Enter")
        expect(owner.locator("#files a")).to_have_count(7, timeout=60_000)
        expect(owner.locator("#state")).to_have_text("Closed")
        report = opened(browser, str(owner.locator("#files a").first.evaluate("link => link.href")))
        expect(report.locator("h1")).to_contain_text("Audit:")
        expect(report.locator("body")).to_contain_text("Corrected scores")
