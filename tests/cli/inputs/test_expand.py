"""Bundles of options: typer sees every option, the command gets one object."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner
from wording import phrase

from dissensus.cli.commands import COMMANDS, load
from dissensus.cli.inputs.expand import expanded


@dataclass(frozen=True)
class Shown:
    digits: Annotated[int, typer.Option("--digits", "-d", help="Decimals.")] = 4
    json: Annotated[bool, typer.Option("--json")] = False


@dataclass(frozen=True)
class _Plot:
    plot: Annotated[str | None, typer.Option("--plot")] = None


@dataclass(frozen=True)
class Drawn(Shown, _Plot):
    json: Annotated[bool, typer.Option("--as-json", help="Another flag, in the same place.")] = True


def command(file: str, drawn: Drawn = Drawn(digits=2), seed: int = 0) -> None:  # noqa: B008
    """Say what was given."""
    typer.echo(f"{file} {drawn} {seed}")


def test_options_come_in_the_order_of_fields_with_the_defaults_of_the_bundle():
    parameters = inspect.signature(expanded(command)).parameters
    assert {name: p.default for name, p in parameters.items()} == {
        "file": inspect.Parameter.empty, "plot": None, "digits": 2, "json": True, "seed": 0,
    }  # fmt: skip


def test_the_command_gets_one_object():
    program = typer.Typer(add_completion=False)
    program.command()(expanded(command))
    said = CliRunner().invoke(program, ["a.run", "-d", "3", "--plot", "x.svg", "--seed", "7"])
    assert said.output == "a.run Drawn(plot='x.svg', digits=3, json=True) 7\n"
    assert phrase("expand.another-flag") in CliRunner().invoke(program, ["--help"]).output


def test_a_command_without_bundles_is_left_as_it_is():
    def plain(file: str) -> None: ...

    assert expanded(plain) is plain


@pytest.mark.parametrize("name", [n for names in COMMANDS.values() for n in names])
def test_no_command_has_an_option_twice(name):
    parameters = [p.name for p in load(name).params]
    assert len(parameters) == len(set(parameters))
