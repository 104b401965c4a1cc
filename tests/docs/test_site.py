"""The documentation site builds without a warning and asks nobody for anything."""

from __future__ import annotations

import importlib.util
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

spec = importlib.util.spec_from_file_location("docs_map", ROOT / "tools" / "docs_map.py")
assert spec is not None
assert spec.loader is not None
docs_map = importlib.util.module_from_spec(spec)
spec.loader.exec_module(docs_map)


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
    pages = {p.stem: p.read_text(encoding="utf-8") for p in (site / "understand").glob("*.html")}
    assert any("<math" in text for text in pages.values())
    assert [name for name, text in pages.items() if 'class="arithmatex"' in text] == []


def test_every_command_is_in_the_reference(site: Path) -> None:
    text = (site / "look-up" / "commands.html").read_text(encoding="utf-8")
    for names in COMMANDS.values():
        for name in names:
            assert f"dissensus {name}" in text


@pytest.mark.parametrize("key", METHODS)
def test_the_report_links_to_pages_that_exist(key: str) -> None:
    page = METHODS[key].page
    assert (ROOT / "docs" / page).with_suffix(".md").exists(), f"{key} → docs/{page}"


def test_old_addresses_lead_to_pages_that_exist(site: Path) -> None:
    for old, new in docs_map.MOVED.items():
        page = (site / old).with_suffix(".html")
        to = re.findall(r'url=([^"]+)"', page.read_text(encoding="utf-8"))
        assert to, f"{old} does not lead on"
        assert (page.parent / to[0]).resolve() == (site / new).with_suffix(".html"), old
        assert (page.parent / to[0]).exists(), f"{old} → {new}"


def test_every_page_is_in_a_part_of_the_site() -> None:
    folders = {folder for part in docs_map.PARTS.values() for folder in part}
    pages = [p.relative_to(ROOT / "docs") for p in (ROOT / "docs").rglob("*.md")]
    assert [str(p) for p in pages if len(p.parts) > 1 and p.parts[0] not in folders] == []
    mapped = [page for pages in docs_map.MAP.values() for page in pages.values()]
    assert len(mapped) == len(set(mapped))
