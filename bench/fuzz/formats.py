# ruff: noqa: E501
"""What is mutated: a valid file of every format, how dissensus reads it, and what an oracle says it means."""

from __future__ import annotations

import gzip
import io
import json
import random
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.fuzz import oracles
from bench.fuzz.oracles import Refused

TOPICS = ["301", "302", "é7"]
DOCS = ["FT911-1", "FT911-2", "d", "LA041090-0148", "longer-than-sixteen-bytes", "ü"]
NUMBERS = ["12.5", "0.3333", "-1e-3", "7", "12.50", "1.7976931348623157e308", "0.30000000000000004"]


@dataclass(frozen=True)
class Format:
    """`make` writes a valid file, `read` is ours, `oracle` the slow truth (None: nothing else knows what it means)."""

    name: str
    file: str
    make: Callable[[random.Random], bytes]
    read: Callable[[Path], Any]
    oracle: Callable[[bytes], Any] | None = None


def _pairs(rng: random.Random, most: int = 9) -> list[tuple[str, str]]:
    every = [(t, d) for t in TOPICS for d in DOCS]
    return rng.sample(every, rng.randint(1, most))


# ── ours, in the oracle's words ──
def our_runs(path: Path) -> Any:
    import dissensus as ds

    frame = ds.read_runs(path).to_frame()
    out: dict[str, dict[str, float]] = {}
    for _, topic, doc, score in frame.iter_rows():
        out.setdefault(topic, {})[doc] = score
    return out


def our_judgments(path: Path) -> Any:
    import dissensus as ds

    return {(t, d): str(g) for t, d, _, g in ds.read_judgments(path).to_frame().iter_rows()}


def our_rows(read: str) -> Callable[[Path], Any]:
    def call(path: Path) -> Any:
        import dissensus as ds

        result = getattr(ds, read)(path)
        return str(result.to_dataframe() if hasattr(result, "to_dataframe") else result.to_frame().rows())

    return call


def our_features(path: Path) -> Any:
    import dissensus as ds

    f = ds.read_features(path)
    rows = []
    for row in range(len(f.y)):
        features = {f.first + int(c): float(v) for c, v in enumerate(f.X[row]) if v}
        rows.append((float(f.y[row]), f.topics[f.topic[row]], features))
    return rows


def letor_oracle(data: bytes) -> Any:
    rows = oracles.letor(data)
    highest = max((n for _, _, features in rows for n in features), default=0)
    if len(rows) * (highest + 1) * 8 > 4 << 30:
        raise Refused("too large")
    return [(label, query, {n: v for n, v in features.items() if v}) for label, query, features in rows]


def our_pages(path: Path) -> Any:
    import dissensus as ds

    clicks = ds.read_clicks(path)
    return sorted((q, tuple(clicks.rank[clicks.page == p].tolist())) for p, q in
                  enumerate(clicks.queries[i] for i in clicks.page_query))  # fmt: skip


def table_oracle(data: bytes, separator: str) -> Any:
    rows = oracles.table(data, separator)
    if any(set(row) != {"topic", "grade", "doc"} for row in rows):
        raise NotImplementedError  # a column was renamed: what it then means is not this oracle's business
    if any(not row[c] or any(ord(x) < 32 for x in row[c]) for row in rows for c in ("topic", "doc")):
        raise Refused("an id")
    return oracles.grades([(row["topic"], row["doc"], row["grade"]) for row in rows])


def pages_oracle(data: bytes) -> Any:
    first = data.partition(b"\n")[0].strip(b"\r\xef\xbb\xbf")
    if first != b"session,query,rank":
        raise NotImplementedError
    return sorted((query, tuple(ranks)) for (_, query), ranks in oracles.pages(data).items())


def json_lines_oracle(data: bytes) -> Any:
    out: dict[str, dict[str, float]] = {}
    for row in oracles.objects(data):
        if set(row) != {"topic", "doc", "score"}:
            raise NotImplementedError
        ids = [row["topic"], row["doc"]]
        if any(isinstance(i, bool) or not isinstance(i, str | int) for i in ids):
            raise Refused("no id")
        topic, doc = map(str, ids)
        if any(not i or i != i.strip(" ") or any(ord(c) < 32 for c in i) for i in (topic, doc)):
            raise Refused("no id")
        if isinstance(row["score"], bool) or not isinstance(row["score"], str | int | float):
            raise Refused("no score")
        docs = out.setdefault(topic, {})
        if doc in docs:
            raise Refused("twice")
        docs[doc] = oracles.finite(str(row["score"]).strip(" \t"))
    return out


# ── files ──
def trec_run(rng: random.Random) -> bytes:
    end = rng.choice(["\n", "\r\n"])
    rows = enumerate(_pairs(rng))
    return "".join(f"{t} Q0 {d} {i}\t{rng.choice(NUMBERS)}  tag{end}" for i, (t, d) in rows).encode()


def trec_qrels(rng: random.Random) -> bytes:
    return "".join(f"{t} 0 {d} {rng.choice(['0', '1', '2', '-1'])}\n" for t, d in _pairs(rng)).encode()


def table(separator: str) -> Callable[[random.Random], bytes]:
    def make(rng: random.Random) -> bytes:
        rows = [("topic", "grade", "doc"), *((t, rng.choice("012"), d) for t, d in _pairs(rng))]
        return "".join(separator.join(row) + "\n" for row in rows).encode()

    return make


def json_lines(rng: random.Random) -> bytes:
    rows = ({"topic": t, "doc": d, "score": float(rng.choice(NUMBERS))} for t, d in _pairs(rng))
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def audit(rng: random.Random) -> bytes:
    rows = "".join(f"{t},{d},{rng.choice('012')},{rng.choice(['1', '0.5', '1e-2'])}\n" for t, d in _pairs(rng))
    return f"topic,doc,grade,inclusion\n{rows}".encode()


def parquet(rng: random.Random) -> bytes:
    import polars as pl

    out = io.BytesIO()
    pairs = _pairs(rng) * 3
    pl.DataFrame({"topic": [t for t, _ in pairs], "doc": [f"{d}{i}" for i, (_, d) in enumerate(pairs)],
                  "score": [rng.random() for _ in pairs]}).write_parquet(
        out, compression=rng.choice(["zstd", "snappy", "uncompressed"]), row_group_size=rng.choice([2, 100]))  # fmt: skip
    return out.getvalue()


def features(rng: random.Random) -> bytes:
    rows = [f"{rng.randint(0, 3)} qid:{q} " + " ".join(f"{n}:{rng.choice(NUMBERS)}" for n in sorted(rng.sample(range(1, 9), 3)))
            + rng.choice(["", f" #docid = D{i}", f" # x{i} y"]) for q in "ab" for i in range(3)]  # fmt: skip
    return ("\n".join(rows) + "\n").encode()


def clicks(rng: random.Random) -> bytes:
    rows = [f"{rng.choice(['007', '7', 's'])},{rng.choice('pq')},{rng.choice(['', '1', '3', '10'])}" for _ in range(6)]
    return ("session,query,rank\n" + "\n".join(rows) + "\n").encode()


def click_log(rng: random.Random) -> bytes:
    return b"".join(
        b"s%d\t%d\tQ\tq\t1\tu1\tu2\tu3\ns%d\t%d\tC\tu%d\n" % (i, i, i, i + 4, rng.randint(1, 3)) for i in range(3)
    )


def nested(rng: random.Random) -> bytes:
    out: dict[str, dict[str, float]] = {}
    for t, d in _pairs(rng):
        out.setdefault(t, {})[d] = float(rng.choice(NUMBERS))
    return json.dumps(out).encode()


def nested_oracle(data: bytes) -> Any:
    found = oracles.nested(data)
    keys = [*found, *(d for docs in found.values() for d in docs)]
    if any(not k or k != k.strip(" ") or any(ord(c) < 32 for c in k) for k in keys):
        raise Refused("an id")
    if not any(found.values()) or any(not docs for docs in found.values()):
        raise NotImplementedError
    return {t: {d: float(v) for d, v in docs.items()} for t, docs in found.items()}


def scores(rng: random.Random) -> bytes:
    return "".join(f"map\tq{i}\t{rng.random():.4f}\n" for i in range(4)).encode()


# ── models and workspaces: a file that is taken must mean what it meant ──
@cache
def _ranker() -> tuple[bytes, Any]:
    import tempfile

    import numpy as np

    from dissensus.learning import PRank

    rng = np.random.default_rng(0)
    X, y = rng.random((12, 3)), rng.integers(0, 3, 12)
    path = Path(tempfile.mkdtemp()) / "m.json"
    ranker = PRank(seed=0).fit(X, y, [6, 6])
    ranker.save(path)
    return path.read_bytes(), ranker.predict(X).tolist()


def our_model(path: Path) -> Any:
    import numpy as np

    from dissensus.learning.rankers.model_file import load_ranker

    return load_ranker(path).predict(np.random.default_rng(0).random((12, 3))).tolist()


@cache
def _workspace() -> bytes:
    import tempfile

    from dissensus.work.units import Store

    path = Path(tempfile.mkdtemp()) / "units.sqlite"
    store = Store(path)
    store.note("t", {"what": 1})
    store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.connection.close()
    with sqlite3.connect(path) as plain:
        plain.execute("PRAGMA journal_mode=DELETE")
    return path.read_bytes()


def our_workspace(path: Path) -> Any:
    from dissensus.work.units import Store

    store = Store(path)
    try:
        return store.about("t")
    finally:
        store.connection.close()


def _doors() -> list[Format]:
    """Every door, with the test fixtures as its files."""
    import sys

    tests = Path(__file__).parents[2] / "tests"
    if str(tests) not in sys.path:
        sys.path.append(str(tests))
    from door_files import DOORS

    reader = {"runs": "read_runs", "judgments": "read_judgments", "scores": "read_scores"}
    out = []
    for door, (plain, awkward, _) in DOORS.items():
        for file, content, kind, _ in (plain, awkward):
            data = content.encode()
            out.append(Format(f"door: {door}", file, lambda rng, data=data: data, our_rows(reader[kind])))  # type: ignore[misc]
    return out


def formats() -> list[Format]:
    """All formats that dissensus reads."""
    return [
        Format("TREC run", "a.run", trec_run, our_runs, oracles.run),
        Format("TREC run, gzip", "a.run.gz", lambda rng: gzip.compress(trec_run(rng), mtime=0), our_runs, _unpacked(oracles.run)),
        Format("qrels", "a.qrels", trec_qrels, our_judgments, oracles.qrels),
        Format("CSV", "a.csv", table(","), our_judgments, lambda d: table_oracle(d, ",")),
        Format("TSV", "a.tsv", table("\t"), our_judgments, _tsv_oracle),
        Format("JSON lines", "a.jsonl", json_lines, our_runs, json_lines_oracle),
        Format("nested JSON", "a.json", nested, our_runs, nested_oracle),
        Format("Parquet", "a.parquet", parquet, our_runs),
        Format("audit", "a.csv", audit, our_rows("read_audit")),
        Format("LETOR", "a.txt", features, our_features, letor_oracle),
        Format("clicks, table", "a.csv", clicks, our_pages, pages_oracle),
        Format("clicks, log", "a.tsv", click_log, our_rows("read_clicks")),
        Format("scores", "a.txt", scores, our_rows("read_scores")),
        Format("model", "m.json", lambda rng: _ranker()[0], our_model, lambda d: _ranker()[1]),
        Format("workspace", "units.sqlite", lambda rng: _workspace(), our_workspace),
        *_doors(),
    ]  # fmt: skip


def _tsv_oracle(data: bytes) -> Any:
    first = data.partition(b"\n")[0].split(b"\t")
    if len(first) == 4:
        raise NotImplementedError  # perhaps a qrels file with tabs
    return table_oracle(data, "\t")


def _unpacked(oracle: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def call(data: bytes) -> Any:
        try:
            plain = gzip.decompress(data)
        except Exception as error:
            raise Refused(str(error)) from error
        return oracle(plain)

    return call
