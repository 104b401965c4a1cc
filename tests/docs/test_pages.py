"""Whatever stands on a page runs: Python blocks, `$ dissensus` lines, and the examples in docstrings.

The Python blocks of a page run in order in one namespace, in an empty folder that holds a copy of `examples/`. A block
marked ```` ```python no-run ```` is shown only. In ```` ```console ```` blocks, lines that start with `$ dissensus` are
run and must exit with 0 (3 where a gate cannot tell); the output under them must be what they print, up to a line with
`…`. `tools/docs_output.py` writes it.
"""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import os
import re
import shlex
import shutil
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pytest
from paths import ROOT

from dissensus.cli import main
from dissensus.measures import catalog

PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *(p for p in ROOT.glob("*.md")), *(ROOT / "examples").glob("*.md")])
FENCE = re.compile(
    r"^(?P<indent>[ ]*)```(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL
)
MODULES = sorted((ROOT / "src" / "dissensus").rglob("*.py"))


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_output", ROOT / "tools" / "docs_output.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["docs_output"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


docs_output = _tool()


def blocks(page: Path) -> list[tuple[str, str, int]]:
    """(language, text, line) of the fenced blocks of a page that are to be run."""
    text = page.read_text(encoding="utf-8")
    out = []
    for match in FENCE.finditer(text):
        info = match["info"].split()
        if not info or "no-run" in info:
            continue
        indent = len(match["indent"])
        body = "\n".join(line[indent:] for line in match["body"].splitlines())
        out.append((info[0], body + "\n", text.count("\n", 0, match.start()) + 1))
    return out


def runs(page: Path) -> bool:
    return any(language == "python" or "$ dissensus" in body for language, body, _ in blocks(page))


@pytest.fixture(autouse=True)
def _own_catalog(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure that a page or docstring registers is not in other tests' catalog."""
    monkeypatch.setattr(catalog, "_registered", {})


TRIED_IN_A_COPY = ROOT / "CONTRIBUTING.md"  # its recipes change the source: tests/tools/test_contributing.py


COURSE = sorted((ROOT / "docs" / "learn").glob("*.md"))


ALONE = [p for p in PAGES if runs(p) and p not in (TRIED_IN_A_COPY, *COURSE)]


@pytest.mark.parametrize("page", ALONE, ids=lambda p: str(p.relative_to(ROOT)))
def test_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if (ROOT / "examples").is_dir():
        shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(docs_output.WIDTH))  # as the outputs on pages were written
    monkeypatch.setenv("NO_COLOR", "1")
    play(page)


def test_the_course_runs_from_its_first_lesson_to_its_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(docs_output.WIDTH))
    monkeypatch.setenv("NO_COLOR", "1")
    assert len(COURSE) == 5
    for lesson in COURSE:
        outputs = [step.output for _, body, _ in blocks(lesson) for step in docs_output.steps(body)]
        assert max(len(output) for output in outputs) <= docs_output.LESSON, lesson.name
        play(lesson)


def test_lines_of_commands_and_their_outputs_fit_a_page() -> None:
    wide = [
        f"{page.relative_to(ROOT)}: {line}"
        for page in PAGES
        for language, body, _ in blocks(page)
        if language == "console" and page != TRIED_IN_A_COPY
        for line in body.splitlines()
        if len(line) > docs_output.WIDTH and not (line.startswith("$ ") and " # " in line)
    ]
    assert wide == []


def play(page: Path) -> None:
    """Run what stands on a page, in the working folder."""
    namespace: dict[str, object] = {"__name__": "__page__"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a page may show a case that warns
        for language, body, line in blocks(page):
            if language == "python":
                code = compile("\n" * line + _without_prompts(body), str(page), "exec")
                exec(code, namespace)
            elif language == "console":
                for step in docs_output.steps(body):
                    if step.written.startswith("$ dissensus"):
                        status, printed = docs_output.run(step)
                        answers = (0, 1, 3) if step.arguments[0] == "gate" else (0,)
                        assert status in answers, f"{page}:{line}: {step.written}"
                        if step.output and step.printed:
                            assert docs_output.agrees(step.output, printed), f"{page}:{line}: {step.written}"
            elif language in {"bash", "sh", "shell"}:
                for command in _commands(body):
                    assert main(command) == 0, f"{page}:{line}: dissensus {shlex.join(command)}"


def _without_prompts(body: str) -> str:
    """Code of a block written as a session (>>> …) or as plain code."""
    if not body.lstrip().startswith(">>>"):
        return body
    lines = [line[4:] for line in body.splitlines() if line.startswith((">>>", "..."))]
    return "\n".join(lines) + "\n"


def _commands(body: str) -> list[list[str]]:
    joined = body.replace("\\\n", " ")
    found = []
    for line in joined.splitlines():
        if line.startswith("$ dissensus "):
            command = line[2:].split(" | ")[0].split(" > ")[0]
            words = shlex.split(command, comments=True)
            written = shlex.split(command, comments=True, posix=False)  # quotes kept: a quoted glob is not the shell's
            found.append(
                [
                    w
                    for word, raw in zip(words, written, strict=True)
                    for w in ([word] if raw[0] in "'\"" else _expanded(word))
                ][1:]
            )
    return found


def _expanded(word: str) -> list[str]:
    import glob

    return sorted(glob.glob(word)) or [word] if any(c in word for c in "*?") else [word]


def _examples(path: Path) -> bool:
    return ">>>" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "path", [p for p in MODULES if _examples(p)], ids=lambda p: str(p.relative_to(ROOT / "src" / "dissensus"))
)
def test_docstring_examples_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testmod(importlib.import_module(name), optionflags=flags)
    assert result.attempted > 0
    assert result.failed == 0


GENERATED = re.compile(r"(\.\./)*(project/\w+|look-up/(commands|python|results|messages|classes)(/\w+)?)\.md")


def test_pages_do_not_link_into_nowhere() -> None:
    missing = []
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)\s#]+)", page.read_text(encoding="utf-8")):
            if GENERATED.match(target):
                continue  # no file stands for it: the strict build of the site checks these
            if not (page.parent / target).exists() and not os.path.isabs(target):
                missing.append(f"{page.relative_to(ROOT)} → {target}")
    assert missing == []
