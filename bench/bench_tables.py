"""Tables and packed text beside plain text: files → scores and files → judgments, in nanoseconds a row.

Seconds are by the clock, best of several; the note has the processor time of all threads, which other work on the
machine does not spoil. On two cores 120 ns by the clock are at most 240 of processor time.
"""

from __future__ import annotations

import gzip
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa
import zstandard

import dissensus as ds
from bench.rows import Row, best_of_both
from bench.trec_shaped import write_collection

SYSTEMS, TOPICS, DEPTH, POOL = 8, 250, 1000, 2000
ROWS, LABELS = SYSTEMS * TOPICS * DEPTH, TOPICS * POOL
GOAL = 240  # ns of processor time a row
MEASURES = ["AP", "nDCG@10"]


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        runs, qrels = write_collection(
            Path(folder), systems=SYSTEMS, topics=TOPICS, depth=DEPTH, pool=POOL, corpus=500_000, relevant=0.1
        )
        tables = [frame_of(path, ("topic", "doc", "score"), (0, 2, 4)) for path in runs]
        labels = frame_of(qrels, ("topic", "doc", "grade"), (0, 2, 3))
        forms = written(Path(folder), runs, qrels, tables, labels)
        judged = [("text", qrels), *((name, j) for name, (_, j) in forms.items() if isinstance(j, Path))]
        return [
            *(scored(name, *form) for name, form in (("text", (runs, qrels)), *forms.items())),
            *(read(f"judgments, {name}", LABELS, lambda path=path: ds.read_judgments(path)) for name, path in judged),
            *packed(runs[0]),
        ]


def frame_of(path: Path, names: tuple[str, ...], places: tuple[int, ...]) -> pl.DataFrame:
    table = pl.read_csv(path, separator=" ", has_header=False)
    picked = pl.DataFrame({name: table.to_series(place) for name, place in zip(names, places, strict=True)})
    return picked.with_columns(pl.col("topic").cast(pl.String))


def written(folder: Path, runs: list[Path], qrels: Path, tables: list[pl.DataFrame], labels: pl.DataFrame) -> dict:
    """{name: (runs, judgments)} in every form, from the same rows."""
    writers: dict[str, Callable[[pl.DataFrame, Path], object]] = {
        "Parquet, ids as text": lambda t, p: t.write_parquet(p.with_suffix(".parquet")),
        "Parquet, ids as numbers": lambda t, p: numbered(t).write_parquet(p.with_suffix(".parquet")),
        "Arrow": lambda t, p: t.write_ipc(p.with_suffix(".arrow")),
        "Feather, LZ4": lambda t, p: t.write_ipc(p.with_suffix(".feather"), compression="lz4"),
    }
    forms: dict = {}
    for name, write in writers.items():
        place = folder / name
        place.mkdir()
        for table, path in zip((*tables, labels), (*runs, qrels), strict=True):
            write(table, place / path.name)
        *files, judged = (next(place.glob(f"{path.stem}.*")) for path in (*runs, qrels))
        forms[name] = (files, judged)
    together = pl.concat([t.with_columns(system=pl.lit(p.stem)) for t, p in zip(tables, runs, strict=True)])
    one = {"assessor": pl.lit("qrels")}
    forms["Arrow tables in memory"] = (together.to_arrow(), labels.with_columns(**one).to_arrow())
    return forms


def numbered(table: pl.DataFrame) -> pl.DataFrame:
    digits = pl.col("doc").str.replace_all(r"\D", "").cast(pl.Int64)
    return table.with_columns(pl.col("topic").cast(pl.Int64), digits)


def scored(name: str, runs: list[Path] | pa.Table, judgments: Path | pa.Table) -> Row:
    def score() -> object:
        given = ds.read_runs(*runs) if isinstance(runs, list) else runs
        return ds.evaluate(given, ds.read_judgments(judgments) if isinstance(judgments, Path) else judgments, MEASURES)

    return read(f"{SYSTEMS} runs and judgments → AP, nDCG@10, {name}", ROWS, score, goal=True)


def read(what: str, rows: int, work: Callable[[], object], *, goal: bool = False) -> Row:
    work()  # compiled, or loaded from the cache
    wall, busy = best_of_both(5, work)
    kept = f"; goal {GOAL}: {'kept' if 1e9 * busy / rows <= GOAL else 'MISSED'}" if goal else ""
    note = f"{1e9 * wall / rows:.0f} ns a row by the clock, {1e9 * busy / rows:.0f} of processor time{kept}"
    return Row(f"{what}: {rows:,} rows", wall, note=note)


def packed(path: Path) -> list[Row]:
    """One run file as it is, and packed, beside unpacking alone."""
    data = path.read_bytes()
    rows = [read("one run file, text", TOPICS * DEPTH, lambda: ds.read_runs(path))]
    zipped, unzip = gzip.compress(data), lambda b: zlib.decompress(b, 31)
    pressed, press = zstandard.ZstdCompressor().compress(data), lambda b: zstandard.ZstdDecompressor().decompress(b)
    for ending, bytes_, unpack in ((".gz", zipped, unzip), (".zst", pressed, press)):
        file = path.with_name(path.name + ending)
        file.write_bytes(bytes_)
        row = read(f"one run file, {ending}", TOPICS * DEPTH, lambda file=file: ds.read_runs(file))
        alone, busy = best_of_both(5, lambda b=bytes_, u=unpack: u(b))
        note = f"{row.note}; unpacking alone {1e9 * busy / (TOPICS * DEPTH):.0f}"
        rows.append(Row(row.what, row.ours_seconds, "unpacking alone", alone, note=note))
    return rows
