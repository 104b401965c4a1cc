"""Readers beside pytrec_eval's parser: nanoseconds a line, on generated files."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pytrec_eval

import dissensus as ds
from bench.rows import Row, best_of
from bench.trec_shaped import write_collection


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        runs, qrels = write_collection(
            Path(folder), systems=8, topics=250, depth=1000, pool=2000, corpus=500_000, relevant=0.1
        )
        ds.read_runs(runs[0]), ds.read_judgments(qrels)  # compiled, or loaded from the cache
        return [
            plain(runs),
            one_core(runs[0]),
            zipped(runs[0]),
            judged(qrels),
        ]


def theirs(path: Path) -> float:
    def parse() -> None:
        with path.open() as file:
            pytrec_eval.parse_run(file)

    return best_of(2, parse)


def plain(runs: list[Path]) -> Row:
    lines = 250_000 * len(runs)
    ours = best_of(5, lambda: ds.read_runs(*runs))
    peer = theirs(runs[0]) * len(runs)
    note = f"{1e9 * ours / lines:.0f} ns a line, all cores; peer {1e9 * peer / lines:.0f}, timed on one file"
    return Row(f"read {len(runs)} run files, {lines:,} lines", ours, "pytrec_eval.parse_run", peer, 10, note)


def one_core(path: Path) -> Row:
    ours = best_of(7, lambda: ds.read_runs(path))
    note = f"{1e9 * ours / 250_000:.0f} ns a line, one core"
    return Row("read one run file, 250,000 lines", ours, "pytrec_eval.parse_run", theirs(path), 8, note)


def zipped(path: Path) -> Row:
    packed = path.with_suffix(".run.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    ours = best_of(3, lambda: ds.read_runs(packed))

    def parse() -> None:
        with gzip.open(packed, "rt") as file:
            pytrec_eval.parse_run(file)

    return Row("the same, gzipped", ours, "pytrec_eval.parse_run", best_of(2, parse), None, "unpacking is most of it")


def judged(qrels: Path) -> Row:
    ours = best_of(3, lambda: ds.read_judgments(qrels))

    def parse() -> None:
        with qrels.open() as file:
            pytrec_eval.parse_qrel(file)

    lines = 250 * 2000
    note = f"{1e9 * ours / lines:.0f} ns a line, sorted into items"
    return Row(f"read qrels, {lines:,} lines", ours, "pytrec_eval.parse_qrel", best_of(2, parse), None, note)
