"""At most forty lines on the terminal, unless `--all`: a screen that is read, instead of a thousand lines that are not.

Only rows are left out, and counted, with the option that shows them: remarks below a table are never cut, because they
say what the numbers rest on. The first table, which is the answer, keeps up to `MAIN` rows. Files and JSON hold all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import polars as pl

LINES = 40
MAIN = 14  # rows that the first table keeps before the others share what is left
FEWEST = 3  # rows that a table keeps, however many tables there are
_ALL: ContextVar[bool] = ContextVar("everything is to be shown", default=False)


def _option(show_all: Annotated[bool, typer.Option("--all", help="Print every row, however many.")] = False) -> None:
    """The option itself."""


def add_all_option(command: Any) -> None:
    """Give a command that prints tables the option `--all`; one that has it already says so to `cut`, too."""
    own = next((p for p in command.params if "--all" in p.opts), None)
    if own is None and not any(p.name == "json" for p in command.params):
        return
    kept = own is not None
    if own is None:
        program = typer.Typer(add_completion=False)
        program.command()(_option)
        own = next(p for p in typer.main.get_command(program).params if p.name == "show_all")
        command.params.append(own)
    run = command.callback

    def showing(**options: Any) -> Any:
        wanted = bool(options[own.name] if kept else options.pop(own.name))
        token = _ALL.set(wanted)
        try:
            return run(**options)
        finally:
            _ALL.reset(token)

    command.callback = showing


def cut(
    tables: Mapping[str, pl.DataFrame], footer: Sequence[str]
) -> tuple[dict[str, pl.DataFrame], dict[str, int], list[str]]:
    """(tables with the rows that are shown, rows left out by table, remarks line by line)."""
    if _ALL.get():
        return dict(tables), {}, list(footer)
    lines = [line for text in footer for line in text.split("\n")]
    room = LINES - len(lines) - 2 - 5 * len(tables)  # a title; name, header, rule, count and blank line of each table
    shares = _shares([frame.height for frame in tables.values()], room)
    shown, hidden = {}, {}
    for (name, frame), rows in zip(tables.items(), shares, strict=True):
        shown[name] = frame.head(rows)
        if rows < frame.height:
            hidden[name] = frame.height - rows
    return shown, hidden, lines


def _shares(heights: Sequence[int], room: int) -> list[int]:
    """Rows of each table: the first keeps up to `MAIN`, the others are shown whole while small and share the rest.

    >>> _shares([100, 3, 100], 40), _shares([8], 100)
    ([14, 3, 23], [8])
    """
    if not heights:
        return []
    first = min(heights[0], max(MAIN if len(heights) > 1 else room, FEWEST))
    left, out = room - first, [first] + [0] * (len(heights) - 1)
    order = sorted(range(1, len(heights)), key=lambda i: heights[i])
    for k, i in enumerate(order):
        fair = max(left // (len(order) - k), FEWEST)
        out[i] = min(heights[i], fair)
        left -= out[i]
    return out
