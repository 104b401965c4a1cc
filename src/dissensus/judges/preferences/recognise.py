"""Is a file preferences? Told from its first line: columns doc_a and doc_b, `@ …`, or a winner that is a document."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dissensus.data.readers.files import kind
from dissensus.data.readers.naming import named_files
from dissensus.data.readers.table import read_table
from dissensus.errors import InputError

LINE = 65536  # bytes of the first line that are looked at
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
    if form == "parquet":
        return set(read_table(path).frame.columns) >= PAIR
    line = _first_line(path)
    if form != "trec":
        names = {name.strip().strip('"').lower().replace(" ", "_") for name in line.replace("\t", ",").split(",")}
        return names >= PAIR or all(f'"{name}"' in line for name in PAIR)
    words = line.split()
    if len(words) == 5:
        return words[0] == "@"
    return len(words) == 4 and words[1] != words[2] and words[3] in words[1:3]


def _first_line(path: Path) -> str:
    """The first line that is neither empty nor a comment; "" where the file cannot be read: its reader says why."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rb") as file:
            lines = file.read(LINE).decode("utf-8-sig", "replace").splitlines()
    except (OSError, EOFError, zlib.error):
        return ""
    return next((line for line in lines if line.strip() and not line.startswith("#")), "")
