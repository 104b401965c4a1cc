"""Console blocks on pages show what the commands print: this script writes the output under each command.

    python tools/docs_output.py            rewrite the blocks of all pages (docs, README)
    python tools/docs_output.py PAGE …     of some pages

A block is a session: lines that begin with `$ dissensus` are run, in an empty folder that holds a copy of `examples/`;
what follows them on the page is their output, at most `LINES` lines of it, then a line with `…`. Lines that a pipe or a
redirection would change are not shown. The tests compare every block with what the command prints (`shown` below), so
that a page cannot go stale.
"""

from __future__ import annotations

import contextlib
import glob
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINES, WIDTH = 24, 110
FENCE = re.compile(
    r"^(?P<indent>[ ]*)```(?P<kind>console|python)[ ]*\n(?P<body>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Step:
    """One command of a session, as it is written, and the output that stands under it."""

    written: str
    output: tuple[str, ...]

    @property
    def arguments(self) -> list[str]:
        """The arguments of `dissensus`, globs expanded as a shell would."""
        command = self.written[2:].replace("\\\n", " ").split(" | ")[0].split(" > ")[0]
        words = shlex.split(command, comments=True)
        raw = shlex.split(command, comments=True, posix=False)  # a quoted glob is not the shell's
        expanded = ([w] if r[0] in "'\"" else _expanded(w) for w, r in zip(words, raw, strict=True))
        return [word for words in expanded for word in words][1:]

    @property
    def printed(self) -> bool:
        """False where a pipe or a redirection hides what the command prints."""
        return " | " not in self.written and " > " not in self.written


def steps(body: str) -> list[Step]:
    """The commands of a session with their outputs."""
    out: list[tuple[str, list[str]]] = []
    going_on = False
    for line in body.splitlines():
        if going_on and out:
            out[-1] = (f"{out[-1][0]}\n{line}", [])
        elif line.startswith("$ "):
            out.append((line, []))
        elif out:
            out[-1][1].append(line)
        going_on = (going_on or line.startswith("$ ")) and line.endswith("\\")
    return [Step(written, tuple(output)) for written, output in out]


def run(step: Step) -> tuple[int, list[str]]:
    """(exit status, printed lines) of a command; only what goes to standard output is shown on pages."""
    from dissensus.cli import main

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        status = main(step.arguments)
    return status, [line.rstrip() for line in printed.getvalue().rstrip("\n").split("\n")]


def shown(lines: list[str]) -> list[str]:
    """The part of an output that a page shows."""
    return [*lines[:LINES], "…"] if len(lines) > LINES + 2 else lines


def agrees(written: tuple[str, ...], printed: list[str]) -> bool:
    """True where a page shows what was printed, up to a line with `…`."""
    page = list(written)
    while page and not page[-1].strip():
        page.pop()
    if page and page[-1].strip() == "…":
        return page[:-1] == printed[: len(page) - 1]
    return page == printed or (not page and printed == [""])


@contextlib.contextmanager
def session_folder() -> Iterator[Path]:
    """An empty folder with the examples in it, as the working folder."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(ROOT / "examples", Path(name) / "examples")
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def rewrite(page: Path) -> bool:
    """Write the outputs into a page; True where something changed."""
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "__page__"}

    def block(match: re.Match[str]) -> str:
        indent = match["indent"]
        body = "\n".join(line.removeprefix(indent) for line in match["body"].splitlines())
        if match["kind"] == "python":  # what a page prepares, its commands may read
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(_code(body), str(page), "exec"), namespace)
            return match[0]
        parts: list[str] = []
        for step in steps(body):
            output = list(step.output)
            if step.written.startswith("$ dissensus") and step.printed:
                status, printed = run(step)
                if status != 0 and not (status in (1, 3) and step.arguments[0] == "gate"):
                    raise SystemExit(f"{page}: {step.written}: exit status {status}")
                if not (output and agrees(step.output, printed)):  # what a page shortened by hand stays short
                    output = shown(printed) if printed != [""] else []
            parts += [step.written, *output]
        lines = [indent + line if line else "" for part in parts for line in part.split("\n")]
        return f"{indent}```console\n" + "\n".join(lines) + f"\n{indent}```"

    with session_folder():
        fresh = FENCE.sub(block, text)
    if fresh != text:
        page.write_text(fresh, encoding="utf-8")
    return fresh != text


def _code(body: str) -> str:
    """Code of a block written as a session (>>> …) or as plain code."""
    if not body.lstrip().startswith(">>>"):
        return body
    return "\n".join(line[4:] for line in body.splitlines() if line.startswith((">>>", "...")))


def _expanded(word: str) -> list[str]:
    return sorted(glob.glob(word)) or [word] if any(c in word for c in "*?") else [word]


if __name__ == "__main__":
    os.environ.update(COLUMNS=str(WIDTH), NO_COLOR="1")
    pages = [Path(p) for p in sys.argv[1:]] or sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
    for one in pages:
        if rewrite(one.resolve()):
            sys.stdout.write(f"{one}\n")
