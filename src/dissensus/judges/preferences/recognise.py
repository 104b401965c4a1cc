"""Is a file preferences? Told from its beginning: columns doc_a and doc_b, `@ …`, or winners that are documents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dissensus.data.readers.contents import unpacking
from dissensus.data.readers.files import TYPED, kind, named_files
from dissensus.errors import FileError, InputError

LINE = 65536  # bytes that are looked at
PAIR = {"doc_a", "doc_b"}


def are_preferences(paths: Iterable[Any]) -> bool:
    """Do these files hold preferences? Preferences beside judgments are an error."""
    files = [path for path, _ in named_files(paths, "read_preferences")]
    which = [looks_like_preferences(path) for path in files]
    if any(which) and not all(which):
        one, other = files[which.index(True)], files[which.index(False)]
        raise InputError(f"{one} holds preferences and {other} does not.", "Give one kind of file at a time.")
    return any(which)


def looks_like_preferences(path: Path) -> bool:
    """Does one file begin as preferences do?"""
    form = kind(path)
    if path.is_dir() or form == "json":
        return False
    if form in TYPED:
        return _columns(path, form) >= PAIR
    lines = _first_lines(path)
    line = lines[0] if lines else ""
    if form != "trec":
        names = {name.strip().strip('"').lower().replace(" ", "_") for name in line.replace("\t", ",").split(",")}
        return names >= PAIR or all(f'"{name}"' in line for name in PAIR)
    words = line.split()
    if len(words) == 5:
        return words[0] == "@"
    return len(words) == 4 and _winners([line.split() for line in lines])


def _winners(rows: list[list[str]]) -> bool:
    """Does every row end in one of two documents? The iteration of qrels, `301 0 FT-7 0`, is not a document."""
    if any(len(r) != 4 or r[1] == r[2] or r[3] not in r[1:3] for r in rows):
        return False
    return any(r[3] == r[2] or not r[3].lstrip("-").isdigit() for r in rows) or len({r[1] for r in rows}) > 2


def _columns(path: Path, form: str) -> set[str]:
    """Names of the columns; none where a file is packed or damaged: its reader says why."""
    import polars as pl

    from dissensus.data.readers.arrow import read_arrow
    from dissensus.data.readers.parquet import damage_named, refuse_damaged_file

    try:
        if form == "arrow":
            return set(read_arrow(path)[0].columns)
        refuse_damaged_file(path)
        with damage_named(str(path)):
            return set(pl.read_parquet_schema(path))
    except FileError:
        return set()


def _first_lines(path: Path) -> list[str]:
    """The first lines that are neither empty nor comments; none where the file cannot be read: its reader says why."""
    try:
        with path.open("rb") as packed:
            start = packed.read(4)
            packed.seek(0)
            with unpacking(packed, start, path) as file:
                data = file.read(LINE)
    except (OSError, FileError):
        return []
    lines = data.decode("utf-8-sig", "replace").splitlines()
    lines = lines[:-1] if len(data) == LINE and len(lines) > 1 else lines  # the last one may be cut
    return [line for line in lines if line.strip() and not line.startswith("#")]
