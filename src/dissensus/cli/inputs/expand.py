"""Bundles: a parameter of a command that stands for several options.

A bundle is a frozen dataclass whose fields are options (`Annotated[type, typer.Option(…)] = default`). A command asks
for one as for any option; the bundle's default holds the defaults of its options:

    def command(judgments: JudgmentsArgument, reading: Reading = Reading(repeated="keep")) -> None: …

Typer sees the fields in the place of the bundle; the command gets one object with what its user gave.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from typing import Any, get_type_hints


def expanded(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with every option of its bundles in its signature; a command without bundles as it is.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Shown:
    ...     digits: int = 4
    ...     json: bool = False
    >>> def command(runs: str, shown: Shown = Shown(digits=2), seed: int = 0) -> str:
    ...     return f"{runs} {shown} {seed}"
    >>> list(inspect.signature(expanded(command)).parameters)
    ['runs', 'digits', 'json', 'seed']
    >>> expanded(command)(runs="a.run", digits=2, json=True, seed=0)
    'a.run Shown(digits=2, json=True) 0'
    """
    hints = get_type_hints(command, include_extras=True)
    bundles = {name: _options(kind) for name, kind in hints.items() if is_dataclass(kind)}
    if not bundles:
        return command

    def run(**given: Any) -> Any:
        for name, options in bundles.items():
            given[name] = hints[name](**{option: given.pop(option) for option in options})
        return command(**given)

    parameters = list(_parameters(command, hints, bundles))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__doc__ = command.__doc__
    return run


def _options(bundle: Any) -> dict[str, Any]:
    """The options of a bundle with their types, in the order of its fields."""
    hints = get_type_hints(bundle, include_extras=True)
    return {name: hints[name] for name in bundle.__dataclass_fields__}


def _parameters(
    command: Callable[..., Any], hints: dict[str, Any], bundles: dict[str, dict[str, Any]]
) -> Iterator[inspect.Parameter]:
    """Keyword-only, as typer calls commands, so that options with and without defaults may follow each other."""
    for name, own in inspect.signature(command).parameters.items():
        for option, kind in bundles.get(name, {name: hints[name]}).items():
            default = getattr(own.default, option) if name in bundles else own.default
            yield inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
