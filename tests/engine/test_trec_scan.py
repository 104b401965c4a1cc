"""The scanner against the exact reader, on whole files and on files cut into pieces at every place."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from dissensus.engine import trec_scan as reader
from dissensus.engine.trec_scan import scan_trec
from dissensus.io.trec import _disorder, qrels_rows, run_rows


def spread(names, starts, n):
    return [name for name, size in zip(names, np.diff(np.r_[starts, n]), strict=True) for _ in range(size)]


def rows_of(scanned):
    n = len(scanned.key)
    text = scanned.ids.tobytes()
    docs = [text[a : a + b].decode() for a, b in zip(scanned.start.tolist(), scanned.length.tolist(), strict=True)]
    return (
        spread(scanned.topics, scanned.topic_row, n),
        docs,
        scanned.value.tolist(),
        spread(scanned.names, scanned.name_row, n),
    )


def random_run(rng, lines):
    out = ["# a comment\n"] if rng.random() < 0.5 else []
    for i in range(lines):
        topic = rng.choice(["1", "12", "topic-with-a-long-name", "30000000"], p=[0.5, 0.3, 0.1, 0.1])
        doc = "d" * int(rng.integers(0, 40)) + str(i)
        score = rng.choice(
            [f"{rng.normal():.4f}", repr(float(rng.normal())), f"{rng.integers(-99, 99)}", "1e-7", "0.10"]
        )
        tag = rng.choice(["t", "other", "x" * 300], p=[0.9, 0.08, 0.02])
        gap, end = rng.choice([" ", "\t", "  "]), rng.choice(["\n", "\r\n", " \n"], p=[0.8, 0.1, 0.1])
        second, wide = rng.choice(["Q0", "0", "q" * 300], p=[0.9, 0.08, 0.02]), rng.choice([" ", "  "], p=[0.8, 0.2])
        out.append(f"{topic}{gap}{second}{wide}{doc} {i}{gap}{score} {tag}{end}")
        if rng.random() < 0.05:
            out.append(rng.choice(["\n", "   \n", "#\n", " # x y\n"]))
    return "".join(out).encode()


@pytest.mark.parametrize("piece", [64, 97, 256, 1 << 19])
def test_runs_in_pieces(tmp_path, monkeypatch, piece):
    monkeypatch.setattr(reader, "PIECE", piece)
    rng = np.random.default_rng(piece)
    path = tmp_path / "a.run"
    for _ in range(12):
        data = random_run(rng, int(rng.integers(1, 60)))
        path.write_bytes(gzip.compress(data) if rng.random() < 0.3 else data)
        exact = run_rows(data, path)
        scanned = scan_trec(path, "run")
        assert scanned is not None
        topics, docs, scores, tags = rows_of(scanned)
        assert (topics, docs, tags) == (exact.topic, exact.doc, exact.tag)
        assert scores == [float(v) for v in exact.value]
        assert scanned.comments == exact.comments
        assert scanned.disorder == _disorder(exact, np.array(scores))


@pytest.mark.parametrize("piece", [64, 1 << 19])
def test_qrels_in_pieces(tmp_path, monkeypatch, piece):
    monkeypatch.setattr(reader, "PIECE", piece)
    rng = np.random.default_rng(piece)
    path = tmp_path / "a.qrels"
    lines = [f"{rng.integers(0, 9)} {rng.choice(['0', 'ann'])} doc{i} {rng.integers(-2, 5)}" for i in range(200)]
    path.write_text("\n".join(lines))
    exact = qrels_rows(path.read_bytes(), path)
    topics, docs, grades, names = rows_of(scan_trec(path, "qrels"))
    assert (topics, docs, names) == (exact.topic, exact.doc, exact.second)
    assert grades == [float(v) for v in exact.value]


def test_text_that_is_not_utf8_is_left_to_the_exact_reader(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes("1 Q0 é 1 3.5 t\n".encode("latin-1"))
    assert scan_trec(path, "run") is None
