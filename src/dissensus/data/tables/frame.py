"""The frame of an audit: with which probability every document could have been chosen, not only those that were.

The variance of rectified scores depends on all of them. Guessed from the audited ones, they cost 7 to 47 % of the width
of score intervals, and the same audit has another standard error with other runs. So a sample's file says in the
column `design` how it was drawn, and its frame lies beside it: `NAME.frame.parquet` for `NAME.csv`. The design is the
command that rebuilds the frame, and a checksum of it:

    plan -m P@10 --for scores --budget 200 --seed 0 #5f0c1d2e9a3b
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from dissensus.errors import FileError, InputError

ROLES = ("topic", "doc", "inclusion")
SUFFIX = ".frame.parquet"


@dataclass(frozen=True, eq=False)
class Frame:
    """`table`: topic, doc and inclusion of every document that could be chosen; `command` rebuilds it."""

    table: pl.DataFrame
    command: str = ""

    @property
    def design(self) -> str:
        """The command and a checksum of the probabilities."""
        return f"{self.command} #{self.checksum}".strip()

    @property
    def checksum(self) -> str:
        ordered = self.table.select(ROLES).sort("topic", "doc")
        digest = hashlib.sha256()
        for topic, doc, inclusion in ordered.iter_rows():
            digest.update(f"{topic}\t{doc}\t{inclusion!r}\n".encode())
        return digest.hexdigest()[:12]

    def scaled(self, share: float) -> Frame:
        """The same where only a share of the chosen documents was graded."""
        return Frame(self.table.with_columns(pl.col("inclusion") * share), self.command)

    def of(self, topics: pl.Series, docs: pl.Series) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """π of these documents; 0 where a document is not in the frame: it could not be chosen."""
        asked = pl.DataFrame({"topic": topics.cast(pl.String), "doc": docs.cast(pl.String)})
        found = asked.join(self.table.select(ROLES), on=["topic", "doc"], how="left", maintain_order="left")
        return np.asarray(found["inclusion"].fill_null(0.0).to_numpy(), np.float64)


def frame_path(sample: Path) -> Path:
    """Where the frame of a sample lies.

    >>> frame_path(Path("to-audit.csv.gz")).name
    'to-audit.frame.parquet'
    """
    name = sample.name
    while Path(name).suffix.lower() in (".gz", ".zst", ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"):
        name = Path(name).stem
    return sample.with_name(name + SUFFIX)


def matching(table: pl.DataFrame, design: str, source: str) -> Frame:
    """The frame in a table, if it is the one that `design` names."""
    lost = [role for role in ROLES if role not in table.columns]
    if lost:
        raise FileError(f"{source} has no column {lost[0]!r}; a frame has {', '.join(ROLES)}.", rebuild(design, source))
    frame = Frame(table.with_columns(pl.col("topic", "doc").cast(pl.String), pl.col("inclusion").cast(pl.Float64)))
    bad = frame.table.filter(~pl.col("inclusion").is_between(0.0, 1.0) | pl.col("inclusion").is_nan())
    if bad.height:
        raise InputError(
            f"{source}: topic {bad['topic'][0]}, document {bad['doc'][0]} has the inclusion probability "
            f"{bad['inclusion'][0]}; it must be at least 0 and at most 1.", rebuild(design, source)
        )  # fmt: skip
    _, _, checksum = design.rpartition("#")
    if frame.checksum != checksum:
        raise InputError(
            f"{source} is not the frame of design {design}: its checksum is {frame.checksum}.",
            rebuild(design, source),
        )
    return Frame(frame.table, design.rpartition("#")[0].strip())


def rebuild(design: str, frame: str) -> str:
    """The command that rebuilds a frame, from the runs and labels that the audit was planned with."""
    command = design.rpartition("#")[0].strip() or "plan"
    if not command.startswith("plan"):  # the demo writes its files itself
        return f"Write the files again: dissensus {command}"
    return f"Rebuild it: dissensus {command} RUNS -j LABELS --frame {frame}"
