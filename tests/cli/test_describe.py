"""`--describe` names every command and parameter that `--help` names, as JSON."""

from __future__ import annotations

import json

import click
import pytest

from dissensus.cli import main
from dissensus.cli.commands import load, names


def described(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main([*words, "--describe"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_all_commands_are_described_with_all_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    found = {c["name"]: c for c in described(capsys)["commands"]}  # type: ignore[attr-defined]
    for name in names():
        made = load(name)
        commands = (
            {f"{name} {w}": c for w, c in made.commands.items()} if isinstance(made, click.Group) else {name: made}
        )
        for path, command in commands.items():
            assert [p["name"] for p in found[path]["parameters"]] == [p.name for p in command.params]
            assert all(p["what"] for p in found[path]["parameters"]), path
    assert len(found) > len(names())


def test_one_command_is_described_without_what_it_requires(capsys: pytest.CaptureFixture[str]) -> None:
    (gate,) = described(capsys, "gate")["commands"]  # type: ignore[misc, attr-defined]
    by_name = {p["name"]: p for p in gate["parameters"]}
    assert (gate["name"], gate["python"]) == ("gate", "ds.gate")
    assert by_name["tolerance"]["required"]
    assert by_name["ties"]["choices"] == ["trec", "expected"]
    assert (by_name["level"]["type"], by_name["level"]["default"]) == ("float", "0.95")
    assert by_name["measures"]["repeatable"]


def test_a_subcommand_is_described_alone(capsys: pytest.CaptureFixture[str]) -> None:
    (new,) = described(capsys, "audit", "new")["commands"]  # type: ignore[misc, attr-defined]
    assert new["name"] == "audit new"
    assert {c["name"] for c in described(capsys, "audit")["commands"]} >= {"audit new", "audit close"}  # type: ignore[attr-defined]
