"""Results as files: written under another name and renamed, so that a file is whole or absent.

Tables go to .csv .tsv .parquet .json .tex .md. Several of them become one .json, .tex or .md, and otherwise `name.csv`,
`name-pairs.csv`, …
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dissensus.errors import OutputError
from dissensus.windows import json, latex, markdown
from dissensus.windows.spreadsheets import inert
from dissensus.windows.words import DIGITS
from dissensus.work.atomic import atomic, atomic_path

if TYPE_CHECKING:
    import polars as pl

    from dissensus.results import Result

SUFFIXES = (".csv", ".tsv", ".parquet", ".json", ".tex", ".md")


def for_paper(output: Path | str | None) -> bool:
    """Is it a file that people read as a table?"""
    return output is not None and Path(output).suffix.lower() in (".tex", ".md")


def check_output(output: Path | str | None, flag: str = "--output") -> None:
    """Refuse an output file that cannot be written, before hours are spent on what should go into it."""
    if output is not None:
        check_file(Path(output), flag, SUFFIXES, "result.csv")


def check_file(path: Path, flag: str, suffixes: Sequence[str], example: str) -> None:
    """Refuse a file whose ending, folder or kind will not do."""
    if path.is_dir():
        raise OutputError(f"{flag} {path} is a directory.", f"Name a file in it: {path / example}")
    if path.suffix.lower() not in suffixes:
        raise OutputError(f"{flag} {path}: the ending says the format, and this one is none of {' '.join(suffixes)}.")
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{flag} {path}: the folder {path.parent} does not exist.", f"mkdir -p {path.parent}")


def write(result: Result, path: Path, *, digits: int = DIGITS, say: Callable[[str], str] = str) -> list[Path]:
    """Write a result to `path`, whole or not at all; returns the files written."""
    check_output(path)
    suffix = path.suffix.lower()
    whole: dict[str, Callable[[], str]] = {
        ".json": lambda: json.text(result, indent=1, say=say) + "\n",
        ".tex": lambda: latex.text(result, digits=digits, say=say),
        ".md": lambda: markdown.text(result, digits=digits, say=say),
    }
    if suffix in whole:
        with atomic(path) as file:
            file.write(whole[suffix]())
        return [path]
    written = []
    for i, (name, table) in enumerate(result.tables.items()):
        target = path if i == 0 else path.with_name(f"{path.stem}-{file_name(name)}{path.suffix}")
        write_rows(table.frame, target)
        written.append(target)
    return written


def write_rows(frame: pl.DataFrame, path: Path) -> None:
    """Write one table as CSV, TSV or Parquet; a spreadsheet shows its texts and does not run them."""
    with atomic_path(path) as temporary:
        if path.suffix.lower() == ".parquet":
            frame.write_parquet(temporary)
        else:
            inert(frame).write_csv(temporary, separator="\t" if path.suffix.lower() == ".tsv" else ",")


def file_name(text: str) -> str:
    """A table's name as part of a file name.

    >>> file_name("per topic: AP@10")
    'per-topic-AP-10'
    """
    return re.sub(r"[^\w]+", "-", text).strip("-") or "table"
