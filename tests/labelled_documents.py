"""Judgments from the labels of each document, by assessors a, b, c …"""

from __future__ import annotations

import polars as pl

import dissensus as ds


def labels(rows, **options):
    """Judgments from "doc: label label …" by assessors a, b, c …, all in topic 1 unless doc is "topic/doc"."""
    frame = [
        {"topic": doc.rpartition("/")[0] or "1", "doc": doc, "assessor": "abcdefgh"[i], "grade": label}
        for doc, said in rows.items()
        for i, label in enumerate(said)
    ]
    return ds.Judgments.from_frame(pl.DataFrame(frame), **options)
