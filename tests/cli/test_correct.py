"""`dissensus correct` from the shell."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from refusals import refused
from shell import call
from study_files import runs, study_files  # noqa: F401 (a fixture)
from wording import phrase

import dissensus as ds
from dissensus.cli.correct import draw_corrected, read_confusions, read_knowledge
from dissensus.cli.inputs.reading import Reading
from dissensus.errors import InputError


def test_correct(files, capsys):
    code = call(
        "correct",
        *runs(files),
        "-j",
        files / "llm.csv",
        "--audit",
        files / "gold.csv",
        "-m",
        "P@5",
        "-m",
        "AP",
        "--explain",
    )
    out = capsys.readouterr().out
    assert code == 0
    assert phrase("correct.rectified-audit-lies-among") in out
    assert phrase("correct.imputation-not-linear", "AP") in out
    assert phrase("correct.method-auto-rectified-imputation") in out
    assert out.count("P@5 ") >= 3


def test_correct_by_matrix_to_json(files, capsys):
    code = call(
        "correct", *runs(files), "-j", files / "llm.csv", "--confusion", files / "judge.json", "-m", "P@5", "--json"
    )
    said = json.loads(capsys.readouterr().out)
    assert code == 0
    assert {r["method"] for r in said["tables"]["scores"]} == {"confusion"}
    assert any(phrase("correct.errs-equally") in line for line in said["notes"])


def test_a_matrix_for_each_system(files, capsys):
    own = [
        w
        for s, f in (("A", "judge"), ("B", "judge"), ("C", "strict"))
        for w in ("--confusion", f"{s}={files / f}.json")
    ]
    words = [*runs(files), "-j", files / "llm.csv", "-m", "P@5", "--json"]
    assert call("correct", *words, *own) == 0
    said = json.loads(capsys.readouterr().out)
    rows = said["tables"]["scores"]
    assert {r["method"] for r in rows} == {"confusion, separate"}
    assert any("2 calibrations (A, B | C)" in line for line in said["notes"])  # one file, one calibration
    assert [r["system"] for r in rows] == said["outcome"]["order"]
    for row in rows:
        low = {"A": 0.2, "B": 0.2, "C": 0.05}[row["system"]]
        assert row["corrected"] == pytest.approx((row["naive"] - low) / 0.65)
    assert call("compare", *words, *own, "--judge", "separate") == 0
    apart = json.loads(capsys.readouterr().out)["tables"]["pairs"]
    assert call("compare", *words, "--confusion", files / "judge.json") == 0
    shared = json.loads(capsys.readouterr().out)["tables"]["pairs"]
    assert [r["a"] + r["b"] for r in apart] == ["AB", "AC", "BC"]
    assert apart[0]["se"] == pytest.approx(shared[0]["se"])
    assert apart[1]["se"] > shared[1]["se"]


def test_merge_and_correct_in_one_command(files, capsys):
    code = call(
        "correct",
        *runs(files),
        "-j",
        files / "two.csv",
        "--merge",
        "majority",
        "--audit",
        files / "gold.csv",
        "-m",
        "P@5",
    )
    out = capsys.readouterr()
    assert code == 0, out.err
    assert phrase("correct.assessors-merged-majority", 2) in out.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], phrase("correct.nothing-known-judge")),
        (["--audit", "nowhere.csv"], "nowhere.csv is not a file"),
    ],
)
def test_refusals_exit_with_2(files, capsys, words, message):
    assert call("correct", *runs(files), "-j", files / "llm.csv", *(w.format(files) for w in words)) == 2
    assert message in capsys.readouterr().err


ROW = {"system": "a", "naive": 0.7, "corrected": 0.5, "low": 0.4, "high": 0.6}


def test_one_file_per_measure(tmp_path, capsys):
    draw_corrected(pl.DataFrame([{"measure": "AP", **ROW}]), tmp_path / "c.html")
    assert "corrected" in (tmp_path / "c.html").read_text()
    draw_corrected(pl.DataFrame([{"measure": "AP", **ROW}, {"measure": "P@10", **ROW}]), tmp_path / "d.html")
    assert sorted(p.name for p in tmp_path.glob("d*")) == ["d-AP.html", "d-P-10.html"]
    capsys.readouterr()


def test_an_audit_or_a_matrix_or_nothing(files):
    assert read_knowledge(None, None, Reading()) is None
    assert isinstance(read_knowledge(str(files / "gold.csv"), None, Reading()), ds.Audit)
    assert isinstance(read_knowledge(None, [str(files / "judge.json")], Reading()), ds.Confusion)
    with refused(InputError, "--audit", "--confusion"):
        read_knowledge(str(files / "gold.csv"), [str(files / "judge.json")], Reading())


def test_systems_that_name_one_file_share_its_matrix(files):
    judge, strict = files / "judge.json", files / "strict.json"
    found = read_confusions([f"A={judge}", f"B={judge}", f"C={strict}"])
    assert found["A"] is found["B"]
    assert found["A"] is not found["C"]
    assert found["C"].counts.tolist() == [[190, 10], [60, 140]]


def test_a_file_whose_name_holds_an_equals_sign_is_a_file(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p=0.8.json").write_text((files / "judge.json").read_text())
    assert isinstance(read_confusions(["p=0.8.json"]), ds.Confusion)
