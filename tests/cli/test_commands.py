"""The command line as a whole: quick to list, one voice in errors, colour only where wanted."""

from __future__ import annotations

import os
import subprocess
import sys
import types
import warnings

import pytest
from wording import phrase

from dissensus.cli import main
from dissensus.cli.commands import COMMANDS, exists
from dissensus.errors import DataWarning, FileError, MissingExtra

PRESENT = [n for names in COMMANDS.values() for n in names]


def shell(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "import sys; from dissensus.cli import main; sys.exit(main())", *args],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A command of our own making in the place of `check`."""
    module = types.ModuleType("dissensus.cli.check")
    monkeypatch.setitem(sys.modules, "dissensus.cli.check", module)
    monkeypatch.setattr("dissensus.cli.commands.find_spec", lambda name: object())
    return module


def test_every_command_has_a_module_and_one_place() -> None:
    assert len(PRESENT) == len(set(PRESENT))
    assert {"evaluate", "compare", "correct", "plan", "doctor", "report"} <= set(PRESENT)
    assert all(exists(name) for name in PRESENT)


def test_help_lists_every_command_without_importing_any() -> None:
    code = (
        "import sys, contextlib, io\nfrom dissensus.cli import main\nmain(['--help'])\n"
        "heavy = {'numba', 'polars', 'xarray', 'scipy', 'altair', 'rich', 'numpy'} & set(sys.modules)\n"
        "print('HEAVY', sorted(heavy))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "HEAVY []" in out
    for name in PRESENT:
        assert f"  {name} " in out


@pytest.mark.parametrize("name", [n for n in PRESENT if n != "audit"])  # a group: see test_audit
def test_every_command_shows_an_example_and_the_common_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"dissensus {name}" in text.split("\n\n", 1)[1], "an example is missing"
    assert "--json" in text
    assert "--seed" in text
    assert "{" not in text.splitlines()[0]  # RUNS..., not {RUNS}...
    assert "list[" not in text
    assert ("--folder" if name == "demo" else "--output") in text


def test_our_errors_go_to_stderr_with_their_way_out(fake: types.ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> None:
        raise FileError("labels.csv:3: the grade is missing.", "Fill it in.")

    fake.command = command  # type: ignore[attr-defined]
    assert main(["check"]) == 2
    assert capsys.readouterr() == ("", "error: labels.csv:3: the grade is missing.\n  Fill it in.\n")


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (MissingExtra("train", "learn"), 2, "pip install '.[learn]'"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (FileNotFoundError(2, "No such file", "x.qrels"), 2, "error: x.qrels: there is no such file."),
        (IsADirectoryError(21, "Is a directory", "runs"), 2, "runs: this is a directory"),
        (ZeroDivisionError("division by zero"), 1, "This is a bug in dissensus"),
        (MemoryError(), 2, "out of memory"),
    ],
)
def test_every_failure_is_one_message(
    fake: types.ModuleType, capsys: pytest.CaptureFixture[str], error: BaseException, status: int, text: str
) -> None:
    def command() -> None:
        raise error

    fake.command = command  # type: ignore[attr-defined]
    assert main(["check"]) == status
    err = capsys.readouterr().err
    assert text in err
    assert "Traceback" not in err
    main(["check", "--debug"])
    assert ("Traceback" in capsys.readouterr().err) == (status != 130)


def test_warnings_are_one_line_each_and_said_once(fake: types.ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> None:
        for _ in range(3):
            warnings.warn("two\nlines", DataWarning, stacklevel=1)

    fake.command = command  # type: ignore[attr-defined]
    assert main(["check"]) == 0
    assert capsys.readouterr().err == "warning: two lines\n"


def test_a_mistyped_command_is_answered_with_a_guess() -> None:
    done = shell("evalute")
    assert done.returncode == 2
    assert done.stderr.startswith(phrase("commands.error-no-command", "evalute"))
    assert done.stdout == ""


def test_colour_obeys_the_environment() -> None:
    assert "\x1b" in shell("nonsense", FORCE_COLOR="1", NO_COLOR="").stderr
    assert "\x1b" not in shell("nonsense", FORCE_COLOR="1", NO_COLOR="1").stderr
    assert "\x1b" not in shell("nonsense").stderr


@pytest.mark.parametrize("columns", ["60", "200"])
def test_help_fits_the_terminal(columns: str) -> None:
    out = shell("--help", COLUMNS=columns).stdout
    assert max(len(line) for line in out.splitlines()) <= int(columns)


def test_shell_completion_offers_the_commands() -> None:
    done = shell("--show-completion", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert done.returncode in (0, 2)  # without a known shell it says so
    offered = shell(_DISSENSUS_COMPLETE="complete_bash", COMP_WORDS="dissensus ", COMP_CWORD="1").stdout.split()
    assert set(PRESENT) <= set(offered)


def test_version() -> None:
    assert shell("--version").stdout.startswith("dissensus 0.")


@pytest.mark.parametrize("name", [n for n in PRESENT if n != "audit"])
def test_every_command_takes_a_seed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert "--seed N" in capsys.readouterr().out
