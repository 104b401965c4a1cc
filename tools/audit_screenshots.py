"""Pictures of the audit's pages for the documentation: a generated study, half judged, in Debian's chromium.

python tools/audit_screenshots.py docs/figures
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from pathlib import Path

import uvicorn
from playwright.sync_api import Page, sync_playwright

from dissensus.audit.people import issue_tokens
from dissensus.audit.server import address_of, bind, configured, links
from dissensus.audit.settings import Stop, StudySettings
from dissensus.audit.simulate import play
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study, Texts, new_study
from dissensus.io.documents import Document
from dissensus.io.samples import Sample, generated_collection
from dissensus.io.topic_texts import TopicText

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]  # fmt: skip
VIEWS = {"wide": (1200, 760, "light"), "narrow": (390, 844, "light"), "dark": (1200, 760, "dark")}


def study_of(sample: Sample, place: Path) -> Study:
    """A study of two systems that are hard to tell apart."""
    texts = Texts(
        {t: TopicText(q, d, n) for t, q, d, n in sample.topic_texts.iter_rows()},
        {d: Document(text, title) for d, title, text in sample.documents.iter_rows()},
    )
    settings = StudySettings(
        "P(rel=2)@10", ("rm3", "llm-rewrite"), Stop("decided"), seed=3, experts=("ann", "ben"),
        names=("Not relevant", "Related", "Relevant", "Highly relevant"), mark_query=True,
    )  # fmt: skip
    return new_study(StudyStore.create(place), sample.runs, sample.judgments, settings, texts, assessor="llm")


def pictures(page: Page, name: str, folder: Path, *, full: bool = False) -> None:
    for view, (width, height, scheme) in VIEWS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.wait_for_timeout(2500 if name == "owner" else 300)
        page.screenshot(path=folder / f"audit-{name}-{view}.png", full_page=full)


def main(folder: Path) -> None:
    sample = generated_collection(seed=1, topics=30)
    truth = {(t, d): str(g) for t, d, _, g in sample.truth.to_frame().iter_rows()}
    chromium = next(p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n)))
    with tempfile.TemporaryDirectory() as temporary:
        study = study_of(sample, Path(temporary) / "study.db")
        play(study, truth, error=0.1, most=140)
        listening = bind("127.0.0.1", 0)
        shown = links(study, issue_tokens(study), address_of(listening))
        server = uvicorn.Server(configured(study))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            page = browser.new_page()
            page.goto(shown["ann"])
            page.wait_for_selector("#text:not(:empty)")
            pictures(page, "judge", folder)
            page.goto(shown["owner"])
            page.wait_for_selector("#numbers div")
            pictures(page, "owner", folder, full=True)
            browser.close()
        server.should_exit = True
        thread.join()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
