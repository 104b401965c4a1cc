"""What a converted folder holds: `manifest.json`, from which everything that reads the folder plans its work.

    data/manifest.json                     what is there: parts, rows, names, scale, checksums
    data/runs/part-00000.parquet           system, topic, doc, score
    data/judgments/part-00000.parquet      topic, doc, assessor, grade

Rows are divided by topic, on all sides alike: topic t is in part crc32(t) mod n. So part 7 of the runs and part 7 of
the judgments hold whole topics. Nothing else is needed to score them. A part that is missing is refused. So is one
that is not as it was written.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from dissensus.arrays import Values
from dissensus.errors import FileError
from dissensus.io.elsewhere import listing_of
from dissensus.tables.scale import Scale
from dissensus.work.atomic import atomic

NAME = "manifest.json"
FOLDER = "unfinished"  # while it is converted
SCHEMA = 1
HASH = "crc32 of the topic, modulo the number of parts"
Side = Literal["runs", "judgments", "preferences", "scores"]
SIDES: tuple[Side, ...] = ("runs", "judgments", "preferences", "scores")
#: which side of a folder a reader reads
READS: dict[str, Side] = {
    "read_runs": "runs", "read_judgments": "judgments", "read_preferences": "preferences", "read_scores": "scores",
}  # fmt: skip
_NAMED: dict[str, Side] = {side: side for side in SIDES}
AGAIN = "Convert the files again."


@dataclass(frozen=True)
class PartFile:
    """One Parquet file of a folder: the part it is, and what tells it from a damaged one."""

    part: int
    path: str  # inside the folder
    rows: int
    topics: int
    bytes: int
    sum: str


@dataclass(frozen=True)
class Contents:
    """One side of a folder."""

    rows: int
    topics: int
    names: tuple[str, ...]  # of its systems or assessors
    files: tuple[PartFile, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Manifest:
    """What a converted folder holds."""

    folder: Path
    parts: int
    sides: dict[Side, Contents]
    scale: Scale | None = None
    grades: tuple[tuple[str, str, int], ...] = ()  # (assessor, grade, how often)
    inputs: tuple[Values, ...] = ()
    version: str = ""
    sums: dict[str, PartFile] = field(default_factory=dict, compare=False, repr=False)

    def side(self, side: Side) -> Contents:
        """One side; an error where the folder does not have it."""
        if side not in self.sides:
            there = ", ".join(self.sides) or "nothing"
            raise FileError(
                f"{self.folder} holds no {side}. It holds {there}.", "Convert them together: dissensus convert."
            )
        return self.sides[side]

    def paths(self, side: Side) -> list[Path]:
        """The files of one side; all of them are there, and as large as they were written."""
        found = []
        for file in self.side(side).files:
            there = listing_of(self.folder)
            path = self.folder / file.path if there is None else there.file(file.path)
            try:
                size = path.stat().st_size if there is None else there.sizes[file.path]
            except (OSError, KeyError):
                raise FileError(f"{path} is missing, and {NAME} lists it.", AGAIN) from None
            if size != file.bytes:
                raise FileError(f"{path} is damaged: it has {size:,} bytes, {file.bytes:,} were written.", AGAIN)
            found.append(path)
        return found

    def write(self) -> None:
        """Write the manifest; the folder counts as converted from now on."""
        scale = self.scale
        sides: Values = {
            side: {**vars(c), "notes": list(map(str, c.notes)), "files": [vars(f) for f in c.files]}
            for side, c in self.sides.items()
        }
        plain: Values = {
            "schema": SCHEMA,
            "dissensus": self.version,
            "hash": HASH,
            "parts": self.parts,
            "scale": None
            if scale is None
            else {
                "names": scale.names,
                "low": scale.low,
                "declared": scale.declared,
                "ordered": scale.ordered,
                "binned": scale.binned,
            },
            "inputs": self.inputs,
            **sides,
            "grades": self.grades,
        }
        with atomic(self.folder / NAME) as file:
            json.dump(plain, file, ensure_ascii=False, indent=1)


def part_of(topic: str, parts: int) -> int:
    """The part in which a topic is, on every side and in every version.

    >>> part_of("301", 8)
    2
    """
    return zlib.crc32(topic.encode("utf-8", "surrogatepass")) % parts


def checksum(data: Any) -> str:
    """A checksum of the bytes of a part."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def is_converted(folder: Path) -> bool:
    """Does a folder hold a manifest of ours? Other tools call files so, too. An interrupted conversion is refused."""
    if (folder / FOLDER).is_dir() and not (folder / NAME).is_file():
        raise FileError(
            f"the conversion into {folder} was interrupted.", "Give the same dissensus convert again: it goes on."
        )
    return _looks_ours(folder / NAME)


def converted_side(given: Path, reader: str) -> tuple[Manifest, Side] | None:
    """What a reader reads of a converted folder: its own side, or the one that is named (`data/runs`)."""
    if not given.is_dir():
        return None
    if is_converted(given):
        manifest, side = manifest_of(given), READS.get(reader, "runs")
        instead = side == "judgments" not in manifest.sides and "preferences" in manifest.sides
        return manifest, "preferences" if instead else side
    folder, named = given.absolute().parent, _NAMED.get(given.name)
    return (manifest_of(folder), named) if named is not None and is_converted(folder) else None


def manifest_of(folder: Path) -> Manifest:
    """The manifest of a converted folder."""
    path = folder / NAME
    try:
        state = path.stat()
    except OSError:
        raise FileError(f"{folder} holds no {NAME}: it was not converted, or not to its end.", AGAIN) from None
    return _read(path, state.st_mtime_ns, state.st_size)


def manifest_for(path: Path) -> tuple[Manifest, PartFile] | None:
    """The manifest that lists a file, and what it says of it; None for files that are not part of such a folder."""
    folder = path.parent.parent
    if path.parent.name not in SIDES or not is_converted(folder):
        return None
    manifest = manifest_of(folder)
    inside = f"{path.parent.name}/{path.name}"
    return (manifest, manifest.sums[inside]) if inside in manifest.sums else None


def side_of(file: PartFile) -> Side:
    """The side of a folder that a part belongs to."""
    return next(side for side in SIDES if file.path.startswith(f"{side}/"))


def refuse_changed(path: Path, data: object) -> None:
    """Refuse the bytes of a part of a converted folder that are not those that were written."""
    listed = manifest_for(path)
    if listed is not None and checksum(data) != listed[1].sum:
        raise FileError(f"{path} is damaged: its checksum is not the one in {NAME}.", AGAIN)


def _looks_ours(path: Path) -> bool:
    try:
        with open(path, encoding="utf-8") as file:
            start = file.read(200)
    except (OSError, UnicodeDecodeError):
        return False
    return '"dissensus"' in start and '"schema"' in start


@lru_cache(maxsize=8)
def _read(path: Path, changed: int, size: int) -> Manifest:
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        if plain["schema"] != SCHEMA:
            raise FileError(
                f"{path} was written by dissensus {plain['dissensus']}, with schema {plain['schema']}. This version "
                f"reads schema {SCHEMA}.",
                AGAIN,
            )
        return _manifest(path.parent, plain)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path} is damaged ({type(error).__name__}: {error}).", AGAIN) from error


def _manifest(folder: Path, plain: Mapping[str, Any]) -> Manifest:
    sides = {side: _contents(plain[side]) for side in SIDES if side in plain}
    scale = plain["scale"]
    return Manifest(
        folder, int(plain["parts"]), sides,
        None if scale is None else Scale(**{**scale, "names": tuple(scale["names"])}),
        tuple((str(a), str(g), int(n)) for a, g, n in plain["grades"]), tuple(plain["inputs"]),
        str(plain["dissensus"]), {f.path: f for c in sides.values() for f in c.files},
    )  # fmt: skip


def _contents(plain: Mapping[str, Any]) -> Contents:
    files = tuple(PartFile(**one) for one in plain["files"])
    return Contents(int(plain["rows"]), int(plain["topics"]), tuple(plain["names"]), files, tuple(plain["notes"]))


def names_in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names of systems or assessors, each once."""
    return tuple(sorted(set(names)))
