"""`dissensus weights`, `dissensus ceiling` and their experiments, from files to output."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dissensus as ds
from dissensus.cli import main

LABELS = "topic,doc,assessor,grade\n" + "".join(
    f"{t},d{d},{who},{grade}\n"
    for t in range(1, 4)
    for d in range(8)
    for who, grade in (("ann", ["Non", "Rel", "HRel"][(d + t) % 3]), ("bob", ["Non", "Rel", "HRel"][(d * t) % 3]))
)


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(LABELS)
    return path


def run(capsys, *args):
    status = main([str(a) for a in args])
    out = capsys.readouterr()
    return status, out.out, out.err


class TestWeights:
    def test_table_and_footer(self, labels, capsys):
        status, out, _ = run(capsys, "weights", labels, "--scale", "Non,Rel,HRel")
        assert status == 0
        assert "top = HRel" in out
        assert "set to 0: Non" in out
        assert "intervals by documents (only 3 topics)" in out

    def test_gains_go_into_evaluate(self, labels, tmp_path, capsys):
        gains = tmp_path / "weights.json"
        status, _, err = run(capsys, "weights", labels, "--scale", "Non,Rel,HRel", "--of", "4", "-o", gains)
        assert status == 0
        assert "gains for dissensus evaluate" in err
        read = json.loads(gains.read_text())
        assert list(read) == ["Non", "Rel", "HRel"]
        assert read["Non"] == 0
        assert read["HRel"] == 1
        run_file = tmp_path / "run.txt"
        run_file.write_text("".join(f"{t} Q0 d{d} {d + 1} {-d} x\n" for t in (1, 2, 3) for d in range(8)))
        status, out, _ = run(
            capsys, "evaluate", run_file, "-j", labels, "--scale", "Non,Rel,HRel", "-m", "nDCG@5", "-m", "GAP",
            "--gains", gains, "--json",
        )  # fmt: skip
        assert status == 0
        assert len(json.loads(out)["tables"]["table"]) == 2

    def test_json_is_the_library(self, labels, capsys):
        _, out, _ = run(capsys, "weights", labels, "--scale", "Non,Rel,HRel", "--at-least", "1", "--of", "5", "--json")
        want = ds.disagreement(ds.read_judgments(labels, scale="Non,Rel,HRel")).weights(1, 5)
        assert json.loads(out)["weights"] == pytest.approx(want)

    def test_names_without_order_need_a_top(self, labels, capsys):
        status, _, err = run(capsys, "weights", labels)
        assert status == 2
        assert "have no order" in err
        status, out, _ = run(capsys, "weights", labels, "--top", "HRel")
        assert status == 0
        assert "set to 0: none" in out

    def test_paired_labels_groups_and_runs(self, tmp_path, capsys):
        both = tmp_path / "fed.csv"
        both.write_text(
            "topic,doc,assessor,snippet,page\n1,a,x,Sure,Key\n1,a,y,Sure,Key\n1,b,x,No,Non\n1,b,y,Sure,Key\n2,c,x,No,Key\n2,c,y,Sure,Non\n"
        )
        pair = ["--label", "snippet", "--label", "page", "--top", "Sure, Key", "--zero", "*, Non"]
        status, out, _ = run(capsys, "weights", both, *pair)
        assert status == 0
        assert "set to 0: No, Non, Sure, Non" in out
        groups = tmp_path / "groups.csv"
        groups.write_text("topic,group\n1,faceted\n2,ambiguous\n")
        status, out, _ = run(capsys, "weights", both, *pair, "--groups", groups, "--json")
        assert status == 0
        assert set(json.loads(out)["tables"]) == {"weights", "weights, ambiguous", "weights, faceted"}
        status, _, err = run(capsys, "weights", both, "--label", "snippet", "--top", "Sure")
        assert status == 2
        assert "a pair has two" in err
        status, _, err = run(capsys, "weights", both, "--label", "snippet", "--label", "pages", "--top", "Sure")
        assert status == 2
        assert "no column 'pages'" in err

    def test_restricted_to_runs(self, labels, tmp_path, capsys):
        run_file = tmp_path / "run.txt"
        run_file.write_text("1 Q0 d1 1 2 x\n1 Q0 d2 2 1 x\n")
        status, out, _ = run(
            capsys, "weights", labels, "--scale", "Non,Rel,HRel", "--runs", run_file, "--depth", "1"
        )  # fmt: skip
        assert status == 0
        assert "1 of 24 documents: all top-1 result lists" in out

    def test_plot(self, labels, tmp_path, capsys):
        status, _, err = run(capsys, "weights", labels, "--scale", "Non,Rel,HRel", "--plot", tmp_path / "p.svg")
        assert status == 0
        assert "<svg" in (tmp_path / "p.svg").read_text()
        assert "wrote" in err


class TestCeiling:
    def test_matrix_from_the_file_itself(self, labels, capsys):
        status, out, _ = run(capsys, "ceiling", labels, "--scale", "Non,Rel,HRel", "-m", "nDCG@3", "-m", "P@2")
        assert status == 0
        assert "confusion estimated from 2 assessors; 2 with fewer than 50 shared labels" in out

    def test_matrix_from_a_file_per_topic(self, labels, tmp_path, capsys):
        matrix = tmp_path / "C.json"
        matrix.write_text(ds.Confusion(np.eye(3)).to_json())
        status, out, _ = run(
            capsys, "ceiling", labels, "--scale", "Non,Rel,HRel", "--confusion", matrix, "-m", "nDCG", "--per-topic",
            "--json",
        )  # fmt: skip
        assert status == 0
        rows = json.loads(out)["tables"]["table"]
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
        assert "runs are condensed" in out

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
            capsys, "ceiling", labels, "--scale", "Non,Rel,HRel", "-m", "AP", "--method", "simulate", "--samples", "20"
        )  # fmt: skip
        assert status == 0
        assert "simulate" in out

    def test_unknown_matrix(self, labels, capsys):
        status, _, err = run(capsys, "ceiling", labels, "--scale", "Non,Rel,HRel", "--confusion", "msr")
        assert status == 2
        assert "Known: trec-rf10-crowd" in err


class TestExperiments:
    def test_disagreement(self, labels, tmp_path, capsys):
        status, out, _ = run(
            capsys, "experiment", "disagreement", labels, "--scale", "Non,Rel,HRel", "--set", "draws=5",
            "--plot", tmp_path / "d.svg",
        )  # fmt: skip
        assert status == 0
        assert "Table 2" in out
        assert (tmp_path / "d-fig5.svg").exists()
        assert (tmp_path / "d-table2.svg").exists()

    def test_table_4(self, tmp_path, capsys):
        both = tmp_path / "fed.csv"
        both.write_text(
            "topic,doc,assessor,snippet,page\n1,a,x,Sure,Key\n1,a,y,Sure,Key\n1,b,x,No,Rel\n1,b,y,Sure,Key\n"
        )
        status, out, _ = run(
            capsys, "experiment", "disagreement", both, "--set", "labels=snippet,page", "--set", "top=Sure, Key",
            "--set", "draws=5", "--json",
        )  # fmt: skip
        assert status == 0
        rows = json.loads(out)["tables"]["Table 4"]
        assert [(r["first"], r["second"], r["weight"]) for r in rows] == [("No", "Rel", 1.0), ("Sure", "Key", 1.0)]

    def test_ceiling(self, labels, tmp_path, capsys):
        status, out, _ = run(
            capsys, "experiment", "ceiling", labels, "--scale", "Non,Rel,HRel", "--set", "min_documents=4",
            "--set", "matrices=trec-rf10-crowd", "--set", "samples=50", "--plot", tmp_path / "c.svg", "--json",
        )  # fmt: skip
        assert status == 0
        tables = json.loads(out)["tables"]
        assert [r["method"] for r in tables["Table 1"]] == ["exact", "SIM", "CFA"]
        assert {r["matrix"] for r in tables["summary"]} >= {"own pair", "trec-rf10-crowd"}
        assert (tmp_path / "c-fig1.svg").exists()
