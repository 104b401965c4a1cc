"""The audit page under load: 10,000 documents, 8 assessors at once, how long until the next document is there.

Times are of whole requests (label posted, committed to disk, the next three documents answered) over loopback, to a
server process of its own; promised: under 50 ms at the 99th percentile.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl

from bench.rows import Row
from dissensus.audit.people import issue_tokens, keep_tokens, links_file
from dissensus.audit.settings import StudySettings
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Texts, new_study
from dissensus.io.documents import Document
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

ASSESSORS, EACH, PROMISED = 8, 80, 0.050
TOPICS, DEPTH = 100, 60  # two systems, hardly a document in common


def run() -> list[Row]:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from server_kills import Server, send

    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "study.db")
        count = large_study(place)
        server = Server(place)
        links = server.start()
        people = [n for n in links if n != "owner"]
        for name in people:
            send(links[name], "GET", "")
        times: list[float] = []
        threads = [threading.Thread(target=_judge, args=(links[n], n, times)) for n in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        server.kill()

    middle, late = np.quantile(times, [0.5, 0.99])
    what = f"next document, {count:,} documents, {ASSESSORS} assessors at once"
    kept = "kept" if late < PROMISED else "MISSED"
    return [
        Row(f"{what}: median", float(middle)),
        Row(f"{what}: 99th percentile", float(late), note=f"promised under 50 ms: {kept} ({len(times):,} labels)"),
    ]


def large_study(place: str) -> int:
    """A study of about ten thousand documents, each with 150 words."""
    rng = np.random.default_rng(0)
    topics = [f"t{t:03d}" for t in range(TOPICS)]
    rows = [
        (system, topic, f"{topic}-{d:03d}", float(DEPTH - rank))
        for topic in topics
        for system, start in (("a", 0), ("b", DEPTH - 10))
        for rank, d in enumerate(rng.permutation(DEPTH) + start)
    ]
    runs = Runs.from_frame(pl.DataFrame(rows, schema=["system", "topic", "doc", "score"], orient="row"))
    docs = sorted({(r[1], r[2]) for r in rows})
    grades = rng.integers(0, 4, len(docs)).tolist()
    graded = [(t, d, g) for (t, d), g in zip(docs, grades, strict=True)]
    labels = pl.DataFrame(graded, schema=["topic", "doc", "grade"], orient="row")
    bronze = Judgments.from_frame(labels, assessor="llm", scale="0..3")
    texts = Texts({}, {d: Document("word " * 150, d) for _, d in docs})
    names = tuple(f"expert-{i}" for i in range(ASSESSORS))
    with StudyStore.create(place) as store:
        study = new_study(store, runs, bronze, StudySettings("DCG@60", experts=names), texts)
        keep_tokens(links_file(study, place), issue_tokens(study))
        return len(study.order)


def _judge(link: str, name: str, times: list[float]) -> None:
    from server_kills import send

    dice = random.Random(name)
    documents = json.loads(send(link, "GET", "/next"))["documents"]
    for i in range(EACH):
        entry = {"assignment": documents[0]["assignment"], "action": "grade", "grade": "1", "request": f"{name}-{i}"}
        start = time.perf_counter()
        documents = json.loads(send(link, "POST", "/label", entry))["documents"]
        times.append(time.perf_counter() - start)
        time.sleep(dice.uniform(0.2, 0.6))  # people read; these read very quickly, and not in step
