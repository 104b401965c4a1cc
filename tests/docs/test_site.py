"""The documentation site builds without a warning and asks nobody for anything."""

from __future__ import annotations

import html
import importlib.util
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest
from once import once
from paths import ROOT
from wording import phrase

import dissensus as ds
from dissensus.cli.commands import COMMANDS, load
from dissensus.reporting.glossary import METHODS


def _tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


docs_map, docs_reference = _tool("docs_map"), _tool("docs_reference")


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


def test_every_command_and_verb_has_a_page_with_all_it_takes(site: Path) -> None:
    """Parameters unmentioned: 0."""
    unmentioned = []
    for names in COMMANDS.values():
        for name in names:
            text = html.unescape((site / "look-up" / "commands" / f"{name}.html").read_text(encoding="utf-8"))
            made = load(name)
            for command in made.commands.values() if isinstance(made, click.Group) else [made]:
                unmentioned += [
                    f"{name} {p.opts[0]}"
                    for p in command.params
                    if not any(o in text for o in (*p.opts, p.metavar or p.name))
                ]
    for name in docs_reference.verbs():
        text = (site / "look-up" / "python" / f"{name}.html").read_text(encoding="utf-8")
        takes = inspect.signature(getattr(ds, name)).parameters
        unmentioned += [f"ds.{name} {p}" for p in takes if f"<td><code>{p}</code></td>" not in text]
        assert "## Example" in docs_reference.verb(name)
    assert unmentioned == []


def test_every_column_of_every_result_is_described(site: Path) -> None:
    pages = sorted((site / "look-up" / "python").glob("*.html"))
    columns = {p.name: p.read_text(encoding="utf-8").split('id="returns"')[-1] for p in pages}
    assert [name for name, text in columns.items() if "<td></td>\n</tr>" in text or "(not described)" in text] == []
    assert phrase("results-page.lower-end", "95%") in (site / "look-up" / "results.html").read_text(encoding="utf-8")


def test_every_message_is_in_the_index(site: Path) -> None:
    text = html.unescape((site / "look-up" / "messages.html").read_text(encoding="utf-8"))
    lines = docs_reference.MESSAGES.read_text(encoding="utf-8").splitlines()
    said = [line.partition(": ")[2] for line in lines if line.startswith(("error: ", "warning: ", "note: "))]
    bare = re.sub(r"<[^>]+>", "", text)
    assert [s for s in said if s not in bare] == []


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
