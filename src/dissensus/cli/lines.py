"""At most forty lines on the terminal, unless `--all`: a screen that is read, instead of a thousand lines that are not.

Files (`--output`) and JSON always hold everything; what is left out is counted, with the option that shows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import polars as pl

LINES = 40
REMARKS = 12  # lines of remarks below tables
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
    """(tables with the rows that are shown, rows left out by table, remarks that are shown)."""
    if _ALL.get():
        return dict(tables), {}, list(footer)
    lines = list(footer)
    if len(lines) > REMARKS:
        lines = [*lines[: REMARKS - 1], f"… {len(footer) - REMARKS + 1:,} more remarks: --all shows them"]
    room = LINES - len(lines) - 2 - 5 * len(tables)  # a title; name, header, rule, count and blank line of each table
    shares = _shares([frame.height for frame in tables.values()], room)
    shown, hidden = {}, {}
    for (name, frame), rows in zip(tables.items(), shares, strict=True):
        shown[name] = frame.head(rows)
        if rows < frame.height:
            hidden[name] = frame.height - rows
    return shown, hidden, lines


def _shares(heights: Sequence[int], room: int) -> list[int]:
    """Rows of each table: small tables whole, the rest shared equally.

    >>> _shares([3, 100, 100], 33), _shares([8], 100)
    ([3, 15, 15], [8])
    """
    left, out = room, [0] * len(heights)
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    for k, i in enumerate(order):
        fair = max(left // (len(order) - k), FEWEST)
        out[i] = min(heights[i], fair)
        left -= out[i]
    return out
