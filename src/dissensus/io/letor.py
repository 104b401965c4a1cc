"""LETOR / SVMlight files: `label qid:7 1:0.5 3:0.2 #docid = D1`, one document per line, plain or gzipped.

LightGBM's style, without `qid:`, keeps the number of documents of each query in a file of its own beside the data:
`rank.train` has `rank.train.query`, one number per line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import FileError, Fix, Option
from dissensus.io.contents import contents, decode
from dissensus.tables.ids import first_unseen, refuse_hidden
from dissensus.work.limits import limit, way_to_raise

_DOCID = re.compile(rb"docid\s*=\s*(\S+)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class LetorRows:
    """The rows of one file as arrays; `first` is the feature number of column 0, `line` where each row is."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    topic: list[str]
    doc: list[str]
    line: NDArray[np.int64]
    first: int
    notes: tuple[str, ...]


def read_letor(path: Path, *, queries: Path | None = None, n_features: int | None = None) -> LetorRows:
    """Read one file; every rule broken is a FileError that names file and line."""
    from dissensus.engine import letor_kernel as kernel

    data = _bytes(path)
    size = len(data)
    text = np.frombuffer(data + b"\n" * 8, np.uint8)  # the kernel looks at eight bytes at a time
    none, nothing, four = np.empty(0), np.empty((0, 2), np.int64), np.empty((0, 4), np.int64)
    status, at, to, rows, low, high, left = kernel.scan(
        text, size, 0, np.empty((0, 0)), none, nothing, nothing, nothing[:, 0].copy(), four
    )
    if status != kernel.OK:
        raise _broken(kernel, status, path, text, at, to)
    if rows == 0:
        raise FileError(f"{path} holds no rows.", "A row is: label qid:query 1:value 2:value … #docid = name")
    first = 0 if low == 0 else 1
    span = max(int(high) - first + 1, 0)
    if n_features is not None and span > n_features:
        raise FileError(
            f"{path} has a feature {high}, but {n_features} were expected, {first}…{n_features + first - 1}.",
            "Files that are used together must have the same features.",
            Fix("Raise n_features, or leave it out to take as many features as the file has.", reader="python"),
        )
    _refuse_huge(path, rows, n_features or span, int(high))
    X = np.zeros((rows, n_features or span))
    y, offset = np.empty(rows), np.empty(rows, np.int64)
    qid, comment = np.empty((rows, 2), np.int64), np.empty((rows, 2), np.int64)
    exact = np.empty((left, 4), np.int64)
    kernel.scan(text, size, first, X, y, qid, comment, offset, exact)
    for row, column, start, stop in exact.tolist():
        value = float(data[start:stop])
        if not np.isfinite(value):
            begin = max(data.rfind(blank, 0, start) for blank in (b" ", b"\t", b"\n")) + 1  # of number:value
            raise _broken(kernel, kernel.BAD_LABEL if column < 0 else kernel.BAD_VALUE, path, text, begin, stop)
        (y if column < 0 else X[:, column])[row] = value
    line = _line_numbers(text, offset)
    negative = np.flatnonzero(y < 0)
    if len(negative):
        raise FileError(
            f"{path}:{line[negative[0]]}: the label {y[negative[0]]:g} is below zero ({len(negative):,} such rows).",
            "Labels are 0 or above; leave out rows that were not judged.",
        )
    topic = _topics(path, text, qid, line, queries)
    if first_unseen(text) is not None:
        for row, name in enumerate(topic):
            refuse_hidden(name, "topic", f"{path}:{line[row]}")
    _refuse_scattered(path, topic, line)
    doc, notes = _documents(path, text, comment, topic, line)
    notes += (f"{X.shape[1]:,} features, numbered from {first}; features a row does not name are 0",)
    return LetorRows(X, y, topic, doc, line, first, notes)


def _bytes(path: Path) -> bytes:
    if path.is_dir():
        raise FileError(
            f"{path} is a folder, not a file.",
            Fix("Read a folder with folds with read_folds(folder).", reader="python"),
            Fix("Name one of the files in it.", reader="command"),
        )
    data = contents(path)
    return decode(data, path).encode() if data.strip() else data


def _refuse_huge(path: Path, rows: int, features: int, highest: int) -> None:
    """Refuse a matrix that no machine holds: one wrong feature number is enough for that."""
    size = rows * features * 8
    if size > limit("MATRIX"):
        raise FileError(
            f"{path}: {rows:,} documents with features up to number {highest} make a matrix of {size / 2**30:,.1f} GB.",
            "Is the highest feature number right?",
            way_to_raise("MATRIX", size),
        )


def _line_numbers(text: NDArray[np.uint8], offset: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted(np.flatnonzero(text == 10), offset, side="left").astype(np.int64) + 1


def _broken(kernel: object, status: int, path: Path, text: NDArray[np.uint8], at: int, to: int) -> FileError:
    token = text[at:to].tobytes().decode("utf-8", "replace")
    line = int(np.count_nonzero(text[:at] == 10)) + 1
    rule, way_out = {
        1: (
            "is not a label: a row begins with a finite number",
            "A row is: label qid:query 1:value 2:value … #docid = name",
        ),
        2: ("has no whole number before its colon", "Features are written number:value."),
        3: ("has no finite number after its colon", "Write a number, or leave the feature out (it is then 0)."),
        4: ("repeats or goes back behind the feature before it", "Feature numbers ascend within a row."),
        5: ("is neither qid:query nor number:value", "Comments begin with #."),
        6: ("names no query", "Write qid:query."),
        7: ("is a feature beyond those expected", "Files that are used together must have the same features."),
        8: ("is a second query of one row", "A row belongs to one query: qid:query once."),
    }[int(status)]
    return FileError(f"{path}:{line}: {token[:60]!r} {rule}.", way_out)


def _topics(
    path: Path, text: NDArray[np.uint8], qid: NDArray[np.int64], line: NDArray[np.int64], queries: Path | None
) -> list[str]:
    without = np.flatnonzero(qid[:, 0] < 0)
    if not len(without):
        raw = text.tobytes()
        return [raw[a:b].decode("utf-8") for a, b in qid.tolist()]
    if len(without) < len(qid):
        raise FileError(
            f"{path}:{line[without[0]]}: the row names no query, although other rows do.", "Write qid:query."
        )
    side = queries or _side_file(path)
    if side is None:
        raise FileError(
            f"{path} names no queries: neither qid: in its rows nor a file {path.name}.query beside it.",
            Fix("Give the file with the number of documents per query: ", Option("queries")),
        )
    sizes: list[int] = []
    for number, line_text in enumerate(decode(contents(side), side).split("\n"), start=1):
        word = line_text.strip()
        if word:
            if not (word.isascii() and word.isdigit() and len(word) <= 18 and int(word) > 0):
                raise FileError(f"{side}:{number}: {word[:60]!r} is not a number of documents.")
            sizes.append(int(word))
    if sum(sizes) != len(qid):
        raise FileError(f"{side} counts {sum(sizes):,} documents, {path} has {len(qid):,} rows.")
    return [str(topic) for topic, size in enumerate(sizes, start=1) for _ in range(size)]


def _side_file(path: Path) -> Path | None:
    plain = path.with_name(path.name.removesuffix(".gz") + ".query")
    sides = (plain, path.with_name(path.name + ".query"), plain.with_name(plain.name + ".gz"))
    return next((p for p in sides if p.is_file()), None)


def _refuse_scattered(path: Path, topic: list[str], line: NDArray[np.int64]) -> None:
    seen: set[str] = set()
    previous = None
    for row, name in enumerate(topic):
        if name != previous:
            if name in seen:
                raise FileError(
                    f"{path}:{line[row]}: query {name} comes back after other queries; its rows must be together.",
                    "Sort the file by query (a stable sort keeps the order of its documents).",
                )
            seen.add(name)
            previous = name


def _documents(
    path: Path, text: NDArray[np.uint8], comment: NDArray[np.int64], topic: list[str], line: NDArray[np.int64]
) -> tuple[list[str], tuple[str, ...]]:
    """Names from the comments (`#docid = D1`, or the first word); rows without one are named query.position."""
    raw = text.tobytes() if (comment[:, 0] >= 0).any() else b""
    names: list[str] = []
    made = 0
    place = 0
    for row, (a, b) in enumerate(comment.tolist()):
        place = place + 1 if row and topic[row] == topic[row - 1] else 1
        words = raw[a:b] if a >= 0 else b""
        found = _DOCID.search(words)
        word = found.group(1) if found else (words.split() or [b""])[0]
        made += not word
        names.append(word.decode("utf-8") if word else f"{topic[row]}.{place}")
    seen: dict[tuple[str, str], int] = {}
    for row, key in enumerate(zip(topic, names, strict=True)):
        if key in seen:
            raise FileError(
                f"{path}:{line[seen[key]]} and :{line[row]} both hold document {key[1]} of query {key[0]}.",
                "A query holds a document once.",
            )
        seen[key] = row
    return names, (f"{made:,} documents without a name are called query.position",) if made else ()
