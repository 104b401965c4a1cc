"""Look at the built site as readers do: in a browser, wide and narrow, light and dark.

    python tools/docs_look.py SITE                 blocks cut off, pages that scroll sideways (none is meant to)
    python tools/docs_look.py SITE --axe           also the rules of axe on one page of each kind
    python tools/docs_look.py SITE --shots FOLDER  pictures of one page of each kind: wide, narrow, dark

At 1,440 pixels every code block and table is seen whole. At 390 pixels a page does not move sideways, and what is wider
than the screen moves within its own box, which the keyboard reaches.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

KINDS = {
    "home": "index.html", "lesson": "learn/3-judge-in-the-browser.html", "notebook": "notebooks/first-look.html",
    "task": "how-to/llm-judge.html", "method": "understand/correction.html", "command": "look-up/commands/correct.html",
    "verb": "look-up/python/compare.html", "results": "look-up/results.html", "messages": "look-up/messages.html",
    "evidence": "evidence/claims.html", "project": "project/changelog.html",
}  # fmt: skip
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
         "--disable-component-update", "--no-first-run"]  # fmt: skip
WIDE, NARROW = 1440, 390
# blocks that are wider than their box: (text, width of the content, width of the box, whether it scrolls in its box)
CUT = """() => [...document.querySelectorAll('.md-content pre > code, .md-content .md-typeset__scrollwrap')]
  .filter(e => e.offsetParent !== null && e.scrollWidth > e.clientWidth + 1)
  .map(e => [e.innerText.slice(0, 60), e.scrollWidth, e.clientWidth,
             ['auto', 'scroll'].includes(getComputedStyle(e).overflowX)])"""
SIDEWAYS = "() => document.documentElement.scrollWidth - window.innerWidth"


def browser_of(playwright: Any) -> Any:
    chromium = next(p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n)))
    return playwright.chromium.launch(executable_path=chromium, args=FLAGS)


def opened(browser: Any, page: Path, width: int, *, dark: bool = False) -> Any:
    tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light")
    tab.goto(page.resolve().as_uri())
    tab.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    return tab


def cut_off(browser: Any, page: Path) -> list[str]:
    """What a reader cannot see: blocks cut off when wide; sideways movement or lost blocks when narrow."""
    out = []
    for width in (WIDE, NARROW):
        tab = opened(browser, page, width)
        if tab.evaluate(SIDEWAYS) > 0:
            out.append(f"{page.name} at {width}: the page moves sideways by {tab.evaluate(SIDEWAYS)}")
        for text, content, box, scrolls in tab.evaluate(CUT):
            if width == WIDE or not scrolls:
                out.append(f"{page.name} at {width}: {content} in {box}: {text!r}")
        tab.close()
    return out


def axe_of(browser: Any, page: Path, *, dark: bool) -> list[str]:
    """Violations of axe's rules on a page."""
    from axe_playwright_python.sync_playwright import Axe

    tab = opened(browser, page, WIDE, dark=dark)
    found = Axe().run(tab).response["violations"]
    tab.close()
    return [
        f"{page.name}{' dark' if dark else ''}: {v['id']}: {len(v['nodes'])} × {v['nodes'][0]['html'][:110]}"
        for v in found
    ]


def shots(browser: Any, site: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for kind, page in KINDS.items():
        for view, width, dark in (("wide", WIDE, False), ("narrow", NARROW, False), ("dark", WIDE, True)):
            tab = opened(browser, site / page, width, dark=dark)
            tab.screenshot(path=folder / f"{kind}-{view}.png")
            tab.close()


def main(site: Path, words: list[str]) -> int:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = browser_of(playwright)
        if "--shots" in words:
            shots(browser, site, Path(words[words.index("--shots") + 1]))
            return 0
        pages = sorted(p for p in site.rglob("*.html") if "Redirect" not in p.name and p.name != "404.html")
        pages = [p for p in pages if 'http-equiv="refresh"' not in p.read_text(encoding="utf-8")]
        problems = [line for page in pages for line in cut_off(browser, page)]
        if "--axe" in words:
            problems += [x for page in KINDS.values() for dark in (False, True)
                         for x in axe_of(browser, site / page, dark=dark)]  # fmt: skip
        browser.close()
    sys.stdout.write("".join(f"{line}\n" for line in problems) + f"{len(pages)} pages, {len(problems)} problems\n")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), sys.argv[2:]))
