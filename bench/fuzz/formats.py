# ruff: noqa: E501
"""What is mutated: a valid file of every format, how dissensus reads it, and what an oracle says it means."""

from __future__ import annotations

import gzip
import io
import json
import math
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.fuzz import door_oracles, oracles, side_files, stored
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
    may_refuse: bool = False  # a damaged file may be refused although its oracle can make sense of it


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


def our_audit(path: Path) -> Any:
    import dissensus as ds

    return {(t, d): (str(g), p) for t, d, g, p in ds.read_audit(path).to_frame().iter_rows()}


def our_log(path: Path) -> Any:
    import dissensus as ds

    clicks = ds.read_clicks(path)
    pages = range(len(clicks.page_query))
    return [(clicks.queries[clicks.page_query[p]], int(clicks.page_length[p]),
             tuple(clicks.rank[clicks.page == p].tolist())) for p in pages]  # fmt: skip


def log_oracle(data: bytes) -> Any:
    """A log has tabs and the action in its third field; anything else is looked at as a table."""
    first = next((line for line in data.split(b"\n") if line.strip()), b"").split(b"\t")
    if len(first) < 4 or first[2] not in (b"Q", b"C") or data.startswith((b"\x1f\x8b", b"\xef\xbb\xbf")):
        raise NotImplementedError
    return oracles.session_log(data)


def our_scores(path: Path) -> Any:
    import dissensus as ds

    data = ds.read_scores(path)
    return {
        (m, t): float(v)
        for m in data.data_vars
        for t, v in zip(data.topic.values, data[m].values[0, 0], strict=True)
        if v == v
    }


def parquet_oracle(data: bytes) -> Any:
    """What another library reads, where it reads anything; ids and scores in order."""
    frame = side_files.arrow(data)
    if set(frame) != {"topic", "doc", "score"} or len({len(c) for c in frame.values()}) != 1:
        raise NotImplementedError
    out: dict[str, dict[str, float]] = {}
    for topic, doc, score in zip(frame["topic"], frame["doc"], frame["score"], strict=True):
        ids = (topic, doc)
        if (
            not all(isinstance(i, str) and i and i == i.strip() and i.isprintable() for i in ids)
            or type(score) is not float
        ):
            raise NotImplementedError
        if not math.isfinite(score) or doc in out.setdefault(topic, {}):
            raise Refused("not finite, or twice")
        out[topic][doc] = score
    return out


def through_door(kind: str) -> Callable[[Path], Any]:
    """What a door's file holds, in the words of `door_oracles`."""

    def call(path: Path) -> Any:
        import dissensus as ds

        if kind == "judgments":
            return {(t, d, a): str(g) for t, d, a, g in ds.read_judgments(path, missing="skip").to_frame().iter_rows()}
        if kind == "runs":
            runs = ds.read_runs(path)
            return {(s, t): tuple(runs.ranking(s, t)) for s, t in
                    ((runs.systems[s], runs.topics[t]) for s, t in zip(runs.segment_system, runs.segment_topic, strict=True))}  # fmt: skip
        data = ds.read_scores(path)
        return {(str(s), str(t), str(m)): float(v) for m in data.data_vars for i, s in enumerate(data.system.values)
                for t, v in zip(data.topic.values, data[m].values[0, i], strict=True) if v == v}  # fmt: skip

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
    pages: list[list[Any]] = [[] for _ in clicks.page_query]
    for page, rank, stayed in zip(clicks.page.tolist(), clicks.rank.tolist(), clicks.dwell.tolist(), strict=True):
        pages[page].append((rank, None if math.isnan(stayed) else stayed))
    return sorted(((clicks.queries[q], page) for q, page in zip(clicks.page_query, pages, strict=True)), key=str)


def table_oracle(data: bytes, separator: str) -> Any:
    rows = oracles.table(data, separator)
    if any(set(row) != {"topic", "grade", "doc"} for row in rows):
        raise NotImplementedError  # a column was renamed: what it then means is not this oracle's business
    if any(not row[c] or any(ord(x) < 32 for x in row[c]) for row in rows for c in ("topic", "doc")):
        raise Refused("an id")
    return oracles.grades([(row["topic"], row["doc"], row["grade"]) for row in rows])


def pages_oracle(data: bytes) -> Any:
    first = data.partition(b"\n")[0].removeprefix(b"\xef\xbb\xbf").removesuffix(b"\r")
    if first not in (b"session,query,rank", b"session,query,rank,time"):
        raise NotImplementedError
    return sorted(((query, page) for (_, query), page in oracles.pages(data).items()), key=str)


def json_lines_oracle(data: bytes) -> Any:
    out: dict[str, dict[str, float]] = {}
    for row in oracles.objects(data):
        if set(row) != {"topic", "doc", "score"}:
            raise NotImplementedError
        ids = [row["topic"], row["doc"]]
        if any(isinstance(i, bool) or not isinstance(i, str | int) for i in ids):
            raise Refused("no id")
        topic, doc = (oracles.name(str(i)) for i in ids)
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


def arrow(rng: random.Random) -> bytes:
    """As Polars and as pyarrow write it: packed or not, texts as views, with offsets or by a dictionary."""
    import polars as pl
    import pyarrow as pa

    out = io.BytesIO()
    pairs = _pairs(rng) * 3
    frame = pl.DataFrame({"topic": [t for t, _ in pairs], "doc": [f"{d}{i}" for i, (_, d) in enumerate(pairs)],
                          "score": [rng.random() for _ in pairs]})  # fmt: skip
    if rng.random() < 0.3:
        frame = frame.with_columns(pl.col("topic").cast(pl.Categorical))
    if rng.random() < 0.5:
        frame.write_ipc(out, compression=rng.choice(["zstd", "lz4", "uncompressed"]))
        return out.getvalue()
    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    options = pa.ipc.IpcWriteOptions(compression=rng.choice([None, "zstd", "lz4"]), unify_dictionaries=True)
    with pa.ipc.new_file(out, table.schema, options=options) as file:
        file.write_table(table, max_chunksize=rng.choice([2, 100]))
    return out.getvalue()


def features(rng: random.Random) -> bytes:
    rows = [f"{rng.randint(0, 3)} qid:{q} " + " ".join(f"{n}:{rng.choice(NUMBERS)}" for n in sorted(rng.sample(range(1, 9), 3)))
            + rng.choice(["", f" #docid = D{i}", f" # x{i} y"]) for q in "ab" for i in range(3)]  # fmt: skip
    return ("\n".join(rows) + "\n").encode()


def clicks(rng: random.Random) -> bytes:
    rows = [f"{rng.choice(['007', '7', 's'])},{rng.choice('pq')},{rng.choice(['', '1', '3', '10'])}" for _ in range(6)]
    header = "session,query,rank"
    if rng.random() < 0.6:
        times = [rng.choice([str(i), str(rng.randint(0, 5)), "2.5", "00:00:03", "-1e1"]) for i in range(6)]
        rows, header = [f"{row},{time}" for row, time in zip(rows, times, strict=True)], f"{header},time"
    return "\n".join([header, *rows, ""]).encode()


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


def _doors() -> list[Format]:
    """Every door, with the test fixtures as its files."""
    tests = Path(__file__).parents[2] / "tests"
    if str(tests) not in sys.path:
        sys.path.append(str(tests))
    from door_files import DOORS

    out = []
    for door, (plain, awkward, _) in DOORS.items():
        for file, content, kind, _ in (plain, awkward):
            means = partial(door_oracles.meaning, door, file)
            made = partial(_as_it_is, content.encode())
            out.append(Format(f"door: {door}", file, made, through_door(kind), means, may_refuse=True))
    return out


def _as_it_is(data: bytes, rng: random.Random) -> bytes:
    return data


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
        Format("Parquet", "a.parquet", parquet, our_runs, parquet_oracle, may_refuse=True),
        Format("Arrow", "a.arrow", arrow, our_runs, parquet_oracle, may_refuse=True),
        Format("audit", "a.csv", audit, our_audit, oracles.audit),
        Format("LETOR", "a.txt", features, our_features, letor_oracle),
        Format("clicks, table", "a.csv", clicks, our_pages, pages_oracle),
        Format("clicks, log", "a.tsv", click_log, our_log, log_oracle),
        Format("scores", "a.txt", scores, our_scores, lambda d: oracles.scores(d, "a")),
        *(Format("model", "m.json", lambda rng, n=n: stored.ranker(n)[0], stored.our_ranker, lambda d, n=n: stored.ranker(n)[1], may_refuse=True)  # type: ignore[misc]
          for n in stored.RANKERS),
        Format("workspace", "units.sqlite", lambda rng: stored.workspace(), stored.our_workspace, lambda d: True, may_refuse=True),
        Format("texts", "docs.jsonl", side_files.documents, side_files.our_documents, side_files.documents_oracle),
        Format("texts, Parquet", "docs.parquet", side_files.documents_parquet, side_files.our_documents, side_files.parquet_texts_oracle, may_refuse=True),
        Format("topics, TSV", "topics.tsv", side_files.topics_tsv, side_files.our_topics, side_files.topics_oracle),
        Format("topics, TREC", "topics.trec", side_files.topics_trec, side_files.our_topics),
        Format("preferences", "ann.txt", side_files.preferences, side_files.our_preferences, side_files.preferences_oracle),
        Format("topic groups", "classes.csv", side_files.groups, side_files.our_groups, side_files.groups_oracle),
        Format("gains", "gains.json", side_files.gains, side_files.our_gains, side_files.gains_oracle),
        Format("user model", "user.json", side_files.user, side_files.our_user, side_files.user_oracle),
        Format("confusion", "confusion.json", side_files.confusion, side_files.our_confusion, side_files.confusion_oracle),
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
        if data and data[3] & 0xE0:
            raise Refused("reserved flags: RFC 1952 asks for an error, which Python's gzip does not raise")
        return oracle(plain)

    return call
