"""The smaller files that dissensus reads: texts, topics, preferences, groups, gains, users, confusions."""

from __future__ import annotations

import io
import json
import math
import random
import re
from pathlib import Path
from typing import Any

from bench.fuzz import oracles
from bench.fuzz.door_oracles import Unsure, whole
from bench.fuzz.oracles import Refused

DOCS = ["d1", "FT911-2", "ü", "7"]
WORDS = ["bees", "dance", "“quoted”", "a\nb", "tab\there", "ß"]


# ── texts ──
def documents(rng: random.Random) -> bytes:
    rows = ({"doc": d, "title": rng.choice(["", "T"]), "text": " ".join(rng.sample(WORDS, 3))} for d in DOCS)
    return "".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) + "\n" for row in rows).encode()


def documents_parquet(rng: random.Random) -> bytes:
    import polars as pl

    out = io.BytesIO()
    pl.DataFrame({"doc": DOCS, "text": [" ".join(rng.sample(WORDS, 3)) for _ in DOCS]}).write_parquet(out)
    return out.getvalue()


def our_documents(path: Path) -> Any:
    from dissensus.io.documents import read_documents

    return {doc: d.text for doc, d in read_documents([path], DOCS).items()}


def documents_oracle(data: bytes) -> Any:
    """Lines of other documents are skipped unread, so only files whose every line is in order have a meaning here."""
    try:
        rows = whole(data, lines=True)
    except Refused as error:
        raise Unsure from error
    out: dict[str, str] = {}
    for row in rows:
        if (
            not isinstance(row, dict)
            or set(row) != {"doc", "title", "text"}
            or not all(isinstance(v, str) for v in row.values())
            or "\r" in row["text"]
            or "\0" in row["text"]
        ):
            raise Unsure
        oracles.name(row["doc"])
        if row["doc"] in DOCS:
            if not row["text"].strip():
                raise Refused("no text")
            if row["doc"] in out:
                raise Unsure
            out[row["doc"]] = row["text"]
    return out


def parquet_texts_oracle(data: bytes) -> Any:
    frame = arrow(data)
    if set(frame) != {"doc", "text"} or any(not isinstance(v, str) for c in frame.values() for v in c):
        raise Unsure
    out = dict(zip(frame["doc"], frame["text"], strict=True))
    kept = {d: t.replace("\r\n", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}") for d, t in out.items() if d in DOCS}
    if len(out) < len(frame["doc"]) or any(not t.strip() for t in kept.values()):
        raise Unsure
    return kept


def arrow(data: bytes) -> dict[str, list[Any]]:
    """The columns of a Parquet or Arrow file as another library reads them; where it cannot, nothing is known."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if data.startswith(b"ARROW1"):
            table = pa.ipc.open_file(io.BytesIO(data)).read_all()
        else:
            table = pq.read_table(io.BytesIO(data), use_threads=False)
        table.validate(full=True)
        return {name: table.column(name).to_pylist() for name in table.column_names}
    except (pa.ArrowException, OSError, ValueError, MemoryError, OverflowError) as error:
        raise Unsure from error


def topics_tsv(rng: random.Random) -> bytes:
    rows = [("topic", "query"), *((str(301 + i), " ".join(rng.sample(["bees", "crime", "é"], 2))) for i in range(3))]
    return "".join("\t".join(r) + "\n" for r in rows[rng.randrange(2) :]).encode()


def topics_trec(rng: random.Random) -> bytes:
    return "".join(
        f"<top>\n<num> Number: {301 + i}\n<title> {rng.choice(['bees', 'a b'])}\n<desc> Description:\nWho?\n</top>\n"
        for i in range(3)
    ).encode()


def our_topics(path: Path) -> Any:
    from dissensus.io.topic_texts import read_topic_texts

    return {topic: t.query for topic, t in read_topic_texts(path).items()}


def topics_oracle(data: bytes) -> Any:
    text = oracles.text_of(data)
    if re.search(r"[\r\v\f]|<top", text, re.I):
        raise Unsure
    rows = [line.split("\t") for line in text.split("\n") if line.strip()]
    if rows and [w.strip().lower() for w in rows[0]] == ["topic", "query"]:
        rows = rows[1:]
    if (
        not rows
        or any(len(r) != 2 for r in rows)
        or any(w.strip().lower() in ("topic", "query", "id", "title", "text") for w in rows[0])
    ):
        raise Unsure
    out: dict[str, str] = {}
    for topic, query in ((a.strip(), b.strip()) for a, b in rows):
        if not topic or not query or out.setdefault(oracles.name(topic), query) != query:
            raise Refused("no id, no query, or two")
    return out


# ── preferences, groups ──
def preferences(rng: random.Random) -> bytes:
    pairs = [("q1", "a", "b"), ("q1", "b", "c"), ("q2", "a", "c")]
    return "".join(f"{t} {x} {y} {rng.choice([x, y])}\n" for t, x, y in pairs).encode()


def our_preferences(path: Path) -> Any:
    import dissensus as ds

    frame = ds.read_preferences(path).to_frame()
    winner = {"a": "doc_a", "b": "doc_b"}  # or neither: "="
    return sorted(
        (r["topic"], *sorted((r["doc_a"], r["doc_b"])), r.get(winner.get(r["answer"]), r["answer"]))
        for r in frame.iter_rows(named=True)
    )


def preferences_oracle(data: bytes) -> Any:
    text = oracles.text_of(data)
    if any(not (c.isprintable() or c in " \n") for c in text):
        raise Unsure
    out = []
    for line in text.split("\n"):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 4:
            raise Unsure if len(words) == 5 and words[0] == "@" else Refused("words")
        topic, a, b, winner = words
        if a == b or winner not in (a, b):
            raise Unsure
        out.append((topic, *sorted((a, b)), winner))
    if not out or len({r[:3] for r in out}) < len(out):
        raise Unsure
    return sorted(out)


def groups(rng: random.Random) -> bytes:
    return b"topic,class\n" + "".join(f"{301 + i},{rng.choice(['navigational', 'é'])}\n" for i in range(3)).encode()


def our_groups(path: Path) -> Any:
    from dissensus.tables.topic_groups import read_groups

    return dict(read_groups(path))


def groups_oracle(data: bytes) -> Any:
    if not data.startswith(b"topic,class\n"):
        raise Unsure  # perhaps a table without a header
    rows = oracles.table(data, ",")
    if set(rows[0]) != {"topic", "class"} or b"\t" in data or b"\v" in data or b"\f" in data:
        raise Unsure
    out: dict[str, str] = {}
    for row in rows:
        topic, group = oracles.name(row["topic"]), oracles.name(row["class"])
        if not topic or not group or out.setdefault(topic, group) != group:
            raise Refused("missing, or two")
    return out


# ── JSON that measures and rankers read ──
def gains(rng: random.Random) -> bytes:
    return json.dumps({str(g): round(rng.random(), 3) for g in range(3)}).encode()


def our_gains(path: Path) -> Any:
    from dissensus.measures.gain_files import read_gains

    return {str(g): v for g, v in read_gains(path).items()}


def gains_oracle(data: bytes) -> Any:
    value = whole(data, lines=False)
    if not isinstance(value, dict) or not value:
        raise Refused("no gains")
    if any(not re.fullmatch("[a-z0-9]", g) for g in value):
        raise Unsure
    if any(isinstance(v, bool) or not isinstance(v, int | float) or not math.isfinite(v) for v in value.values()):
        raise Refused("not a number")
    return {g: float(v) for g, v in value.items()}


def user(rng: random.Random) -> bytes:
    a, b = round(rng.uniform(0.1, 0.9), 2), round(rng.uniform(0.1, 0.9), 2)
    rows = [[a, round(1 - a, 2)], [b, round(1 - b, 2)]]
    curve = {"alpha": round(rng.random(), 2), "beta": 0.0, "gamma": 0.02}
    return json.dumps(
        {
            "dissensus": "user-model",
            "version": 1,
            "walk": {"transition": rows, "holding": None},
            "dynamic": {"all": curve},
        }
    ).encode()


def our_user(path: Path) -> Any:
    from dissensus.measures.user_models import read_user_model

    model = read_user_model(str(path))
    walk = None if model.walk is None else model.walk.transition.tolist()
    return walk, {n: (d.alpha, d.beta, d.gamma) for n, d in model.dynamics.items()}


def user_oracle(data: bytes) -> Any:
    value = whole(data, lines=False)
    try:
        if set(value) != {"dissensus", "version", "walk", "dynamic"} or set(value["walk"]) != {"transition", "holding"}:
            raise Unsure
        rows, curves = value["walk"]["transition"], value["dynamic"]
        if value["walk"]["holding"] is not None or value["dissensus"] != "user-model" or value["version"] != 1:
            raise Unsure
        numbers = [p for row in rows for p in row] + [v for c in curves.values() for v in c.values()]
        if any(set(c) != {"alpha", "beta", "gamma"} for c in curves.values()) or not curves:
            raise Unsure
        if any(isinstance(p, bool) or not isinstance(p, int | float) or not math.isfinite(p) for p in numbers):
            raise Unsure
        if len(rows) != 2 or any(len(r) != 2 for r in rows):
            raise Unsure
    except (TypeError, AttributeError) as error:
        raise Unsure from error
    if any(p < 0 for row in rows for p in row) or any(abs(sum(row) - 1) > 1e-5 for row in rows):
        raise Unsure if any(1e-7 < abs(sum(row) - 1) < 1e-5 for row in rows) else Refused("not probabilities")
    return [[float(p) for p in row] for row in rows], {
        n: (float(c["alpha"]), float(c["beta"]), float(c["gamma"])) for n, c in curves.items()
    }


def confusion(rng: random.Random) -> bytes:
    a, b = round(rng.random(), 2), round(rng.random(), 2)
    return json.dumps({"matrix": [[a, round(1 - a, 2)], [b, round(1 - b, 2)]], "scale": ["no", "yes"]}).encode()


def our_confusion(path: Path) -> Any:
    import dissensus as ds

    found = ds.Confusion.read(path)
    return found.matrix.tolist(), found.scale.names


def confusion_oracle(data: bytes) -> Any:
    value = whole(data, lines=False)
    try:
        if set(value) != {"matrix", "scale"}:
            raise Unsure
        rows, names = value["matrix"], value["scale"]
        numbers = [p for row in rows for p in row]
        if any(isinstance(p, bool) or not isinstance(p, int | float) for p in numbers) or not isinstance(names, list):
            raise Unsure
        if (
            len(rows) != 2
            or any(len(r) != 2 for r in rows)
            or len(names) != 2
            or any(not isinstance(n, str) or not n.strip() for n in names)
        ):
            raise Unsure
    except (TypeError, AttributeError) as error:
        raise Unsure from error
    off = [abs(math.fsum(row) - 1) for row in rows]
    if any(p < 0 for p in numbers) or max(off) > 1e-3 or len(set(names)) < 2:
        raise Refused("not probabilities")
    if max(off) > 1e-9:
        raise Unsure
    return [[float(p) for p in row] for row in rows], tuple(names)
