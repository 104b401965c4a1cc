"""Pictures of the course: what a learner sees in the browser, made by playing the lessons.

python tools/course_pictures.py            all of them, into docs/learn/figures (needs Debian's chromium)
python tools/course_pictures.py --charts   the charts alone (no browser)
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import altair as alt
import docs_output

import dissensus as ds

FIGURES = docs_output.COURSE / "figures"
MEASURE = "P(rel=2)@10"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-quic",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]  # fmt: skip


def naive_and_truth() -> Any:
    """Each system's score by the LLM judge and by the truth, joined by a line."""
    means = {
        name: ds.evaluate("examples/runs/*", file, MEASURE)[MEASURE].mean("topic").sel(assessor=who)
        for name, file, who in (("LLM judge", "examples/labels.csv", "llm"), ("truth", "examples/truth.csv", "truth"))
    }
    rows = [
        {"system": str(s), "labels": name, "score": float(scores.sel(system=s))}
        for name, scores in means.items()
        for s in scores["system"].values
    ]
    order = [r["system"] for r in sorted(rows, key=lambda r: -float(r["score"])) if r["labels"] == "truth"]
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("system:N", sort=order, title=None), x=alt.X("score:Q", title=MEASURE, scale=alt.Scale(zero=False))
    )
    line = base.mark_line(color="#8a8a8a").encode(detail="system:N")
    mark = base.mark_point(size=90, opacity=1, strokeWidth=2).encode(
        shape=alt.Shape("labels:N", title=None, scale=alt.Scale(range=["circle", "diamond"])),
        color=alt.Color("labels:N", title=None, scale=alt.Scale(range=["#c2410c", "#1d4ed8"])),
        fill=alt.Fill("labels:N", title=None, scale=alt.Scale(range=["#ffffff", "#1d4ed8"])),
    )
    return (line + mark).properties(width=460, height=260)


@contextmanager
def served(file: str) -> Iterator[dict[str, str]]:
    """The links of a study while a server answers them."""
    import uvicorn

    from dissensus.audit.people import issue_tokens
    from dissensus.audit.server import address_of, bind, configured, links
    from dissensus.audit.store import StudyStore
    from dissensus.audit.study import Study

    with StudyStore.open(file) as store:
        study = Study.load(store)
        listening = bind("127.0.0.1", 0)
        shown = links(study, issue_tokens(study), address_of(listening))
        server = uvicorn.Server(configured(study))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield shown
        finally:
            server.should_exit = True
            thread.join()


def photograph(browser: Any, address: str, name: str, wait: str, size: tuple[int, int] = (1100, 760)) -> None:
    for scheme, ending in (("light", ""), ("dark", "-dark")):
        page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
        page.goto(address)
        page.wait_for_selector(wait)
        page.wait_for_timeout(2500)
        page.screenshot(path=FIGURES / f"{name}{ending}.png", timeout=240_000)
        page.close()


def screens() -> None:
    """The expert's page and the report."""
    from playwright.sync_api import sync_playwright

    chromium = next(p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n)))
    lessons = sorted(docs_output.COURSE.glob("*.md"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        until = "## Let two simulated experts finish"
        docs_output.play(lessons[2], until)
        with served("study.db") as links:
            photograph(browser, links["ann"], "judge", "#text:not(:empty)")
        Path("study.db").unlink()
        docs_output.play(lessons[2])
        docs_output.play(lessons[3])
        photograph(browser, Path("report.html").resolve().as_uri(), "report", "h1", (1100, 900))
        browser.close()


if __name__ == "__main__":
    os.environ.update(COLUMNS=str(docs_output.WIDTH), NO_COLOR="1")
    FIGURES.mkdir(exist_ok=True)
    warnings.simplefilter("ignore")
    with docs_output.session_folder():
        naive_and_truth().save(str(FIGURES / "naive-truth.svg"))
        if "--charts" not in sys.argv:
            screens()
        corrected = ds.correct("examples/runs/*", "examples/labels.csv", "closed/audit.csv", MEASURE, assessor="llm")
        corrected.plot().save(str(FIGURES / "corrected.svg"))
