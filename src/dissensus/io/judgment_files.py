"""Qrels files to Judgments through the scanner; None where a file needs the exact reader."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.engine.join.concatenate import common_names
from dissensus.io.contents import contents
from dissensus.io.files import assessor_of
from dissensus.io.judgment_rows import FEW
from dissensus.io.trec import QRELS_COLUMNS, lines_of_rows
from dissensus.tables.grades import ScaleLike, grades_of
from dissensus.tables.ids import IdText
from dissensus.tables.judgment_table import Repeated, settle, skipped
from dissensus.tables.judgments import Judgments
from dissensus.tables.large_frames import Coded, grouped_fields
from dissensus.work.threads import on_threads

if TYPE_CHECKING:
    from dissensus.engine.trec_scan import Scanned


def qrels_judgments(
    named: Sequence[tuple[Path, str | None]], assessor: str | None, scale: ScaleLike, repeated: Repeated
) -> Judgments | None:
    """The judgments of qrels files with numbers as grades, or None."""
    from dissensus.engine.trec_scan import scan_trec

    files = [path for path, _ in named]
    scans = on_threads(lambda path: scan_trec(path, "qrels"), files)
    parts = [s for s in scans if s is not None]
    if len(parts) < len(files):
        return None
    rows_before = np.r_[0, np.cumsum([len(s.key) for s in parts])]

    def place(row: int) -> str:
        number = int(np.searchsorted(rows_before, row, side="right")) - 1
        path, at = files[number], row - int(rows_before[number])
        return f"{path}:{lines_of_rows(contents(path), path, [at], QRELS_COLUMNS)[0]}"

    topics, topic = _coded([s.topics for s in parts], [s.topic_row for s in parts], parts)
    if assessor == "column":
        assessors, who = _coded([s.names for s in parts], [s.name_row for s in parts], parts)
    else:
        names = [[assessor_of(path, name, assessor)] for path, name in named]
        assessors, who = _coded(names, [np.zeros(1, np.int64)] * len(files), parts)
    values = np.concatenate([s.value for s in parts]).astype(np.int32)
    grades, found = grades_of(pl.Series(values), who, assessors, scale, place)

    text_before = np.r_[0, np.cumsum([len(s.ids) for s in parts])]
    text = np.concatenate([*(s.ids for s in parts), np.zeros(8, np.uint8)])
    start = np.concatenate([s.start.astype(np.int64) + b for s, b in zip(parts, text_before[:-1], strict=True)])
    length = np.concatenate([s.length for s in parts])
    key = np.concatenate([s.key for s in parts])
    fields, order = grouped_fields((topics, topic), (assessors, who), grades, IdText(text, start, length, key))
    result = Judgments(**fields, scale=found, notes=skipped(sum(s.comments for s in parts)))
    numbered = len(result.topics) == len(result) >= 2 * FEW
    crowd = repeated == "error" and result.n_repeats() * 10 >= max(len(result), 10 * FEW)
    if assessor != "column" and (crowd or numbered):
        return None  # many people's votes without their names: the exact reader says so
    return settle(result, repeated, lambda row: place(int(order[row])))


def _coded(names: Sequence[list[str]], starts: Sequence[NDArray[np.int64]], parts: Sequence[Scanned]) -> Coded:
    """(vocabulary in natural order, code of every row) of names that begin at some rows of each part."""
    vocabulary, codes = common_names(names)
    lengths = [np.diff(np.r_[rows, len(s.key)]) for rows, s in zip(starts, parts, strict=True)]
    return vocabulary, np.repeat(np.concatenate(codes).astype(np.int32), np.concatenate(lengths))
