"""The command line as a whole: quick to list, one voice in errors, colour only where wanted."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import types
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated

import click
import pytest
from click.testing import CliRunner
from wording import phrase

from dissensus.cli import main
from dissensus.cli.build import option, parameters
from dissensus.cli.commands import COMMANDS, GROUPS, OWN, REMOVED, Command, group_of, load
from dissensus.docstrings import documented
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
    return module


def test_every_command_has_a_module_and_one_place() -> None:
    assert len(PRESENT) == len(set(PRESENT))
    assert {"evaluate", "compare", "correct", "plan", "check", "report"} <= set(PRESENT)
    assert all(find_spec(f"dissensus.cli.{name}") for name in PRESENT)


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
    lines = shell(_DISSENSUS_COMPLETE="bash_complete", COMP_WORDS="dissensus ", COMP_CWORD="1").stdout.split()
    assert set(PRESENT) <= {line.removeprefix("plain,") for line in lines}


def test_version() -> None:
    assert shell("--version").stdout.startswith("dissensus 0.")


@pytest.mark.parametrize("name", [n for n in PRESENT if n != "audit"])
def test_every_command_takes_a_seed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert "--seed N" in capsys.readouterr().out


@dataclass(frozen=True)
class Shown:
    digits: Annotated[int, option("--digits", "-d", help="Decimals.")] = 4
    json: Annotated[bool, option("--json")] = False


@dataclass(frozen=True)
class _Plot:
    plot: Annotated[str | None, option("--plot")] = None


@dataclass(frozen=True)
class Drawn(Shown, _Plot):
    json: Annotated[bool, option("--as-json", help="Another flag, in the same place.")] = True


def command(
    file: Annotated[str, option("--file")],
    names: Annotated[list[str], option("--name")] = ["n"],  # noqa: B006
    drawn: Drawn = Drawn(digits=2),  # noqa: B008
    seed: int = 0,
) -> None:
    """Say what was given.

    Parameters
    ----------
    seed
        One seed in, one result out.
    """
    click.echo(f"{file} {names} {drawn} {seed}")


def test_options_come_in_the_order_of_fields_with_the_defaults_of_the_bundle() -> None:
    found = {p.name: (p.default, bundle) for p, bundle in parameters(command)}
    assert found == {
        "file": (..., None), "names": (["n"], None), "plot": (None, "drawn"), "digits": (2, "drawn"),
        "json": (True, "drawn"), "seed": (0, None),
    }  # fmt: skip


def test_the_command_gets_one_object_and_its_help_from_the_docstring() -> None:
    program = Command("command", command)
    said = CliRunner().invoke(program, ["--file", "a.run", "-d", "3", "--plot", "x.svg", "--seed", "7"])
    assert said.output == "a.run ['n'] Drawn(plot='x.svg', digits=3, json=True) 7\n"
    text = CliRunner().invoke(program, ["--help"]).output
    assert phrase("expand.another-flag") in text
    assert "One seed in, one result out.  [default: 0]" in text
    assert "Parameters" not in text
    assert documented(command.__doc__ or "") == {"seed": "One seed in, one result out."}


def test_a_pair_takes_two_words() -> None:
    def between(pair: Annotated[tuple[str, str] | None, option("--between")] = None) -> None:
        click.echo(str(pair))

    program = Command("between", between)
    assert CliRunner().invoke(program, ["--between", "A", "B"]).output == "('A', 'B')\n"
    assert CliRunner().invoke(program, []).output == "None\n"


@pytest.mark.parametrize(
    ("words", "new"),
    [
        (("merge", "x.csv", "--ties", "coin"), "--break-ties"),
        (("plan", "x.run", "-j", "x.csv", "--scores"), "--for scores"),
        (("ceiling", "x.csv", "--samples=20"), "--replicates"),
        (("correct", "x.run", "--confidence", "0.9"), "--level"),
    ],
)
def test_a_removed_spelling_is_answered_with_the_new_one(
    words: tuple[str, ...], new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(list(words)) == 2
    assert f"Write {new}." in capsys.readouterr().err


def test_what_a_removed_spelling_became_exists() -> None:
    for name, table in REMOVED.items():
        for now in table.values() if name else ():
            assert now.split()[0] in {flag for p in load(name).params for flag in p.opts}, (name, now)


@pytest.mark.parametrize("name", [n for names in COMMANDS.values() for n in names])
def test_no_command_has_an_option_twice(name):
    parameters = [p.name for p in load(name).params]
    assert len(parameters) == len(set(parameters))


NAMES = [name for names in COMMANDS.values() for name in names]


def spellings(line: str) -> list[str]:
    """The spellings of the option that a line of a help describes: `  -a, --assessor NAME  The assessor …`."""
    return re.split(r"[ ,]+", line[2:].split("  ")[0]) if line.startswith("  -") else []


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_in_its_group(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = load(name)
    for part, words in [(c, [name, c.name]) for c in getattr(command, "commands", {}).values()] or [(command, [name])]:
        assert main([*words, "--help"]) == 0
        text = capsys.readouterr().out
        options = [p for p in part.params if p.param_type_name == "option" and not getattr(p, "hidden", False)]
        where = {line.rstrip(":"): i for i, line in enumerate(text.splitlines()) if line.rstrip(":") in GROUPS}
        assert OWN in where or len(where) > 1
        few = len(options) + 1 <= 8
        for one in options:
            below = list(enumerate(text.splitlines()))[min(where.values()) :]  # above stand the words of the command
            at = next(i for i, line in below if one.opts[0] in spellings(line))
            heading = max((g for g in where if where[g] < at), key=lambda g: where[g])
            assert heading == (OWN if few else group_of(one.name)), one.name


def test_no_name_is_in_two_groups() -> None:
    names = [name for group in GROUPS.values() for name in group]
    assert len(names) == len(set(names))
