"""The line that says for which other measures and judges the best set would differ."""

from __future__ import annotations

import json

from audited_study import audit

import dissensus as ds
from dissensus.cli import main
from dissensus.inference.comparison.other_judges import MOST, complete_judges

TOPICS = [f"q{i:02d}" for i in range(20)]
RUNS = ds.Runs.from_dict({s: {q: {f"{s}{i}": 9.0 - i for i in range(5)} for q in TOPICS} for s in ("A", "B", "C", "D")})


def judge(*better: str) -> dict[str, dict[str, int]]:
    """A judge who finds everything of some systems relevant, and one of five documents of the others."""
    return {q: {f"{s}{i}": int(s in better or i == k % 5) for s in "ABCD" for i in range(5)}
            for k, q in enumerate(TOPICS)}  # fmt: skip


JUDGES = ds.Judgments.from_dict({"ann": judge("A"), "bob": judge("B"), "cat": judge("A")}, scale="0..1")


def test_another_judges_winner_is_in_the_outcome():
    scores = ds.evaluate(RUNS, JUDGES, ["P@5", "RR"])
    found = ds.compare(scores, ["P@5", "RR"], assessor="ann").outcome
    assert found.best == ("A",)
    assert {o.judge: o.best for o in found.also() if o.measure == "P@5"} == {"bob": ("B",), "cat": ("A",)}
    assert "bob" in found.differs
    assert "B" in found.differs.split("bob")[1]


def test_the_same_line_is_in_every_window(tmp_path, capsys):
    RUNS.to_frame().write_csv(tmp_path / "runs.csv")
    JUDGES.to_frame().write_csv(tmp_path / "judges.csv")
    audit(JUDGES.select(assessors=["cat"]), 0.5).to_frame().write_csv(tmp_path / "audit.csv")
    base = [str(tmp_path / "runs.csv"), "-j", str(tmp_path / "judges.csv"), "--assessor", "ann", "-m", "P@5", "--json"]
    for known in ([], ["--audit", str(tmp_path / "audit.csv")]):
        said = []
        for command in ("compare", "correct", "report"):
            if command == "correct" and not known:
                continue
            page = ["-o", str(tmp_path / "page.html")] if command == "report" else []
            assert main([command, *base, *known, *page]) == 0
            said.append(json.loads(capsys.readouterr().out)["outcome"]["differs"])
        assert said[0]
        assert len(set(said)) == 1


def test_only_judges_of_the_same_documents_are_complete():
    part = {"ann": judge("A"), "bob": {q: judge("B")[q] for q in TOPICS[:18]}}
    assert complete_judges(ds.Judgments.from_dict(part, scale="0..1"), "ann") == ()
    assert complete_judges(ds.Judgments.from_dict(part, scale="0..1"), "bob") == ("ann",)
    assert complete_judges(JUDGES, None) == ()


def test_of_many_judges_the_first_are_asked():
    many = ds.Judgments.from_dict({f"j{i}": judge("A") for i in range(MOST + 3)}, scale="0..1")
    found = ds.compare(ds.evaluate(RUNS, many, "P@5"), "P@5", assessor="j0").outcome
    assert len(found.also()) == MOST
