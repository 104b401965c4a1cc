"""The texts of the documents that are needed, out of a corpus of any size.

    >>> import tempfile, pathlib
    >>> corpus = pathlib.Path(tempfile.mkdtemp()) / "docs.jsonl"
    >>> _ = corpus.write_text('{"doc": "d1", "title": "Bees", "text": "They dance."}\\n{"doc": "d2", "text": "No."}\\n')
    >>> read_documents([corpus], {"d1"})["d1"].title
    'Bees'

JSONL, CSV, TSV and Parquet (columns doc, text, title, url; also their usual names), all but Parquet also packed as
.gz or .zst; or a folder with one text file per document, named after it. Files are read line by line, and only texts
that are wanted are kept: memory does not grow with the corpus.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

import polars as pl

from dissensus.errors import FileError
from dissensus.io.columnar import damage_named, refuse_damaged_file
from dissensus.io.contents import unpacking, unreadable
from dissensus.io.files import PathLike, find_files, kind
from dissensus.tables.ids import HIDDEN, refuse_hidden
from dissensus.work.progress import Progress

NAMES: Mapping[str, tuple[str, ...]] = {
    "doc": ("doc", "doc_id", "docid", "docno", "document", "document_id", "id", "_id", "pid", "passage_id"),
    "text": ("text", "contents", "content", "body", "passage"),
    "title": ("title",),
    "url": ("url", "link"),
}
LONGEST = 2_000_000  # characters of one text: more is not a document that somebody reads
LONGEST_LINE = 16 << 20  # bytes of one line: the longest text, every character escaped
ENDINGS = ("", ".txt", ".text", ".md", ".html")
_ID = re.compile(rb'"(?:%s)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)' % "|".join(NAMES["doc"]).encode())


@dataclass(frozen=True)
class Document:
    """A document as somebody reads it."""

    text: str
    title: str = ""
    url: str = ""


def read_documents(paths: Sequence[PathLike], wanted: Iterable[str]) -> dict[str, Document]:
    """{document: its text} for those of `wanted` that the files or folders hold.

    Two different texts for one document are an error that names both places.
    """
    need = set(wanted)
    found: dict[str, Document] = {}
    place: dict[str, str] = {}
    for path in paths:
        if Path(path).is_dir():
            rows = _from_folder(Path(path), need)
        else:
            rows = (row for file in find_files([path], "read_documents") for row in _from_file(file, need))
        for doc, text, where in rows:
            if doc in found and found[doc] != text:
                raise FileError(f"{place[doc]} and {where} give document {doc} different texts.", "Keep one of them.")
            found[doc], place[doc] = text, where
    return found


def _from_file(path: Path, need: set[str]) -> Iterator[tuple[str, Document, str]]:
    form = kind(path)
    if form == "jsonl":
        return _from_jsonl(path, need)
    if form in ("csv", "tsv"):
        return _from_table(path, need, "\t" if form == "tsv" else ",")
    if form == "parquet":
        return _from_parquet(path, need)
    raise FileError(
        f"{path}: documents are read from .jsonl, .csv, .tsv, .parquet, or from a folder of text files.",
        "Give the file one of these endings.",
    )


class _Watched(io.FileIO):
    """A file whose reading moves a bar."""

    def __init__(self, path: Path, bar: Progress) -> None:
        super().__init__(path)
        self._bar = bar

    def readinto(self, buffer: Any) -> int | None:
        count = super().readinto(buffer)
        self._bar.done = self.tell() >> 20
        self._bar.tick()
        return count


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A file as bytes, unpacked if it is gzip or zstd (its first bytes decide, not its name)."""
    try:
        with path.open("rb") as first:
            start = first.read(4)
        with (
            Progress("MB of texts", max(path.stat().st_size >> 20, 1)) as bar,
            io.BufferedReader(_Watched(path, bar), 1 << 17) as plain,
            unpacking(plain, start, path) as file,
        ):
            yield file
    except OSError as error:
        raise unreadable(path, error) from error


def _lines(file: IO[bytes], path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines and their numbers; a line too long for any document is refused before it fills the memory."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise FileError(
                f"{path}:{number} has more than {LONGEST_LINE >> 20} MB.", "A document is one line: split it."
            )
        yield number, line


def _from_jsonl(path: Path, need: set[str]) -> Iterator[tuple[str, Document, str]]:
    with opened(path) as file:
        for number, line in _lines(file, path):
            if _needless(line, need):
                continue
            where = f"{path}:{number}"
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise FileError(
                    f"{where}: not valid JSON ({error}).", 'A line is {"doc": "d1", "text": "…"}.'
                ) from error
            if not isinstance(row, dict):
                raise FileError(f"{where}: not an object.", 'A line is {"doc": "d1", "text": "…"}.')
            values = {role: next((row[n] for n in names if n in row), None) for role, names in NAMES.items()}
            if values["doc"] is None:
                raise FileError(f"{where} does not name its document.", f"Use one of the keys {_keys('doc')}.")
            if refuse_hidden(str(values["doc"]), "doc", where) in need:
                yield str(values["doc"]), _document(values, where), where


def _needless(line: bytes, need: set[str]) -> bool:
    """True for lines that need not be parsed: blank ones, and those whose ids are all other documents'."""
    if not line.strip():
        return True
    ids = _ID.findall(line)
    return bool(ids) and not any((name := _plain(value)) in need or HIDDEN.search(name) for value in ids)


def _plain(value: bytes) -> str:
    if value[:1] != b'"':
        return value.decode()
    try:
        return str(json.loads(value)) if b"\\" in value else value[1:-1].decode()
    except ValueError:  # not UTF-8, or a broken escape: the parser will say so if the line is needed
        return ""


def _from_table(path: Path, need: set[str], separator: str) -> Iterator[tuple[str, Document, str]]:
    with opened(path) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        limit = csv.field_size_limit(LONGEST + 1)
        try:
            quoting: Literal[0, 3] = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
            reader = csv.reader(text, delimiter=separator, strict=separator == ",", quoting=quoting)
            yield from _rows(path, reader, need)
        except (csv.Error, UnicodeDecodeError) as error:
            raise FileError(f"{path}:{reader.line_num + 1}: {error}.", "Write the file as UTF-8 CSV.") from error
        finally:
            csv.field_size_limit(limit)


def _rows(path: Path, reader: Any, need: set[str]) -> Iterator[tuple[str, Document, str]]:
    header = next(reader, None)
    if header is None:
        raise FileError(f"{path} is empty.", "Leave it out, or write it again.")
    column = {role: _index(header, names) for role, names in NAMES.items()}
    first: list[list[str]] = []
    if column["doc"] is None and column["text"] is None and len(header) == 2:  # no header: id and text
        column, first = {"doc": 0, "text": 1, "title": None, "url": None}, [header]
    for role in ("doc", "text"):
        if column[role] is None:
            raise FileError(f"{path}:1: no column holds the {role}.", f"Name it one of {_keys(role)}.")
    for row in first:
        yield from _row(path, 1, row, len(header), column, need)
    line = reader.line_num + 1
    for row in reader:
        yield from _row(path, line, row, len(header), column, need)
        line = reader.line_num + 1


def _row(
    path: Path, line: int, row: list[str], width: int, column: Mapping[str, int | None], need: set[str]
) -> Iterator[tuple[str, Document, str]]:
    if not row:
        return
    where = f"{path}:{line}"
    if len(row) != width:
        raise FileError(
            f"{where} has {len(row)} values, the first line {width}.", "Every line needs a value per column."
        )
    values = {role: None if i is None else row[i] for role, i in column.items()}
    if refuse_hidden(values["doc"] or "", "doc", where) in need:
        yield str(values["doc"]), _document(values, where), where


def _from_parquet(path: Path, need: set[str]) -> Iterator[tuple[str, Document, str]]:
    refuse_damaged_file(path)
    with damage_named(str(path)):
        scan = pl.scan_parquet(path, use_statistics=False)  # wrong ones would hide documents
        names = scan.collect_schema().names()
        column = {role: _index(names, known) for role, known in NAMES.items()}
        for role in ("doc", "text"):
            if column[role] is None:
                raise FileError(f"{path}: no column holds the {role}.", f"Name it one of {_keys(role)}.")
        chosen = {role: names[i] for role, i in column.items() if i is not None}
        frame = (
            scan.select(pl.col(c).cast(pl.String).alias(role) for role, c in chosen.items())
            .filter(pl.col("doc").is_in(sorted(need)))
            .collect(engine="streaming")
        )
    for row in frame.iter_rows(named=True):
        yield row["doc"], _document({**dict.fromkeys(NAMES), **row}, str(path)), str(path)


def _from_folder(folder: Path, need: set[str]) -> Iterator[tuple[str, Document, str]]:
    """A folder is asked for each document, and never listed: it may hold millions."""
    root = folder.resolve()
    for doc in sorted(need):
        for ending in ENDINGS:
            file = root / f"{doc}{ending}"
            if "\0" in doc or not file.is_file() or not file.resolve().is_relative_to(root):
                continue
            try:
                text = file.read_bytes().decode("utf-8-sig")
            except UnicodeDecodeError as error:
                raise FileError(f"{file} is not UTF-8: {error.reason}.", "Convert it first.") from error
            yield doc, _document({"doc": doc, "text": text, "title": None, "url": None}, str(file)), str(file)
            break


def _document(values: Mapping[str, object], where: str) -> Document:
    text = values["text"]
    if text is None or not str(text).strip():
        raise FileError(f"{where}: document {values['doc']} has no text.", f"Put it under one of {_keys('text')}.")
    if len(str(text)) > LONGEST:
        raise FileError(f"{where}: document {values['doc']} has more than {LONGEST:,} characters.", "Shorten it.")
    parts = (str(text), str(values["title"] or ""), str(values["url"] or ""))
    return Document(*(p.replace("\r\n", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}") for p in parts))


def _index(header: Sequence[str], names: tuple[str, ...]) -> int | None:
    lower = [h.strip().lower() for h in header]
    return next((lower.index(n) for n in names if n in lower), None)


def _keys(role: str) -> str:
    return ", ".join(NAMES[role])
