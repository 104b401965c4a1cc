"""The way out of every command: a result to the terminal, to JSON, or to a file.

    show(result, json=json, output=output, digits=digits)

A person reads the terminal: long tables are cut unless `--all`. With `--output` the notes go to stderr.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from dissensus.cli.terminal.messages import colour_wanted, say, spoken
from dissensus.results import Result
from dissensus.windows import json as json_window
from dissensus.windows.files import write
from dissensus.windows.terminal import Style, footing, text
from dissensus.windows.words import DIGITS


def show(
    result: Result,
    *,
    json: bool = False,
    output: Path | str | None = None,
    digits: int = DIGITS,
    whole: bool = False,
    explain: bool = False,
) -> None:
    """Print a result, or write it to `output`. `whole` shows every row on a terminal, too, `explain` every note."""
    if output is not None:
        for path in write(result, Path(output), digits=digits, say=spoken):
            say("note", f"wrote {path}")
    if json:
        sys.stdout.write(json_window.text(result, indent=1, say=spoken) + "\n")
    elif output is None:
        sys.stdout.write(text(result, style_of(sys.stdout, digits=digits, whole=whole, explain=explain), spoken))
    elif result.notes:
        style = style_of(sys.stderr, whole=whole, explain=explain)
        sys.stderr.write("".join(f"{line}\n" for line in footing(result, style, spoken)))


def style_of(stream: TextIO, *, digits: int = DIGITS, whole: bool = False, explain: bool = False) -> Style:
    """How text is set on a stream."""
    return Style.on(stream, colour=colour_wanted(stream), digits=digits, whole=whole, explain=explain)


def print_json(value: object, indent: int | None = 1) -> None:
    """Facts that are plain values already, as JSON."""
    sys.stdout.write(json_window.written(value, indent) + "\n")
