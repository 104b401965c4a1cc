"""Building the site: navigation (tools/docs_map.py), formulas as MathML, reference pages from docstrings and --help.

A page appears in the navigation by being in its folder. A new method needs only docs/understand/<name>.md. Formulas are
turned into MathML while building, so the site needs no script and no network to show them.
"""

from __future__ import annotations

import html
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
FORMULA = re.compile(r'<(?P<tag>span|div) class="arithmatex">\\[\(\[](?P<tex>.*?)\\[\)\]]</(?P=tag)>', re.DOTALL)


# ── navigation ──
def on_config(config: Any) -> Any:
    if os.environ.get("DISSENSUS_DOCS_VERSIONED"):  # tools/versions.py: readers choose among versions
        config.extra["version"] = {"provider": "mike"}
    config.nav = _tool("docs_map").navigation(Path(config.docs_dir), list(generated(config)))
    return config


def on_post_build(config: Any) -> None:
    _tool("docs_map").lead_on(Path(config.site_dir))


# ── pages that nobody writes ──
def generated(config: Any) -> dict[str, Callable[[], str]]:
    """The pages that nobody writes by hand: address → what makes the page."""
    notebooks = sorted((Path(config.docs_dir) / "notebooks").glob("*.ipynb"))
    return {
        **_tool("docs_reference").pages(),
        **_tool("docs_project").pages(),
        **{f"notebooks/{path.stem}.md": partial(_tool("notebooks").as_page, path) for path in notebooks},
        "project/rooms.md": rooms_page,
        "evidence/benchmarks.md": benchmarks_page,
    }


def on_files(files: Any, config: Any) -> Any:
    for page, make in generated(config).items():
        files.append(File.generated(config, page, content=make()))
    return files


def rooms_page() -> str:
    """The rooms, drawn from the imports of now."""
    return str(_tool("rooms").page())


def benchmarks_page() -> str:
    """What `make bench` measured at each commit."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    kept = importlib.import_module("bench.kept")
    return str(kept.page(kept.history()))


def _tool(name: str) -> Any:
    """A script of this folder as a module."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


# ── blocks that are shown, not run ──
def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    if not page.file.src_uri.startswith("notebooks/"):  # there a link leads to the notebook, here to its page
        markdown = re.sub(r"(\]\([\w./-]*notebooks/[\w-]+)\.ipynb\)", r"\1.md)", markdown)
    return re.sub(r"^([ ]*```\w+) no-run[ ]*$", r"\1", markdown, flags=re.MULTILINE)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """The theme's search is a dialog without a name."""
    named = 'data-md-component="search" role="dialog"'
    return output.replace(named, f'{named} aria-label="Search"')


# ── formulas ──
def on_page_content(html_text: str, page: Any, config: Any, files: Any) -> str:
    from latex2mathml.converter import convert

    def mathml(match: re.Match[str]) -> str:
        tex = html.unescape(match["tex"]).strip()
        made = str(convert(tex, display="block" if match["tag"] == "div" else "inline"))
        return made.replace("<math ", f'<math aria-label="{html.escape(tex, quote=True)}" ', 1)

    return FORMULA.sub(mathml, html_text)
