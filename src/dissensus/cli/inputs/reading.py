"""`--columns`, `--separator`, `--missing`, `--map` and `--threshold` for every command that reads runs or judgments."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

#: arguments and options of commands by which files are read
READ = frozenset({"runs", "judgments", "audit", "base", "new", "score_table", "files"})
#: of commands that read no grades
LABELLING = {"label": ("map", "threshold", "missing")}


def _options(
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE=COLUMN,…",
            help="Which column is which: topic=qid,doc=docno; in files without a header by number: doc=2,grade=3.",
        ),
    ] = None,
    separator: Annotated[
        str | None, typer.Option(metavar="CHARACTER", help="What separates the columns of a text table.")
    ] = None,
    missing: Annotated[
        Literal["error", "skip"] | None,
        typer.Option(help="Rows without a grade or score (empty, NA): stop, or leave them out and say how many."),
    ] = None,
    map: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME:1=2,2=3", help="Grades of an assessor on another scale; repeatable."),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(metavar="X,…", help="Cut a judge's scores into grades at these values; without it ten bins."),
    ] = None,
) -> None:
    """The options themselves."""


def add_reading_options(command: Any) -> None:
    """Give `command` the options that say how its files are read; they hold for every file it reads."""
    if not READ & {p.name for p in command.params}:
        return
    run = command.callback
    taken = {p.name for p in command.params} | set(LABELLING.get(command.name, ()))
    further = typer.Typer(add_completion=False)
    further.command()(_options)

    def reading(**options: Any) -> Any:
        own = {name: options.pop(name) for name in _options.__annotations__ if name in options and name not in taken}
        return _run_with(own, run, options)

    found = typer.main.get_command(further).params
    command.params += [p for p in found if p.name in _options.__annotations__ and p.name not in taken]
    command.callback = reading


def _run_with(given: dict[str, Any], run: Any, options: dict[str, Any]) -> Any:
    if not any(given.values()):
        return run(**options)
    from dissensus.data.readers.choices import CHOSEN, Choices, parse_columns, parse_map

    separator = given.get("separator")
    token = CHOSEN.set(
        Choices(
            parse_columns(given["columns"]) if given.get("columns") else {},
            {"tab": "\t", "\\t": "\t"}.get(separator, separator) if separator else None,
            given.get("missing") or "error",
            parse_map(given.get("map") or []),
            _numbers(given["threshold"]) if given.get("threshold") else None,
        )
    )
    try:
        return run(**options)
    finally:
        CHOSEN.reset(token)


def _numbers(text: str) -> tuple[float, ...]:
    from dissensus.errors import InputError

    try:
        return tuple(sorted(float(part) for part in text.split(",")))
    except ValueError:
        raise InputError(f"--threshold {text} is not a list of numbers.", "Write 0.5, or 0.3,0.6,0.9.") from None
