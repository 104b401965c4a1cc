"""The crowd labels of the TREC 2010 Relevance Feedback track, as they were released, and what S1 printed of them."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import polars as pl

from dissensus.errors import FileError
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale

SCALE = Scale(("Non", "Rel", "HRel"))
MIN_LABELS = 6  # the paper keeps documents with six labels or more
COLUMNS = ("topicID", "workerID", "docID", "gold", "label")
# S1 Table 1: (M, N) → (experimental, predicted) weight of Rel
TABLE_1 = {(1, 3): (0.49, 0.51), (2, 3): (0.10, 0.09), (2, 4): (0.23, 0.21), (2, 5): (0.35, 0.35)}


def is_rf10(path: str | Path) -> bool:
    """Does a file begin with the header of the release?"""
    file = Path(path)
    if not file.is_file():
        return False
    try:
        with gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb") as lines:
            return lines.readline(200).decode("utf-8", "replace").split() == list(COLUMNS)
    except OSError:  # called .gz, but is not
        return False


def read_rf10(path: str | Path) -> Judgments:
    """Workers and NIST as assessors on one scale; repeated labels are kept, broken links (−2) are no grades."""
    if not is_rf10(path):
        raise FileError(f"{path} is not the release of the crowd labels.", f"Its header is {' '.join(COLUMNS)}.")
    frame = pl.read_csv(path, separator="\t", schema_overrides=dict.fromkeys(COLUMNS, pl.String))
    workers = frame.select(topic="topicID", doc="docID", assessor="workerID", grade=pl.col("label").cast(pl.Int64))
    nist = (
        frame.filter(pl.col("gold").cast(pl.Int64) >= 0)
        .unique(["topicID", "docID"], maintain_order=True)
        .select(topic="topicID", doc="docID", assessor=pl.lit("NIST"), grade=pl.col("gold").cast(pl.Int64))
    )
    both = Judgments.from_frame(pl.concat([workers, nist]), repeated="keep")
    return replace(both, scale=SCALE, notes=(*both.notes, "NIST's labels are one assessor among the workers"))
