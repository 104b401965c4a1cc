"""Help in groups: every option of every command is shown once, under the same heading everywhere."""

from __future__ import annotations

import re

import pytest

from dissensus.cli import main
from dissensus.cli.commands import COMMANDS, load
from dissensus.cli.terminal.option_groups import GROUPS, OWN, group_of

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
        for option in options:
            at = next(i for i, line in enumerate(text.splitlines()) if option.opts[0] in spellings(line))
            heading = max((g for g in where if where[g] < at), key=lambda g: where[g])
            assert heading == (OWN if few else group_of(option.name)), option.name


def test_no_name_is_in_two_groups() -> None:
    names = [name for group in GROUPS.values() for name in group]
    assert len(names) == len(set(names))
