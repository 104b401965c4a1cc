"""Rows on their way from files to parts: a file for each part, to which blocks of rows are appended.

Whatever ends the process, work goes on from the last step that was noted. `progress.json` gives the length of every
bucket and the place in the file that was read. What lies behind that is cut off. Memory is that of one block.
"""

from __future__ import annotations

import io
import json
import os
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.errors import FileError, OutputError
from dissensus.io.converted.manifest import FOLDER, PartFile, Side, part_of
from dissensus.work.atomic import atomic
from dissensus.work.units import difference

STATE = "progress.json"
OFTEN = 1.0  # seconds between notes while parts are written
_SIZE = struct.Struct("<Q")
ELSEWHERE = "Name another folder, or remove this one to start afresh."


@dataclass
class ConversionState:
    """What of a conversion is done."""

    about: Values
    lengths: dict[str, list[int]] = field(default_factory=dict)  # bytes of every bucket
    file: int = 0  # the input that is read
    at: int = 0  # and the place in it
    line: int = 1
    rows: dict[str, int] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    comments: dict[str, int] = field(default_factory=dict)  # lines, by file
    disorder: dict[str, int] = field(default_factory=dict)
    unnamed: list[int] = field(default_factory=list)  # inputs whose rows are of whom they are named after
    grades: list[str] | None = field(default_factory=list)  # different ones, None where they are very many
    finished: dict[str, Values] = field(default_factory=dict)  # parts that are written


class Buckets:
    """The unfinished parts in a folder, and what of them is done."""

    def __init__(self, output: Path, about: Mapping[str, Any]) -> None:
        self.folder = output / FOLDER
        self.parts = int(about["parts"])
        self.over: list[Path] = []
        self.noted = time.monotonic()
        plain = json.loads(json.dumps(about))
        self.resumed = (self.folder / STATE).is_file()
        self.progress = self._resume(plain) if self.resumed else ConversionState(plain)
        if not self.resumed:
            self._begin()

    def _begin(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{self.folder.parent} cannot be written to: {error}.", ELSEWHERE) from error
        for old in self.folder.glob("*.rows"):
            old.unlink()
        self.note()

    def _resume(self, about: Values) -> ConversionState:
        path = self.folder / STATE
        try:
            found = ConversionState(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise FileError(f"{path} is damaged ({error}).", ELSEWHERE) from error
        if found.about != about:
            lines = difference(found.about, about, "in the folder")
            raise FileError(f"{self.folder.parent} holds an unfinished conversion of other work:", *lines, ELSEWHERE)
        for side, lengths in found.lengths.items():
            for part in map(int, found.finished.get(side, {})):
                lengths[part] = 0
                self._path(side, part).unlink(missing_ok=True)
            for part, length in enumerate(lengths):
                self._cut(self._path(side, part), length)
        return found

    def _cut(self, path: Path, length: int) -> None:
        """Take off what was appended after the last note."""
        size = path.stat().st_size if path.exists() else 0
        if size < length:
            raise FileError(f"{path} is damaged: it is shorter than it was written.", ELSEWHERE)
        if size > length:
            os.truncate(path, length)

    def _path(self, side: str, part: int) -> Path:
        return self.folder / f"{side}-{part:05}.rows"

    def note(self) -> None:
        """Note what is done, and remove the buckets of parts that are written."""
        with atomic(self.folder / STATE) as file:
            json.dump(vars(self.progress), file, ensure_ascii=False)
        self.noted = time.monotonic()
        for path in self.over:
            path.unlink(missing_ok=True)
        self.over.clear()

    def add(self, side: Side, frame: pl.DataFrame) -> None:
        """Append the rows of a frame to the buckets of their topics."""
        stretches = frame["topic"].rle().struct
        names = stretches.field("value").to_list()
        known = {name: part_of(name, self.parts) for name in set(names)}
        part = np.fromiter(map(known.__getitem__, names), np.uint16, len(names))
        rows = np.repeat(part, stretches.field("len").to_numpy())
        order = np.argsort(rows, kind="stable")
        sorted_rows, frame = rows[order], frame[order]
        edges = np.flatnonzero(np.r_[True, np.diff(sorted_rows) != 0, True])
        lengths = self.progress.lengths.setdefault(side, [0] * self.parts)
        for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            number = int(sorted_rows[a])
            lengths[number] += self._append(self._path(side, number), frame.slice(a, b - a))
        self.progress.rows[side] = self.progress.rows.get(side, 0) + frame.height

    def _append(self, path: Path, frame: pl.DataFrame) -> int:
        data = io.BytesIO()
        frame.write_ipc_stream(data, compression="lz4")
        packed = data.getbuffer()
        try:
            with open(path, "ab") as file:
                file.write(_SIZE.pack(len(packed)))
                file.write(packed)
        except OSError as error:
            raise OutputError(
                f"{path} cannot be written: {error}.", "Make room and start again: what is converted is kept."
            ) from error
        return _SIZE.size + len(packed)

    def rows_of(self, side: Side, part: int) -> pl.DataFrame | None:
        """All rows of one part; None where it has none."""
        length = self.progress.lengths.get(side, [0] * self.parts)[part]
        frames = list(_frames(self._path(side, part), length)) if length else []
        return pl.concat(frames, rechunk=True) if frames else None

    def finished(self, side: Side, part: int, file: PartFile) -> None:
        """Note that a part is written. Its bucket goes with the next note, of which there is one a second."""
        self.progress.finished.setdefault(side, {})[str(part)] = vars(file)
        self.over.append(self._path(side, part))
        if time.monotonic() - self.noted > OFTEN:
            self.note()

    def remove(self) -> None:
        """Remove what is left; everything is converted."""
        for path in self.folder.iterdir():
            path.unlink()
        self.folder.rmdir()


def _frames(path: Path, length: int) -> Iterator[pl.DataFrame]:
    with open(path, "rb") as file:
        while file.tell() < length:
            (size,) = _SIZE.unpack(file.read(_SIZE.size))
            yield pl.read_ipc_stream(io.BytesIO(file.read(size)))
