"""Console blocks on pages show what the commands print: this script writes the output under each command.

    python tools/docs_output.py            rewrite the blocks of all pages (docs, README)
    python tools/docs_output.py PAGE …     of some pages

Outputs are what a person sees in a terminal of 80 columns: wide tables go on below, long sentences are folded.
A block is a session: lines that begin with `$ dissensus` are run, in an empty folder that holds a copy of `examples/`;
what follows them on the page is their output, at most `LINES` lines of it (12 in a lesson), then a line with `…`. Lines
that a pipe or a redirection would change are not shown. The tests compare every block with what the command prints
(`shown` below), so that a page cannot go stale.
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
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINES, LESSON, WIDTH = 24, 12, 80
HASH = re.compile(r"\b[0-9a-f]{64}\b")
COURSE = ROOT / "docs" / "learn"  # its lessons go on where the one before ended, in one folder
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

    printed = Terminal()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        status = main(step.arguments)
    lines = [line.rstrip() for line in printed.getvalue().rstrip("\n").split("\n")]
    return status, [part for line in lines for part in folded(line)]


class Terminal(io.StringIO):
    """Standard output that says it is a terminal, so that commands print for its width."""

    def isatty(self) -> bool:
        return True


def folded(line: str) -> list[str]:
    """A line as a terminal shows it; tables and code keep to the width on their own."""
    if len(line) <= WIDTH:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


WORD = r"""(?:[^\s"']|"[^"]*"|'[^']*')+"""
ARGUMENT = re.compile(rf"-{WORD}[ ]+(?!-){WORD}|{WORD}")  # an option stays with what is given for it


def folded_command(written: str) -> str:
    """A command over several lines that end with a backslash, where it is wider than a page."""
    if " # " in written or all(len(line) <= WIDTH for line in written.split("\n")):
        return written
    lines = [""]
    for word in ARGUMENT.findall(written.replace("\\\n", " ")):
        if lines[-1] and len(lines[-1]) + len(word) + 3 > WIDTH:
            lines.append("   ")
        lines[-1] += f" {word}" if lines[-1] else word
    return " \\\n".join(lines)


def shown(lines: list[str], page: Path | None = None) -> list[str]:
    """The part of an output that a page shows."""
    most = LESSON - 1 if page is not None and page.parent == COURSE else LINES
    return [*lines[:most], "…"] if len(lines) > most + (1 if most < LINES else 2) else lines


def before(page: Path) -> list[Path]:
    """The lessons before a lesson: what they wrote is there."""
    return [p for p in sorted(COURSE.glob("*.md")) if p < page] if page.parent == COURSE else []


def agrees(written: tuple[str, ...], printed: list[str]) -> bool:
    """True where a page shows what was printed, up to a line with `…`; commitments are salted, each is its own."""
    page, printed = ([HASH.sub("HASH", line) for line in lines] for lines in (written, printed))
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
                    output = shown(printed, page) if printed != [""] else []
            parts += [folded_command(step.written), *output]
        lines = [indent + line if line else "" for part in parts for line in part.split("\n")]
        return f"{indent}```console\n" + "\n".join(lines) + f"\n{indent}```"

    with session_folder():
        for earlier in before(page):
            play(earlier)
        fresh = FENCE.sub(block, text)
    if fresh != text:
        page.write_text(fresh, encoding="utf-8")
    return fresh != text


def play(page: Path, until: str | None = None) -> None:
    """Run what a page prepares and what it asks the commands to write, up to a line where one is named."""
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text[: text.index(until)] if until else text):
        body = "\n".join(line.removeprefix(match["indent"]) for line in match["body"].splitlines())
        if match["kind"] == "python":
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(_code(body), str(page), "exec"), {"__name__": "__page__"})
        for step in steps(body) if match["kind"] == "console" else ():
            if step.written.startswith("$ dissensus"):
                run(step)


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
