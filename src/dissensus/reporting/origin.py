"""Where a page came from: version, date, command, seed, and every file read with its checksum.

>>> made = Origin("dissensus report runs/a.run -j q.txt", "18 November 2026", 0, (("q.txt", "ab" * 32),))
>>> made.facts()[1:3]
['made 18 November 2026', 'seed 0']
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from dissensus import __version__

MANY = 4  # files in a row that a command line names whole
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip


@dataclass(frozen=True)
class Origin:
    """What made a page. `command` and `made` are empty where an analysis file, or Python, made it."""

    command: str = ""
    made: str = ""
    seed: int = 0
    inputs: tuple[tuple[str, str], ...] = ()

    def facts(self, *, files: bool = True) -> list[str]:
        """Version, date, seed and, with `files`, the number of inputs, in a few words each."""
        out = [f"dissensus {__version__}", f"made {self.made}" if self.made else "", f"seed {self.seed}"]
        if self.inputs and files:
            n = len(self.inputs)
            out.append(f"{n:,} input {'file' if n == 1 else 'files'}, checksums at the end of the page")
        return [part for part in out if part]

    @property
    def line(self) -> str:
        """The command on a line: of many files in a row the first and the last."""
        words, out, files = [*shlex.split(self.command), "-"], [], []
        for word in words:
            if not word.startswith("-") and Path(word).suffix:
                files.append(word)
                continue
            out += files if len(files) <= MANY else [files[0], "…", files[-1]]
            files = []
            out.append(word)
        return " ".join(w if w == "…" else shlex.quote(w) for w in out[:-1])

    def frame(self) -> pl.DataFrame:
        """Table file, sha256."""
        return pl.DataFrame(list(self.inputs), schema={"file": pl.String, "sha256": pl.String}, orient="row")


def today() -> str:
    """The date, for people; that of SOURCE_DATE_EPOCH where it is set, so that a page can be made again."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    day = datetime.fromtimestamp(int(seconds), UTC) if seconds.isdigit() else datetime.now(UTC)
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def checksums(files: Iterable[Path]) -> tuple[tuple[str, str], ...]:
    """Each file with the SHA-256 of its bytes; folders file by file."""
    out: dict[str, str] = {}
    for file in files:
        for part in sorted(p for p in file.rglob("*") if p.is_file()) if file.is_dir() else [file]:
            with part.open("rb") as stream:
                out[str(part)] = hashlib.file_digest(stream, "sha256").hexdigest()
    return tuple(out.items())
