"""`dissensus ceiling` from files to output."""

from __future__ import annotations

import json

import numpy as np
import pytest
from graded_labels import graded_labels  # noqa: F401 (a fixture)
from shell import run
from wording import phrase

import dissensus as ds


class TestCeiling:
    def test_matrix_from_the_file_itself(self, labels, capsys):
        status, out, _ = run(capsys, "ceiling", labels, "--scale", "Non,Rel,HRel", "-m", "nDCG@3", "-m", "P@2")
        assert status == 0
        assert phrase("cli-ceiling.confusion-estimated-assessors-fewer", 2, 2, 50) in out

    def test_matrix_from_a_file_per_topic(self, labels, tmp_path, capsys):
        matrix = tmp_path / "C.json"
        matrix.write_text(ds.Confusion(np.eye(3)).to_json())
        status, out, _ = run(
            capsys, "ceiling", labels, "--scale", "Non,Rel,HRel", "--confusion", matrix, "-m", "nDCG", "--per-topic",
            "--json",
        )  # fmt: skip
        assert status == 0
        rows = json.loads(out)["tables"]["ceiling"]
        assert len(rows) == 6
        assert [r["ceiling"] for r in rows] == pytest.approx([1] * 5 + [None])  # bob finds nothing relevant in topic 3

    def test_shares_of_runs(self, labels, tmp_path, capsys):
        run_file = tmp_path / "sys.txt"
        run_file.write_text("".join(f"{t} Q0 d{d} {d + 1} {-d} x\n" for t in (1, 2, 3) for d in range(8)))
        status, out, _ = run(
            capsys, "ceiling", labels, "--scale", "Non,Rel,HRel", "-m", "nDCG@3", "--runs", run_file, "-a", "ann"
        )  # fmt: skip
        assert status == 0
        assert "runs, nDCG@3" in out
        assert "share" in out
        assert phrase("cli-ceiling.runs-condensed") in out

    def test_letor(self, tmp_path, capsys):
        file = tmp_path / "train.txt"
        file.write_text("2 qid:1 1:0.5\n0 qid:1 1:0.1\n1 qid:2 1:0.3\n0 qid:2 1:0.2\n")
        status, out, _ = run(
            capsys, "ceiling", file, "--letor", "--confusion", "trec-rf10-crowd", "-m", "nDCG", "--json"
        )
        assert status == 0
        want = ds.ceiling({1: [2, 0], 2: [1, 0]}, "trec-rf10-crowd", "nDCG")
        assert json.loads(out)["mean"]["nDCG"] == pytest.approx(float(want))

    def test_not_linear_says_the_way_out(self, labels, capsys):
        status, _, err = run(capsys, "ceiling", labels, "--scale", "Non,Rel,HRel", "-m", "AP")
        assert status == 2
        assert "--method simulate" in err
        status, out, _ = run(
            capsys, "ceiling", labels, "--scale", "Non,Rel,HRel", "-m", "AP", "--method", "simulate",
            "--replicates", "20",
        )  # fmt: skip
        assert status == 0
        assert "simulate" in out

    def test_unknown_matrix(self, labels, capsys):
        status, _, err = run(capsys, "ceiling", labels, "--scale", "Non,Rel,HRel", "--confusion", "msr")
        assert status == 2
        assert phrase("cli-ceiling.known-trec-crowd", "rf10") in err
