"""Option values that are plainly right are taken as they are; all others go the way of typer, with its messages.

Typer converts every value, defaults too, with an adapter of pydantic per option: importing pydantic and building thirty
adapters takes a third of the time of importing numpy and polars. Texts, whole numbers, members of a list of choices and
plain paths need none of it. Versions of typer without such adapters are left alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

OTHER = object()  # a value that is not plainly right


class TakesPlainValues:
    """A command whose options and arguments, `--help` among them, take plain values without an adapter."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters, as click asks for them when it begins to read a command line."""
        parameters = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if hasattr(parameter, "type_descriptor") and "process_value" not in vars(parameter):
                parameter.process_value = _process(parameter, parameter.process_value)
        return parameters


def _process(parameter: Any, by_typer: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    described = parameter.type_descriptor
    many = parameter.multiple or parameter.nargs == -1

    def process_value(context: Any, value: Any) -> Any:
        result = _many(described, value) if many else plain(described.annotation, described.parameter_info, value)
        if result is OTHER or (parameter.required and not result):
            return by_typer(context, value)
        return result if parameter.callback is None else parameter.callback(context, parameter, result)

    return process_value


def _many(described: Any, value: Any) -> Any:
    """The list of plain values; nothing given is an empty tuple, as in typer."""
    if value is None:
        return ()
    if get_origin(described.annotation) is not list or not isinstance(value, list | tuple):
        return OTHER
    (item,) = get_args(described.annotation)
    values = [plain(item, described.parameter_info, v) for v in value]
    return OTHER if any(v is OTHER or v is None for v in values) else values


def plain(annotation: Any, rules: Any, value: Any) -> Any:
    """The value of an option of this type, or OTHER where typer has to look at it.

    >>> from types import SimpleNamespace
    >>> plain(int, SimpleNamespace(min=0, max=None, clamp=False, parser=None), "12")
    12
    >>> plain(int, SimpleNamespace(min=20, max=None, clamp=False, parser=None), "12") is OTHER
    True
    """
    if value is None:
        return None
    if rules.parser is not None:
        return OTHER
    if annotation is str:
        return value if isinstance(value, str) else OTHER
    if annotation is bool:
        return value if isinstance(value, bool) else OTHER
    if annotation is int or annotation is float:
        return _number(annotation, rules, value)
    if get_origin(annotation) is Literal:
        return value if isinstance(value, str | NoneType) and value in get_args(annotation) else OTHER
    return _path(rules, value) if annotation is Path else OTHER


def _number(kind: type[int] | type[float], rules: Any, value: Any) -> Any:
    """Decimal digits, with a point where fractions are taken; anything fancier is typer's to accept or refuse."""
    if isinstance(value, str):
        digits = value.replace(".", "", 1) if kind is float else value
        if not (digits.isascii() and digits.isdecimal()):
            return OTHER
        value = kind(value)
    if type(value) is int and kind is float:
        value = float(value)
    if type(value) is not kind or rules.clamp:
        return OTHER
    within = (rules.min is None or value >= rules.min) and (rules.max is None or value <= rules.max)
    return value if within else OTHER


def _path(rules: Any, value: Any) -> Any:
    """A path without conditions: it may be there or not, but what is there can be read."""
    if not isinstance(value, str | Path) or rules.exists or rules.writable or rules.resolve_path or rules.allow_dash:
        return OTHER
    unconditional = rules.file_okay and rules.dir_okay and rules.path_type is None
    return Path(value) if unconditional and (os.access(value, os.R_OK) or not os.path.lexists(value)) else OTHER
