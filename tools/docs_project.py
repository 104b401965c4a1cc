"""The project's own pages on the site, made from the files in the repository's root: one text, read in two places."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
FILES = {"changelog": "CHANGELOG.md", "contributing": "CONTRIBUTING.md", "security": "SECURITY.md"}
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?\)")
NAMES = {f"{name}.md": f"{page}.md" for page, name in FILES.items()} | {
    name: f"{page}.md" for page, name in FILES.items()
}


def pages() -> dict[str, Callable[[], str]]:
    """Address → what makes the page."""
    return {
        **{f"project/{page}.md": partial(of_file, name) for page, name in FILES.items()},
        "project/cite.md": cite,
        "project/licence.md": licence,
    }


def of_file(name: str) -> str:
    """A Markdown file of the root, its links leading to pages of the site; other files are named, not linked."""

    def link(match: re.Match[str]) -> str:
        target = posixpath.normpath(match[1])
        if target in NAMES:
            return f"]({NAMES[target]}{match[2] or ''})"
        if target.startswith("docs/") and (ROOT / target).exists():
            return f"](../{target.removeprefix('docs/')}{match[2] or ''})"
        return "](contributing.md)" if target == "CODE_OF_CONDUCT.md" else "](#)"

    text = (ROOT / name).read_text(encoding="utf-8")
    text = re.sub(r"\[([^\]]+)\]\((?!https?:|#|mailto:|docs/|[A-Z]+\.md)[^)\s]+\)", r"\1", text)
    return re.sub(r"^([ ]*```\w+) no-run[ ]*$", r"\1", LINK.sub(link, text), flags=re.MULTILINE)


def cite() -> str:
    """How to cite, from CITATION.cff."""
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    authors = " and ".join("{" + a["name"] + "}" if "name" in a else f"{a['family-names']}, {a['given-names']}"
                           for a in found["authors"])  # fmt: skip
    bibtex = "\n".join([
        "@software{dissensus,", f"  title   = {{{found['title']}}},", f"  author  = {{{authors}}},",
        f"  version = {{{found['version']}}},", f"  license = {{{found['license']}}},", "}",
    ])  # fmt: skip
    return (
        "# Cite\n\nTo cite dissensus, use this entry. It is made from `CITATION.cff`, which reference managers read."
        f"\n\n```bibtex\n{bibtex}\n```\n\nWhat to write in a paper is on the page "
        "[How to write it in a paper](../how-to/paper.md). Cite the methods you used, too: each page under "
        "*Understand* ends with its references.\n"
    )


def licence() -> str:
    """The licence as it is."""
    text = (ROOT / "LICENSE").read_text(encoding="utf-8").strip()
    return f"# Licence\n\ndissensus is free software under the Apache License 2.0.\n\n```text\n{text}\n```\n"
