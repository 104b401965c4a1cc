"""How a command is made of a function: its parameters become arguments and options of click.

    def command(
        runs: Annotated[list[str], argument(metavar="RUNS", help="Run files.")],
        measures: Annotated[list[str], option("--measures", "-m", metavar="NAME")] = ["AP"],
        shown: Output = Output(),
    ) -> None: ...

A parameter's type says what is taken: text, numbers, `Literal` choices, flags, paths, lists of them. A parameter whose
type is a frozen dataclass is a bundle. Its fields are options, and the function gets one value. A bundle with a method
`during(command, given)` is a context that is held while the function runs. What help says of a
parameter comes from the `Parameters` section of the verb's docstring (`dissensus.docstrings`). A declaration describes
only what is of the command alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import click

from dissensus.errors import InputError

Split = Callable[[list[str]], list[str]]


@dataclass(frozen=True)
class Declared:
    """How a parameter is typed on the command line; without flags it is an argument."""

    flags: tuple[str, ...] = ()
    metavar: str | None = None
    help: str = ""
    min: float | None = None
    max: float | None = None
    show_default: bool | str = True
    split: Split | None = None
    also: tuple[str, ...] = ()  # flags by which an argument may be given, too


def option(
    *flags: str,
    metavar: str | None = None,
    help: str = "",
    min: float | None = None,
    max: float | None = None,
    show_default: bool | str = True,
    split: Split | None = None,
) -> Declared:
    """An option; without flags it is called as its parameter is."""
    return Declared(flags or ("--",), metavar, help, min, max, show_default, split)


def argument(*, metavar: str, help: str = "", also: tuple[str, ...] = ()) -> Declared:
    """An argument, which may be given by the flags in `also`, too."""
    return Declared((), metavar, help, also=also)


@dataclass(frozen=True)
class Taken:
    """A value that a command takes: name, type, default (`...` where it is required) and how it is typed."""

    name: str
    kind: Any
    default: Any
    declared: Declared

    @property
    def required(self) -> bool:
        return self.default is ...

    @property
    def many(self) -> bool:
        return get_origin(self.kind) in (list, Sequence)

    @property
    def words(self) -> int:
        """How many words a value takes: two for a pair."""
        return len(get_args(self.kind)) if get_origin(self.kind) is tuple else 1

    def read(self, value: Any) -> Any:
        """The value that the function gets for what click found."""
        if self.many:
            if not value:
                return [] if self.required else self.default
            values = list(value)
            return values if self.declared.split is None else self.declared.split(values)
        return self.default if value is None else value


# ── signatures ───────────────────────────────────────────────────────────────────────────────────────────────────────
def parameters(function: Callable[..., Any]) -> Iterator[tuple[Taken, str | None]]:
    """The parameters of a function with those of its bundles in their place, and the bundle each one is of."""
    hints = get_type_hints(function, include_extras=True)
    for name, own in inspect.signature(function).parameters.items():
        default = ... if own.default is inspect.Parameter.empty else own.default
        if not is_dataclass(hints[name]):
            yield _parameter(name, hints[name], default), None
            continue
        fields = get_type_hints(hints[name], include_extras=True)
        for field in hints[name].__dataclass_fields__:
            yield _parameter(field, fields[field], getattr(default, field)), name


def _parameter(name: str, hint: object, default: object) -> Taken:
    declared = option()
    if get_origin(hint) is Annotated:
        kind, *about = get_args(hint)
        declared = next((a for a in about if isinstance(a, Declared)), declared)
    else:
        kind = hint
    if get_origin(kind) in (Union, UnionType):
        kind = next(k for k in get_args(kind) if k is not NoneType)
    return Taken(name, kind, default, declared)


def _type(parameter: Taken) -> Any:
    """Click's type of one value."""
    kind, declared = parameter.kind, parameter.declared
    if parameter.many:
        (kind,) = get_args(kind)
    if get_origin(kind) is Literal:
        return click.Choice([str(c) for c in get_args(kind)])
    if kind is Path:
        return click.Path(path_type=Path)
    if kind is int and (declared.min, declared.max) != (None, None):
        return click.IntRange(declared.min, declared.max)  # type: ignore[arg-type]
    if kind is float and (declared.min, declared.max) != (None, None):
        return click.FloatRange(declared.min, declared.max)
    return {int: click.INT, float: click.FLOAT}.get(kind, click.STRING)


def _shown_default(parameter: Taken) -> str:
    """The default as help shows it; nothing where it would say nothing."""
    shown, value = parameter.declared.show_default, parameter.default
    if isinstance(shown, str):
        return f"  [default: {shown}]"
    if not shown or value is ... or value is None or value is False or value in ([], ()):
        return ""
    if value is True:
        positive = parameter.declared.flags[0].partition("/")[0].removeprefix("--")
        return f"  [default: {positive}]"
    words = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f"  [default: {words}]"


def click_parameters(parameter: Taken, documented: Mapping[str, str]) -> list[click.Parameter]:
    """The options or the argument of one parameter."""
    declared = parameter.declared
    said = (declared.help or documented.get(parameter.name, "")).replace("`", "")
    again = " Repeatable." if parameter.many and declared.flags and "epeat" not in said else ""
    text = said + again + _shown_default(parameter)
    flags = tuple(f"--{parameter.name.replace('_', '-')}" if f == "--" else f for f in declared.flags)
    if not flags:
        needed = parameter.required and not declared.also
        own: list[click.Parameter] = [
            Argument(
                [parameter.name], type=_type(parameter), nargs=-1 if parameter.many else 1, required=needed,
                metavar=declared.metavar, text=text,
            )
        ]  # fmt: skip
        if declared.also:
            more = f"The same as {declared.metavar}, as other commands take them."
            flag = [f"more_{parameter.name}", *declared.also]
            own.append(click.Option(flag, multiple=True, metavar="FILE", help=more))
        return own
    if parameter.kind is bool:
        return [click.Option([parameter.name, *flags], is_flag=True, default=parameter.default, help=text)]
    return [
        click.Option(
            [parameter.name, *flags], type=_type(parameter), multiple=parameter.many, required=parameter.required,
            metavar=declared.metavar, help=text.strip(), nargs=parameter.words,
        )
    ]  # fmt: skip


class Argument(click.Argument):
    """An argument with a line of help."""

    def __init__(self, *words: Any, text: str, **attrs: Any) -> None:
        super().__init__(*words, **attrs)
        self.text = text.strip()

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        return self.make_metavar(ctx), self.text

    def make_metavar(self, ctx: click.Context) -> str:
        name = self.metavar or (self.name or "").upper()
        several = f"{name}..." if self.nargs != 1 else name
        return several if self.required else f"[{several}]"


# ── what a command does ──────────────────────────────────────────────────────────────────────────────────────────────
def runner(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The function as click calls it: bundles are put together, and their contexts held while it runs."""
    hints = get_type_hints(function)
    declared = list(parameters(function))

    def run(**given: Any) -> Any:
        values: dict[str, Any] = {}
        bundles: dict[str, dict[str, Any]] = {}
        for parameter, bundle in declared:
            found = given.get(parameter.name)
            if parameter.declared.also:
                found = (*(found or ()), *given.get(f"more_{parameter.name}", ()))
                if not found and parameter.required:
                    raise InputError(f"no {parameter.name} were given.", f"Name a file: dissensus {name} labels.csv")
            (values if bundle is None else bundles.setdefault(bundle, {}))[parameter.name] = parameter.read(found)
        with ExitStack() as held:
            for bundle, fields in bundles.items():
                values[bundle] = hints[bundle](**fields)
                if hasattr(values[bundle], "during"):
                    held.enter_context(values[bundle].during(name, given))
            return function(**values)

    return run
