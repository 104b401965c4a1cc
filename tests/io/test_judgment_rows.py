"""Rows of judgments: crowds whose workers are not recognised, columns per judge, and what is preferences."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from refusals import refused
from small_files import file

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import InputError, JudgmentError
from dissensus.io.judgment_rows import are_preferences


def crowd(tmp_path, name="crowd.csv", worker="_who", labels=200):
    rng = np.random.default_rng(0)
    rows = [(i % 20, f"w{i // 20}", int(rng.integers(0, 3))) for i in range(labels)]
    return file(tmp_path, name, f"topic,doc,{worker},grade\n" + "".join(f"1,d{d},{w},{g}\n" for d, w, g in rows))


class TestCrowds:
    def test_a_worker_column_that_is_not_recognised_stops(self, tmp_path):
        with refused(JudgmentError, 180, 200, "crowd.csv"):
            ds.read_judgments(crowd(tmp_path))
        read = ds.read_judgments(crowd(tmp_path), columns={"assessor": "_who"})
        assert (len(read), len(read.assessors)) == (200, 10)

    def test_crowdflower_names_are_known(self, tmp_path):
        assert len(ds.read_judgments(crowd(tmp_path, worker="_worker_id")).assessors) == 10

    def test_merge_no_longer_drops_labels(self, tmp_path, capsys):
        assert main(["merge", str(crowd(tmp_path))]) == 2
        assert "columns" in capsys.readouterr().err

    @pytest.mark.parametrize("rows", [120, 40_000])  # plain reader and scanner
    def test_votes_are_not_qrels(self, tmp_path, rows):
        text = "".join(f"{i % 20} q{i // 20} w{i % 4} {i % 2}\n" for i in range(rows))
        path = file(tmp_path, "votes.txt", text)
        with refused(JudgmentError, "votes.txt"):
            ds.read_judgments(path)
        votes = ds.read_judgments(path, columns={"doc": "2", "assessor": "3", "grade": "4"}, repeated="keep")
        assert votes.topics == ("all",)
        assert len(votes) == rows

    @pytest.mark.parametrize("rows", [120, 40_000])
    def test_numbered_votes_are_not_qrels(self, tmp_path, rows):
        text = "".join(f"{i} q{i // 20} w{i % 4} {i % 2}\n" for i in range(rows))
        with refused(JudgmentError, "votes.txt"):
            ds.read_judgments(file(tmp_path, "votes.txt", text))
        plain = "".join(f"{i} 0 d{i} 1\n" for i in range(rows))  # one document per topic is fine
        assert len(ds.read_judgments(file(tmp_path, "one.qrels", plain))) == rows

    def test_ids_of_mixed_kinds_in_json_lines_are_read(self, tmp_path):
        text = '{"model": "gpt", "query": "x", "passage": "y", "judgment": 2}\n{"model": "gpt", "query": 1}\n'
        read = ds.read_judgments(file(tmp_path, "a.jsonl", text), missing="skip")
        assert (read.topics, len(read)) == (("x",), 1)

    def test_a_choice_is_respected(self, tmp_path):
        assert len(ds.read_judgments(crowd(tmp_path), repeated="first")) == 20


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("repeated", [0, 2000, 4000])
def test_a_large_table_of_votes_is_recognised_whatever_its_order(tmp_path, together, repeated):
    n = 24_000
    doc = np.arange(n)
    doc[:repeated] = doc[repeated : 2 * repeated]
    frame = pl.DataFrame({"topic": doc % 7, "doc": [f"d{d}" for d in doc], "grade": np.zeros(n, np.int64)})
    (frame.sort("topic") if together else frame).write_parquet(tmp_path / "votes.parquet")
    if repeated * 10 < n:
        assert ds.read_judgments(tmp_path / "votes.parquet").n_items == n - repeated
    else:
        with refused(JudgmentError, f"{repeated:,}", f"{n:,}", "votes.parquet"):
            ds.read_judgments(tmp_path / "votes.parquet")


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_tables_of_preferences(tmp_path: Path, ending: str) -> None:
    ds.Preferences.from_rows([("q", "d1", "d2", "ann", "a", "ab")]).write(str(tmp_path / f"p.{ending}"))
    assert are_preferences([str(tmp_path / f"p.{ending}")])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("q d1 d2 d1", True),
        ("@ q d1 d2 !", True),
        ("# a comment\nq d1 d2 d2", True),
        ("q 0 d2 1", False),
        ("q 0 d2 0", False),  # grade 0, as the first line of most qrels
        ("q 0 d2 0\nq 0 d3 0", False),
        ("1 1 a 1\n1 1 b 1\n1 2 a 2", False),  # intents
        ("q d1 d2 d1\nq d3 d2 d3", True),
        ("q 7 9 7\nq 7 8 8", True),  # documents that are numbers
        ("q 1 1 1", False),
        ("q Q0 d1 1 2.5 tag", False),
        ("", False),
    ],
)
def test_lines_of_preferences(tmp_path: Path, line: str, expected: bool) -> None:
    (tmp_path / "p.txt").write_text(line + "\n")
    (tmp_path / "p.txt.gz").write_bytes(gzip.compress(line.encode() + b"\n"))
    assert are_preferences([tmp_path / "p.txt"]) is expected
    assert are_preferences([tmp_path / "p.txt.gz"]) is expected


def test_both_kinds_together_are_refused_and_broken_files_left_to_their_reader(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("q d1 d2 d1\n")
    (tmp_path / "q.txt").write_text("q 0 d2 1\n")
    (tmp_path / "b.txt.gz").write_bytes(b"\x1f\x8bnot gzip")
    with refused(InputError, "p.txt"):
        are_preferences([tmp_path / "p.txt", tmp_path / "q.txt"])
    assert not are_preferences([tmp_path / "b.txt.gz"])
