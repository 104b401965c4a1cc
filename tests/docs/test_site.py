"""The documentation site builds without a warning and asks nobody for anything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from once import once
from paths import ROOT

from dissensus.cli.commands import COMMANDS
from dissensus.reporting.glossary import METHODS


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "site", _build)


def _build(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONWARNINGS": "ignore"},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    outside = re.compile(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="https?://')
    assert [p.name for p in site.rglob("*.html") if outside.search(p.read_text(encoding="utf-8"))] == []


def test_formulas_are_mathml(site: Path) -> None:
    pages = {p.stem: p.read_text(encoding="utf-8") for p in (site / "methods").glob("*.html")}
    assert any("<math" in text for text in pages.values())
    assert [name for name, text in pages.items() if 'class="arithmatex"' in text] == []


def test_every_command_is_in_the_reference(site: Path) -> None:
    text = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    for names in COMMANDS.values():
        for name in names:
            assert f"dissensus {name}" in text


@pytest.mark.parametrize("key", METHODS)
def test_the_report_links_to_pages_that_exist(key: str) -> None:
    page = METHODS[key].page
    assert (ROOT / "docs" / page).with_suffix(".md").exists(), f"{key} → docs/{page}"
