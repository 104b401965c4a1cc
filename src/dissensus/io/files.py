"""Which files, what they are called, and in which format they are.

A path that is not a file is one error that says why and what to do: missing (with similar names), nothing matched. A
folder is every file in it. A file is its namesake's (`bm25.run` is of the system bm25), or of whom the user says:
NAME=FILE. Two files of one name are an error. How they are read is `options`.
"""

from __future__ import annotations

import difflib
import glob
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.errors import FileError
from dissensus.io.converted.manifest import NAME, SIDES, converted_side
from dissensus.io.elsewhere import Fetched, fetched, folder_at, is_elsewhere, listing_of, local_path
from dissensus.tables.columns import NUMBER
from dissensus.wording import counted
from dissensus.work.memory import readable, with_room
from dissensus.work.settings import refuse_after_fork

PathLike = str | os.PathLike[str]
Given = PathLike | Iterable[PathLike] | Mapping[str, PathLike]
PACKED = (".gz", ".zst")
UNPACKS = 5  # times its size
IN_MEMORY = 1.2  # times the size of a text, as measured for TREC runs of 40 million lines
SMALL = 1 << 19  # bytes: ten thousand lines, read in 20 ms

#: endings that do not belong to a system's or an assessor's name
ENDINGS = (
    ".txt",
    ".run",
    ".res",
    ".trec",
    ".csv",
    ".tsv",
    ".jsonl",
    ".parquet",
    ".json",
    ".arrow",
    ".feather",
    ".ipc",
    ".xlsx",
)
QRELS_ENDINGS = (".qrels", ".qrel", ".ndjson")

_FORMATS = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".parquet": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".xlsx": "xlsx",
}  # fmt: skip
#: formats that are tables; those that know the types of their columns, whose rows have no lines
TABLES = ("csv", "tsv", "jsonl", "parquet", "arrow", "xlsx")
TYPED = ("parquet", "arrow", "xlsx")


def find_files(patterns: Iterable[PathLike | Iterable[PathLike]], reader: str) -> list[Path]:
    """All files that paths and globs name, each once, in the order of their names; `reader` is named in errors."""
    refuse_after_fork()
    found: dict[str, Path] = {}
    flat: list[PathLike] = []
    for p in patterns:
        refuse_table(p, reader)
        flat.extend([p] if isinstance(p, str | os.PathLike) or not isinstance(p, Iterable) else p)
    if not flat:
        raise FileError(f"{reader}() was given no file.", f'Name files or a glob: {reader}("folder/*").')
    for pattern in flat:
        for path in _matching(pattern, reader):
            found.setdefault(str(path) if isinstance(path, Fetched) else os.path.realpath(path), path)
    return sorted(found.values(), key=str)


#: what makes a table of a frame, by the function that reads files
FROM_FRAME = {
    "read_runs": "ds.Runs.from_frame(frame)",
    "read_judgments": "ds.Judgments.from_frame(frame)",
    "read_clicks": "ds.Clicks.from_frame(frame)",
    "read_preferences": "ds.Preferences.from_frame(frame)",
    "read_features": "ds.Features.from_arrays(X, y, group)",
}


def refuse_table(given: object, reader: str) -> None:
    """Refuse a frame, an Arrow table, or columns as a dict where files are named, and say what takes it."""
    columns = isinstance(given, Mapping) and any(not isinstance(v, str | os.PathLike) for v in given.values())
    frame = hasattr(given, "columns") or hasattr(given, "__arrow_c_stream__")
    if not columns and not frame:
        return
    call = FROM_FRAME.get(reader)
    raise FileError(
        f"{reader}() reads files, and was given a {type(given).__name__}.",
        f"Make a table of it: {call}" if call else "Give it to the verb as it is.",
        *(["Or give it to the verb as it is: every verb takes frames and dicts."] if call else []),
    )


def _matching(pattern: PathLike, reader: str) -> list[Path]:
    if not isinstance(pattern, str | os.PathLike):
        raise FileError(f"{reader}() was given {pattern!r}, which is not a path.", f'Name files: {reader}("folder/*").')
    if isinstance(pattern, Fetched):
        return [pattern]
    text = os.path.expanduser(os.fspath(pattern))
    if "\0" in text:
        raise FileError(f"{text!r} is not a file name: it holds a NUL character.")
    folder = _folder_elsewhere(text)
    if folder is None and is_elsewhere(text):
        return fetched(text, reader)
    path = folder or Path(text)
    text = str(path)
    converted = converted_side(path, reader)
    if converted is not None:
        return converted[0].paths(converted[1])
    if path.is_dir():
        return _inside(path)
    if os.path.exists(text):
        return [path]
    if glob.has_magic(text):
        hits = [Path(p) for p in sorted(glob.glob(text, recursive=True))]  # of a file and a link to it the first counts
        files = [p for p in hits if not p.is_dir()]
        if files:
            return files
        only = f" but directories ({hits[0]} …)" if hits else ""
        raise FileError(
            f"nothing{only} matches {text!r}.",
            f"Files are looked for from {os.getcwd()}; quote the glob or name the files.",
        )
    raise FileError(f"{text} does not exist.", _similar(path))


def _folder_elsewhere(text: str) -> Path | None:
    """What stands here for a folder at an address, or for one side of a converted folder there."""
    if text.lower().startswith("file://"):
        return Path(local_path(text))
    parent, _, name = text.rstrip("/").rpartition("/")
    if name in SIDES and not parent.endswith(":/"):
        data = folder_at(parent, NAME)
        if data is not None and (data / NAME).is_file():
            return data / name
    return folder_at(text, NAME)


def _files_in(folder: Path) -> list[tuple[Path, tuple[str, ...]]]:
    """Every file of a folder and of those in it, with the names of its path inside, in the order of their paths."""
    there = listing_of(folder)
    if there is None:
        return [(p, p.relative_to(folder).parts) for p in sorted(folder.rglob("*")) if p.is_file()]
    return [(there.file(inside), Path(inside).parts) for inside in sorted(there.sizes)]


def _inside(folder: Path) -> list[Path]:
    """The files of a folder and of those in it; hidden ones are no data."""
    files = _files_in(folder)
    seen = [path for path, inside in files if not any(part.startswith((".", "_")) for part in inside)]
    if not seen:
        hidden = f" but {counted(len(files), 'hidden file')}" if files else ""
        there = listing_of(folder)
        raise FileError(
            f"the folder {folder if there is None else there.address} holds nothing{hidden}.",
            "Name files, or a folder of them.",
        )
    return seen


def _similar(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"There is no folder {folder} either; paths are relative to {os.getcwd()}."
    names = sorted(p.name for p in folder.iterdir())
    close = difflib.get_close_matches(path.name, names, n=3, cutoff=0.6)
    if close:
        return f"Did you mean {' or '.join(str(folder / c) for c in close)}?"
    return f"{'The current folder' if str(folder) == '.' else folder} holds {', '.join(names[:5]) or 'nothing'}" + (
        f" … ({len(names):,} files)." if len(names) > 5 else "."
    )


def stem(path: Path, *, qrels: bool = False) -> str:
    """The name a file gives its system or assessor: without `.gz` or `.zst`, then without one usual ending.

    >>> stem(Path("runs/input.bm25.v2.run.gz"))
    'input.bm25.v2'
    """
    name = path.name
    packed = packing(path)
    if packed and len(name) > len(packed):
        name = name[: -len(packed)]
    for ending in ENDINGS + (QRELS_ENDINGS if qrels else ()):
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name


def kind(path: Path) -> str:
    """The format a file's name announces: csv, tsv, jsonl, json, parquet, arrow, or trec for everything else."""
    name = path.name.lower().removesuffix(packing(path))
    return next((format for ending, format in _FORMATS.items() if name.endswith(ending)), "trec")


def looks_like_json(path: Path) -> bool:
    """Does the file begin as JSON does? A line of a run or of qrels whose topic begins with a bracket does not."""
    if kind(path) in ("json", "jsonl"):
        return True
    if kind(path) != "trec" or not path.is_file():
        return False
    with open(path, "rb") as file:
        start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] not in (b"{", b"["):
        return False
    words = start.partition(b"\n")[0].decode("utf-8", "replace").split()
    number = {6: 4, 4: 3}.get(len(words))  # where a run has its score, and qrels their grade
    return number is None or NUMBER.fullmatch(words[number]) is None


def is_small(files: Iterable[Path]) -> bool:
    """Are the files together so small that the plain readers are done before a kernel is compiled or loaded?"""
    size = 0
    for path in files:
        try:
            size += path.stat().st_size * (UNPACKS if packing(path) else 1)
        except OSError:
            return True  # the reader will say why
    return size < SMALL


def refuse_too_large(files: Iterable[Path]) -> None:
    """Refuse files of text that do not fit into memory together."""
    size = 0
    for path in files:
        if kind(path) not in ("parquet", "arrow") and path.is_file():
            size += path.stat().st_size * (UNPACKS if packing(path) else 1)
    with_room(
        round(IN_MEMORY * size), f"reading {readable(size)} of text at once",
        "Convert the files first, which takes less than 1 GB: dissensus convert FILES -o data/. Then name data/.",
    )  # fmt: skip


def packing(path: Path) -> str:
    """The ending that says how a file is packed: .gz, .zst, or none."""
    return next((ending for ending in PACKED if path.name.lower().endswith(ending)), "")


def named_files(given: Iterable[object], reader: str) -> list[tuple[Path, str | None]]:
    """(file, name or None) of paths, globs, "NAME=FILE" and {name: file}, in the order of the files' names."""
    plain: list[Any] = []
    named: list[tuple[str, PathLike]] = []
    for one in given:
        refuse_table(one, reader)
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


@dataclass(frozen=True)
class InputFile:
    """A file that is read: what the user calls it, and the folder that was given instead of it."""

    path: Path
    name: str | None = None
    root: Path | None = None

    @property
    def constants(self) -> dict[str, str]:
        """Columns that the folders of a partitioned dataset name: `runs/system=bm25/part-0.parquet`."""
        inside = self.path.relative_to(self.root).parts[:-1] if self.root else ()
        return dict(part.split("=", 1) for part in inside if "=" in part)

    @property
    def dataset(self) -> Path:
        """What was given: the folder, or the file itself."""
        return self.root or self.path


def input_files(given: Iterable[Any], reader: str) -> list[InputFile]:
    """Every file behind paths, globs, names and folders of Parquet files, in the order of the files' names."""
    flat: list[Any] = []
    for one in given:
        refuse_table(one, reader)
        plain = isinstance(one, str | os.PathLike | Mapping) or not isinstance(one, Iterable)
        flat += [one] if plain else list(one)
    folders = {one: _parquet_in(one, reader) for one in flat if isinstance(one, str | os.PathLike)}
    found = [
        InputFile(path, None, _folder_elsewhere(os.fspath(one)) or Path(one))
        for one, paths in folders.items()
        for path in paths
    ]
    rest = [one for one in flat if isinstance(one, Mapping) or not folders.get(one)]
    if rest or not found:
        found += [InputFile(path, name) for path, name in named_files(rest, reader)]
    return sorted(found, key=lambda file: str(file.path))


def _parquet_in(folder: PathLike, reader: str) -> list[Path]:
    path = _folder_elsewhere(os.fspath(folder)) or Path(folder)
    converted = converted_side(path, reader)
    if converted is not None:
        return converted[0].paths(converted[1])
    return [p for p, _ in _files_in(path) if p.name.endswith(".parquet")] if path.is_dir() else []


def _sort(one: object, plain: list[object], named: list[tuple[str, PathLike]]) -> None:
    if isinstance(one, str) and "=" in one and not Path(one).exists():
        name, sign, path = one.partition("=")
        if sign and name and path and not set(name) & set("/\\*?["):
            named.append((name, path))
            return
    plain.append(one)


def assessor_of(path: Path, name: str | None, assessor: str | None) -> str:
    """The one assessor of a file: as the file is named by the user, as `assessor=` says, else as the file is called."""
    return name or (stem(path, qrels=True) if assessor in (None, "file", "column") else str(assessor))


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
