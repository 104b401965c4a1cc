"""`dissensus weights` from files to output."""

from __future__ import annotations

import json

import pytest
from graded_labels import graded_labels  # noqa: F401 (a fixture)
from shell import run
from wording import phrase

import dissensus as ds


class TestWeights:
    def test_table_and_footer(self, labels, capsys):
        status, out, _ = run(capsys, "weights", labels, "--scale", "Non,Rel,HRel")
        assert status == 0
        assert "top = HRel" in out
        assert phrase("cli-weights.set-non", 0) in out
        assert phrase("cli-weights.intervals-documents-topics", 3) in out

    def test_gains_go_into_evaluate(self, labels, tmp_path, capsys):
        gains = tmp_path / "weights.json"
        status, _, err = run(capsys, "weights", labels, "--scale", "Non,Rel,HRel", "--of", "4", "-o", gains)
        assert status == 0
        assert phrase("cli-weights.gains-dissensus-evaluate") in err
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
        assert len(json.loads(out)["tables"]["scores"]) == 2

    def test_json_is_the_library(self, labels, capsys):
        _, out, _ = run(capsys, "weights", labels, "--scale", "Non,Rel,HRel", "--at-least", "1", "--of", "5", "--json")
        want = ds.disagreement(ds.read_judgments(labels, scale="Non,Rel,HRel")).weights(1, 5)
        assert json.loads(out)["weights"] == pytest.approx(want)

    def test_names_without_order_need_a_top(self, labels, capsys):
        status, _, err = run(capsys, "weights", labels)
        assert status == 2
        assert phrase("cli-weights.no-order") in err
        status, out, _ = run(capsys, "weights", labels, "--top", "HRel")
        assert status == 0
        assert phrase("cli-weights.set-none", 0) in out

    def test_paired_labels_groups_and_runs(self, tmp_path, capsys):
        both = tmp_path / "fed.csv"
        both.write_text(
            "topic,doc,assessor,snippet,page\n1,a,x,Sure,Key\n1,a,y,Sure,Key\n1,b,x,No,Non\n1,b,y,Sure,Key\n2,c,x,No,Key\n2,c,y,Sure,Non\n"
        )
        pair = ["--label", "snippet", "--label", "page", "--top", "Sure, Key", "--zero", "*, Non"]
        status, out, _ = run(capsys, "weights", both, *pair)
        assert status == 0
        assert phrase("cli-weights.set-no-non-sure", 0) in out
        groups = tmp_path / "groups.csv"
        groups.write_text("topic,group\n1,faceted\n2,ambiguous\n")
        status, out, _ = run(capsys, "weights", both, *pair, "--groups", groups, "--json")
        assert status == 0
        assert set(json.loads(out)["tables"]) == {"weights", "weights, ambiguous", "weights, faceted"}
        status, _, err = run(capsys, "weights", both, "--label", "snippet", "--top", "Sure")
        assert status == 0, err
        status, _, err = run(capsys, "weights", both, "--label", "snippet", "--label", "pages", "--top", "Sure")
        assert status == 2
        assert phrase("cli-weights.no-column", "pages") in err

    def test_restricted_to_runs(self, labels, tmp_path, capsys):
        run_file = tmp_path / "run.txt"
        run_file.write_text("1 Q0 d1 1 2 x\n1 Q0 d2 2 1 x\n")
        status, out, _ = run(
            capsys, "weights", labels, "--scale", "Non,Rel,HRel", "--runs", run_file, "--depth", "1"
        )  # fmt: skip
        assert status == 0
        assert phrase("cli-weights.documents-all-result-lists", 1, 24, "top-1") in out

    def test_plot(self, labels, tmp_path, capsys):
        status, _, err = run(capsys, "weights", labels, "--scale", "Non,Rel,HRel", "--plot", tmp_path / "p.svg")
        assert status == 0
        assert "<svg" in (tmp_path / "p.svg").read_text()
        assert "wrote" in err
