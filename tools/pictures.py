"""Pictures of the documentation, made from the examples: the charts of the gallery, and the first screen of a report.

python tools/pictures.py             all of them, into docs/figures
python tools/pictures.py --charts    the charts alone (no browser)
python tools/pictures.py --report    the report alone
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dissensus as ds

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "figures"
EXAMPLES = ROOT / "examples"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
]


def charts() -> dict[str, Callable[[], Any]]:
    """File name → chart."""
    runs, labels = ds.read_runs(str(EXAMPLES / "runs" / "*.gz")), ds.read_judgments(EXAMPLES / "labels.csv")
    truth, audit = ds.read_judgments(EXAMPLES / "truth.csv"), ds.read_audit(EXAMPLES / "audit.csv")
    three = runs.select(systems=["crossenc", "splade", "bm25"])
    corrected = ds.correct(runs, labels, audit, "P(rel=2)@10", assessor="llm")
    return {
        "corrected.svg": corrected.plot,
        "differences.svg": ds.compare(ds.evaluate(three, truth, "nDCG@10"), "nDCG@10").plot,
        "agreement.svg": ds.agreement(labels).plot,
        "confusion.svg": ds.confusion(labels, truth, "llm").plot,
        "power.svg": ds.plan(three, labels, budget=200, measures="P(rel=2)@10", assessor="llm").plot,
        "user.svg": ds.MarkovUser.fit([[1, 2], [1, 3, 2], [2, 1], [1, 2, 3]]).plot,
    }


def report(folder: Path) -> None:
    """The first screen of a report, as a browser shows it."""
    from playwright.sync_api import sync_playwright

    page_file = ds.write_report(
        str(EXAMPLES / "runs" / "*.gz"), EXAMPLES / "labels.csv", folder / "report.html", audit=EXAMPLES / "audit.csv",
        assessor="llm", measures=["P(rel=2)@10", "nDCG@10"],
    )  # fmt: skip
    chromium = next(p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        page.goto(page_file.as_uri())
        page.wait_for_timeout(3000)
        page.screenshot(path=FIGURES / "report.png", timeout=240_000)
        browser.close()


if __name__ == "__main__":
    FIGURES.mkdir(exist_ok=True)
    warnings.simplefilter("ignore")
    for name, draw in charts().items() if "--report" not in sys.argv else ():
        draw().save(str(FIGURES / name))
    if "--charts" not in sys.argv:
        with tempfile.TemporaryDirectory() as temporary:
            report(Path(temporary))
