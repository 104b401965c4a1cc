"""Generated runs and qrels in the shape of TREC collections, written as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl


def write_collection(
    folder: Path, systems: int, topics: int, depth: int, pool: int, corpus: int, relevant: float, seed: int = 0
) -> tuple[list[Path], Path]:
    """Runs of `depth` documents a topic over a corpus, `pool` judged documents a topic; (run files, qrels)."""
    rng = np.random.default_rng(seed)
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    names = pl.Series([f"DOC-{i:08d}-{i % 97:02d}" for i in range(corpus)])
    pools = np.stack([rng.choice(corpus, pool, replace=False) for _ in range(topics)])
    topic_names = pl.Series([str(301 + t) for t in range(topics)])
    quality = rng.random(systems)
    paths = []
    for s in range(systems):
        rows = []
        for t in range(topics):
            from_pool = rng.permutation(pools[t])[: int(min(pool, depth) * (0.2 + 0.5 * quality[s]))]
            others = rng.integers(0, corpus, 2 * depth)
            docs = np.concatenate([from_pool, others])
            _, first = np.unique(docs, return_index=True)
            docs = docs[np.sort(first)][:depth]
            rows.append(rng.permutation(docs) if t % 2 else docs)
        lengths = [len(r) for r in rows]
        topic = np.repeat(np.arange(topics), lengths)
        rank = np.concatenate([np.arange(n) for n in lengths])
        score = np.round(30.0 / (1 + 0.01 * rank) + rng.random(len(rank)) * 1e-3, 6)
        frame = pl.DataFrame(
            {
                "topic": topic_names.gather(topic),
                "q": pl.Series(["Q0"]).gather(np.zeros(len(rank), np.int64)),
                "doc": names.gather(np.concatenate(rows)),
                "rank": rank,
                "score": score,
                "tag": pl.Series([f"system{s:03d}"]).gather(np.zeros(len(rank), np.int64)),
            }
        )
        path = runs / f"system{s:03d}.run"
        frame.write_csv(path, include_header=False, separator=" ")
        paths.append(path)
    judged = pl.DataFrame(
        {
            "topic": topic_names.gather(np.repeat(np.arange(topics), pool)),
            "zero": np.zeros(topics * pool, np.int64),
            "doc": names.gather(pools.reshape(-1)),
            "grade": (rng.random(topics * pool) < relevant) * rng.integers(1, 4, topics * pool),
        }
    )
    qrels = folder / "qrels.txt"
    judged.write_csv(qrels, include_header=False, separator=" ")
    return paths, qrels
