"""Plain values are taken without pydantic, and every value means what typer's own conversion says it means."""

from __future__ import annotations

from typing import Any

import pytest

from dissensus.cli.commands import COMMANDS, exists, load
from dissensus.cli.inputs.plain_values import OTHER, _many, plain

TYPED = (
    "x",
    "",
    "0",
    "7",
    "-1",
    "+3",
    " 4",
    "1_0",
    "2.5",
    ".5",
    "1e3",
    "nan",
    "inf",
    "٣",
    "10000000",
    "error",
    "trec",
    ".",
)


def parameters() -> list[Any]:
    names = [name for section in COMMANDS.values() for name in section if exists(name)]
    loaded = [load(name) for name in names]
    return [p for c in loaded for command in getattr(c, "commands", {"": c}).values() for p in command.params]


def test_what_is_taken_as_it_is_equals_what_typer_makes_of_it() -> None:
    seen: set[str] = set()
    compared = 0
    for parameter in parameters():
        described = parameter.type_descriptor
        info = described.parameter_info
        kind = f"{described.annotation} {info.min} {info.max} {parameter.multiple} {parameter.nargs}"
        if kind in seen:
            continue
        seen.add(kind)
        many = parameter.multiple or parameter.nargs == -1
        for value in (None, parameter.default, *((text,) if many else text for text in TYPED)):
            ours = _many(described, value) if many else plain(described.annotation, info, value)
            if ours is not OTHER:
                assert ours == parameter.get_runtime_param().coerce(value, parameter, None)
                compared += 1
    assert compared > 100


@pytest.mark.parametrize("text", ["x", "-1", "2.5", ""])
def test_a_wrong_number_is_refused_in_the_words_of_typer(text: str) -> None:
    seed = next(p for p in load("evaluate").params if p.name == "seed")
    assert plain(seed.type_descriptor.annotation, seed.type_descriptor.parameter_info, text) is OTHER
