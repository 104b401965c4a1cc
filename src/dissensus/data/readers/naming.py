"""Who a file belongs to: NAME=FILE, or the file's own name; two files of one name are an error."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dissensus.data.readers.files import PathLike, find_files, stem
from dissensus.errors import FileError

Given = PathLike | Iterable[PathLike] | Mapping[str, PathLike]


def named_files(given: Iterable[Any], reader: str) -> list[tuple[Path, str | None]]:
    """(file, name or None) of paths, globs, "NAME=FILE" and {name: file}, in the order of the files' names."""
    plain: list[Any] = []
    named: list[tuple[str, PathLike]] = []
    for one in given:
        if isinstance(one, Mapping):
            named += [(str(name), path) for name, path in one.items()]
        elif isinstance(one, str | os.PathLike) or not isinstance(one, Iterable):
            _sort(one, plain, named)
        else:
            for inner in one:
                _sort(inner, plain, named)
    found: list[tuple[Path, str | None]] = (
        [(path, None) for path in find_files(plain, reader)] if plain or not named else []
    )
    for name, path in named:
        files = find_files([path], reader)
        if len(files) > 1:
            raise FileError(f"{name}={path} names {len(files):,} files.", "One name belongs to one file.")
        found.append((files[0], name))
    return sorted(found, key=lambda pair: str(pair[0]))


def _sort(one: Any, plain: list[Any], named: list[tuple[str, PathLike]]) -> None:
    if isinstance(one, str) and not Path(one).exists():
        name, sign, path = one.partition("=")
        if sign and name and path and not set(name) & set("/\\*?["):
            named.append((name, path))
            return
    plain.append(one)


def refuse_namesakes(files: Iterable[tuple[Path, str | None]], what: str, *ways_out: str, qrels: bool = False) -> None:
    """Refuse two files whose system or assessor would have one name."""
    seen: dict[str, Path] = {}
    for path, name in files:
        own = stem(path, qrels=qrels) if name is None else name
        other = seen.setdefault(own, path)
        if other is not path:
            folders = other.parent.name, path.parent.name
            first, second = folders if all(folders) and folders[0] != folders[1] else ("A", "B")
            raise FileError(
                f"{other} and {path} are both called {own!r}, and {what} is named after its file.",
                f"Name them: {first}={other} {second}={path}",
                *ways_out,
            )
