"""Assessors who never give the grades that a measure needs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from refusals import refused, warned

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import DataWarning, MeasureError
from dissensus.measures.judge_grades import check_grades_used


class TestCoarseJudges:
    def judgments(self, *, graded: bool, tmp_path):
        rng = np.random.default_rng(1)
        rows = [("bin", f"d{i}", int(rng.integers(0, 2))) for i in range(20)]
        rows += [("ann", f"d{i}", i % 3) for i in range(20)] if graded else []
        frame = pl.DataFrame(rows, schema=["assessor", "doc", "grade"], orient="row").with_columns(topic=pl.lit("1"))
        frame.write_csv(tmp_path / "l.csv")
        return tmp_path / "l.csv"

    runs = ds.Runs.from_dict({"a": {1: {f"d{i}": float(i) for i in range(20)}}})

    def test_a_binary_judge_beside_a_graded_one_is_named(self, tmp_path):
        path = self.judgments(graded=True, tmp_path=tmp_path)
        with warned(DataWarning, "bin", 2, "P(rel=2)@10"):
            ds.evaluate(self.runs, ds.read_judgments(path, scale="0..2"), ["P(rel=2)@10"])

    def test_alone_it_is_refused_and_mapped_it_is_read(self, tmp_path):
        path = self.judgments(graded=False, tmp_path=tmp_path)
        with refused(MeasureError, 2, "P(rel=2)@10"):
            ds.evaluate(self.runs, ds.read_judgments(path, scale="0..2"), ["P(rel=2)@10"])
        mapped = ds.read_judgments(path, scale="0..2", map={"bin": {1: 2}})
        assert set(mapped.grade.tolist()) == {0, 2}
        assert float(ds.evaluate(self.runs, mapped, ["P(rel=2)@10"])["P(rel=2)@10"].mean()) > 0

    def test_the_command_maps(self, tmp_path, capsys):
        path = self.judgments(graded=False, tmp_path=tmp_path)
        self.runs.write(tmp_path / "a.run")
        words = ["evaluate", str(tmp_path / "a.run"), "-j", str(path), "--scale", "0..2", "-m", "P(rel=2)@10"]
        assert main(words) == 2
        assert "--map" in capsys.readouterr().err
        assert main([*words, "--map", "bin:1=2"]) == 0

    def test_a_map_for_nobody(self, tmp_path):
        path = self.judgments(graded=False, tmp_path=tmp_path)
        with refused(ds.DissensusError, "x"):
            ds.read_judgments(path, map={"x": {1: 2}})


def labels(**highest: int) -> ds.Judgments:
    content = {who: {"q": {f"d{i}": min(i, top) for i in range(12)}} for who, top in highest.items()}
    return ds.Judgments.from_dict(content, scale="0..3")


def test_all_assessors_too_coarse_is_an_error() -> None:
    with refused(MeasureError, 2, "P(rel=2)@5"):
        check_grades_used(labels(binary=1), [ds.measure("P(rel=2)@5")])


def test_some_are_warned_of() -> None:
    with warned(DataWarning, "binary", 2):
        check_grades_used(labels(binary=1, graded=3), [ds.measure("P(rel=2)@5")])


def test_grades_that_are_used_are_fine() -> None:
    check_grades_used(labels(graded=3), [ds.measure("P(rel=2)@5"), ds.measure("AP")])


def test_labels_without_a_relevant_document_give_no_number():
    runs = {"a": {"q": {f"d{i}": 1.0 - i / 20 for i in range(12)}}}
    nothing = {"q": {f"d{i}": 0 for i in range(12)}}
    with refused(ds.DissensusError, "P@10", by="judge_grades"):
        ds.evaluate(runs, nothing, ["P@10"])
    assert ds.evaluate(runs, nothing, ["Judged@10"])["Judged@10"].item() == pytest.approx(1)
    one = ds.Judgments.from_dict({"strict": nothing, "kind": {"q": {"d1": 1}}})
    assert ds.evaluate(runs, one, ["P@10"])["P@10"].sel(assessor="strict").item() == 0
