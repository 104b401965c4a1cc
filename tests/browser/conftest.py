"""A browser for the tests: Debian's chromium, driven by Playwright; no download, no network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next((p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None)
    if found is None:
        pytest.skip("no chromium on this machine (apt-get install chromium)")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def report_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on a generated collection whose names are hostile."""
    import polars as pl

    from dissensus.io.samples import generated_collection
    from dissensus.measures.catalog import measure_list
    from dissensus.reporting.build import build, write_page
    from dissensus.reporting.study import ReportedStudy
    from dissensus.tables.audit import Audit
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.runs import Runs

    hostile = {
        "bm25": "</script><script>alert('system')</script>",
        "rm3": "<img src=x onerror=alert('img')>",
    }
    judges = {"eve": "\"><svg onload=alert('judge')>"}
    sample = generated_collection(seed=1, topics=12)
    runs = Runs.from_frame(sample.runs.to_frame().with_columns(pl.col("system").replace(hostile)))
    labels = Judgments.from_frame(
        sample.judgments.to_frame().with_columns(pl.col("assessor").replace(judges)), scale=sample.judgments.scale
    )
    audit = Audit.from_frame(sample.audit.to_frame(), scale=sample.judgments.scale)
    study = ReportedStudy(runs, labels, tuple(measure_list(["P(rel=2)@10", "nDCG@10"])), audit, sample.truth, "llm")
    return write_page(build(study), tmp_path_factory.mktemp("report") / "report.html", title="Test <b>report</b>")
