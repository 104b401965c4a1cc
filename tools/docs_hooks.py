"""Building the site: navigation (tools/docs_map.py), formulas as MathML, reference pages from docstrings and --help.

A page appears in the navigation by being in its folder. A new method needs only docs/understand/<name>.md. Formulas are
turned into MathML while building, so the site needs no script and no network to show them.
"""

from __future__ import annotations

import contextlib
import html
import importlib
import importlib.util
import io
import re
import sys
import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "dissensus"
ROOMS = {
    "io": "Files",
    "tables": "Runs, judgments, audits",
    "measures": "Measures",
    "judging": "Judges",
    "inference": "Inference",
    "users": "User models",
    "theory": "Theory of measurement",
    "label_noise": "Label noise",
    "learning": "Learning to rank",
    "stats": "Statistics",
    "work": "Work that repeats",
    "studies": "Studies",
    "reporting": "Reports and charts",
    "audit": "Audits in the browser",
}
FORMULA = re.compile(r'<(?P<tag>span|div) class="arithmatex">\\[\(\[](?P<tex>.*?)\\[\)\]]</(?P=tag)>', re.DOTALL)


# ── navigation ──
def on_config(config: Any) -> Any:
    config.nav = _tool("docs_map").navigation(Path(config.docs_dir), list(generated(config)))
    return config


def on_post_build(config: Any) -> None:
    _tool("docs_map").lead_on(Path(config.site_dir))


# ── reference pages ──
def modules(room: str) -> list[str]:
    """Modules of a room that have something public to say."""
    found = []
    for path in sorted((SOURCE / room).rglob("*.py")):
        if path.name.startswith("_") or "kernels" in path.parts or not path.read_text(encoding="utf-8").strip():
            continue
        found.append(".".join(path.relative_to(SOURCE.parent).with_suffix("").parts))
    return found


def generated(config: Any) -> dict[str, Callable[[], str]]:
    """The pages that nobody writes by hand: address → what makes the page."""
    notebooks = sorted((Path(config.docs_dir) / "notebooks").glob("*.ipynb"))
    return {
        "look-up/commands.md": command_page,
        "look-up/names.md": names_page,
        **{f"look-up/{room}.md": partial(room_page, room) for room in ROOMS if modules(room)},
        **{f"notebooks/{path.stem}.md": partial(_tool("notebooks").as_page, path) for path in notebooks},
        "project/rooms.md": rooms_page,
        "evidence/benchmarks.md": benchmarks_page,
    }


def on_files(files: Any, config: Any) -> Any:
    for page, make in generated(config).items():
        files.append(File.generated(config, page, content=make()))
    return files


def room_page(room: str) -> str:
    """The modules of a room."""
    return f"# {ROOMS[room]}\n\n" + "\n\n".join(f"::: {name}" for name in modules(room)) + "\n"


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
    spec.loader.exec_module(module)
    return module


def names_page() -> str:
    """Every public name with its signature and what it is for, by the room that it comes from."""
    import inspect

    import dissensus as ds

    by_room: dict[str, list[str]] = {}
    for name, home in ds._HOME.items():
        thing = getattr(ds, name)
        text = inspect.getdoc(thing) or inspect.getdoc(importlib.import_module(f"dissensus.{home}")) or ""
        first = _about(name, text)
        try:
            parameters = [_short(p) for p in inspect.signature(thing).parameters.values()]
        except ValueError:
            parameters = []
        call = f"ds.{name}" if inspect.isclass(thing) else f"ds.{name}({', '.join(parameters)})"
        by_room.setdefault(home.split(".")[0], []).append(f"### ds.{name}\n\n`{call}`\n\n{first}\n")
    parts = [
        "# Names in Python",
        "What `import dissensus as ds` gives, made from the package itself. Results have `.to_frame()`, "
        "`.to_pandas()`, `.to_json()`, `.plot()`, and show themselves as tables in notebooks.",
    ]
    for room, entries in by_room.items():
        parts += [f"## {ROOMS.get(room, 'Errors')}", *entries]
    return "\n\n".join(parts) + "\n"


def _about(name: str, text: str) -> str:
    """What the reference says of a name: its text, its parameters, what it returns, its example, from the docstring."""
    from dissensus.docstrings import documented, sections

    parts = sections(text)
    if "Returns" not in parts:
        return " ".join(text.split("\n\n")[0].split())
    out = [parts[""]]
    rows = [f"| `{n}` | {said.replace('|', chr(92) + '|')} |" for n, said in documented(text).items()]
    if rows:
        out.append("| parameter | what it is |\n|---|---|\n" + "\n".join(rows))
    kind, _, said = parts["Returns"].partition("\n")
    out.append(f"**Returns** `{kind}`. {textwrap.dedent(said)}")
    if parts.get("Examples"):
        out.append(f"```pycon\n{parts['Examples']}\n```")
    return "\n\n".join(out)


def _short(parameter: Any) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    given = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
    return f"{stars}{parameter.name}{given}"


def command_page() -> str:
    """`dissensus --help` and that of every command, as they print it."""
    from dissensus.cli.commands import names

    parts = ["# Command line", _block(["--help"])]
    parts += [f"## dissensus {name}\n\n{_block([name, '--help'])}" for name in names()]
    return "\n\n".join(parts) + "\n"


def _block(args: list[str]) -> str:
    from dissensus.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(args)
    return "```text\n" + textwrap.dedent(out.getvalue()).strip() + "\n```"


# ── blocks that are shown, not run ──
def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    if not page.file.src_uri.startswith("notebooks/"):  # there a link leads to the notebook, here to its page
        markdown = re.sub(r"(\]\([\w./-]*notebooks/[\w-]+)\.ipynb\)", r"\1.md)", markdown)
    return re.sub(r"^([ ]*```\w+) no-run[ ]*$", r"\1", markdown, flags=re.MULTILINE)


# ── formulas ──
def on_page_content(html_text: str, page: Any, config: Any, files: Any) -> str:
    from latex2mathml.converter import convert

    def mathml(match: re.Match[str]) -> str:
        tex = html.unescape(match["tex"]).strip()
        made = str(convert(tex, display="block" if match["tag"] == "div" else "inline"))
        return made.replace("<math ", f'<math aria-label="{html.escape(tex, quote=True)}" ', 1)

    return FORMULA.sub(mathml, html_text)
