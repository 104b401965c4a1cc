"""Judgment files that used to give a number and must not: made from what was found on real work."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from small_files import file

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import DataWarning, FileError, JudgmentError, MeasureError


def crowd(tmp_path, name="crowd.csv", worker="_who", labels=200):
    rng = np.random.default_rng(0)
    rows = [(i % 20, f"w{i // 20}", int(rng.integers(0, 3))) for i in range(labels)]
    return file(tmp_path, name, f"topic,doc,{worker},grade\n" + "".join(f"1,d{d},{w},{g}\n" for d, w, g in rows))


class TestNames:
    def test_two_files_of_one_name_are_not_one_judge(self, tmp_path):
        for folder, grade in (("ja", 0), ("jb", 1)):
            (tmp_path / folder).mkdir()
            file(tmp_path / folder, "qrels.txt", f"1 0 d1 {grade}\n1 0 d2 1\n")
        both = [tmp_path / "ja" / "qrels.txt", tmp_path / "jb" / "qrels.txt"]
        with pytest.raises(FileError, match="both called 'qrels', and an assessor is named after its file"):
            ds.read_judgments(*both)
        named = ds.read_judgments(f"ann={both[0]}", f"bob={both[1]}")
        assert named.assessors == ("ann", "bob")
        assert ds.read_judgments({"ann": both[0], "bob": both[1]}).to_frame().equals(named.to_frame())

    def test_the_command_merges_named_files_only(self, tmp_path, capsys):
        for folder, grade in (("ja", 0), ("jb", 1)):
            (tmp_path / folder).mkdir()
            file(tmp_path / folder, "qrels.txt", f"1 0 d1 {grade}\n")
        both = [str(tmp_path / "ja" / "qrels.txt"), str(tmp_path / "jb" / "qrels.txt")]
        assert main(["merge", *both]) == 2
        assert "both called 'qrels'" in capsys.readouterr().err
        assert main(["merge", f"a={both[0]}", f"b={both[1]}"]) == 0

    def test_a_name_for_a_file_that_names_several(self, tmp_path):
        path = file(tmp_path, "a.csv", "topic,doc,assessor,grade\n1,d,ann,1\n1,d,bob,0\n")
        with pytest.raises(FileError, match="names several assessors"):
            ds.read_judgments(f"x={path}")


class TestCrowds:
    def test_a_worker_column_that_is_not_recognised_stops(self, tmp_path):
        with pytest.raises(JudgmentError, match="names no assessor, and 180 of its 200 labels"):
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
        with pytest.raises(JudgmentError, match="names no assessor"):
            ds.read_judgments(path)
        votes = ds.read_judgments(path, columns={"doc": "2", "assessor": "3", "grade": "4"}, repeated="keep")
        assert votes.topics == ("all",)
        assert len(votes) == rows

    @pytest.mark.parametrize("rows", [120, 40_000])
    def test_numbered_votes_are_not_qrels(self, tmp_path, rows):
        text = "".join(f"{i} q{i // 20} w{i % 4} {i % 2}\n" for i in range(rows))
        with pytest.raises(JudgmentError, match="does not look like qrels"):
            ds.read_judgments(file(tmp_path, "votes.txt", text))
        plain = "".join(f"{i} 0 d{i} 1\n" for i in range(rows))  # one document per topic is fine
        assert len(ds.read_judgments(file(tmp_path, "one.qrels", plain))) == rows

    def test_a_choice_is_respected(self, tmp_path):
        assert len(ds.read_judgments(crowd(tmp_path), repeated="first")) == 20


class TestAudits:
    def test_swapped_judgments_and_audit(self, tmp_path, capsys):
        audit = file(tmp_path, "audit.csv", "topic,doc,grade,inclusion\n1,d1,1,0.5\n1,d2,0,0.5\n")
        labels = file(tmp_path, "labels.csv", "topic,doc,assessor,grade\n1,d1,llm,1\n1,d2,llm,0\n")
        run = file(tmp_path, "a.run", "1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n")
        with pytest.raises(FileError, match="it is an audit"):
            ds.read_judgments(audit)
        assert main(["correct", str(run), "-j", str(audit), "--audit", str(labels), "-m", "P@10"]) == 2
        assert "--audit" in capsys.readouterr().err


class TestLabels:
    def test_names_without_an_order_are_neither_scored_nor_written(self, tmp_path, capsys):
        path = file(tmp_path, "l.csv", "topic,doc,assessor,grade\n1,d,ann,relevant\n1,e,ann,not_relevant\n")
        run = ds.Runs.from_dict({"a": {1: {"d": 2.0, "e": 1.0}}})
        with pytest.raises(ds.DissensusError, match="names whose order is not known"):
            ds.evaluate(run, ds.read_judgments(path), ["AP"])
        out = tmp_path / "merged.qrels"
        assert main(["merge", str(path), "-o", str(out)]) == 2
        assert "--scale" in capsys.readouterr().err
        assert not out.exists()
        assert main(["merge", str(path), "--scale", "not_relevant,relevant", "-o", str(out)]) == 0
        assert out.read_text() == "1 0 d 1\n1 0 e 0\n"

    def test_na_is_missing_and_no_grade(self, tmp_path):
        path = file(tmp_path, "l.csv", "topic,doc,assessor,grade\n1,d,ann,good\n1,e,ann,NA\n1,f,ann,\n")
        with pytest.raises(JudgmentError, match=r"l\.csv:3: the grade is missing \('NA'\); 2 are"):
            ds.read_judgments(path)
        read = ds.read_judgments(path, missing="skip")
        assert len(read) == 1
        assert "2 rows without a grade left out" in read.notes
        named = ds.read_judgments(path, missing="skip", scale="NA,good")
        assert len(named) == 1  # skipped before the scale is looked at


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
        with pytest.warns(DataWarning, match=r"bin never gives grade 2 or above, which P\(rel=2\)@10 needs"):
            ds.evaluate(self.runs, ds.read_judgments(path, scale="0..2"), ["P(rel=2)@10"])

    def test_alone_it_is_refused_and_mapped_it_is_read(self, tmp_path):
        path = self.judgments(graded=False, tmp_path=tmp_path)
        with pytest.raises(MeasureError, match="bin never gives grade 2"):
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
        with pytest.raises(ds.DissensusError, match="names the assessor 'x'"):
            ds.read_judgments(path, map={"x": {1: 2}})


class TestScores:
    def test_fractions_are_scores_kept_in_bins(self):
        values = np.linspace(0, 1, 50)
        judged = ds.Judgments.from_dict({"llm": {1: {f"d{i:02d}": float(v) for i, v in enumerate(values)}}})
        assert judged.scale.binned
        assert np.bincount(judged.grade).tolist() == [5] * 10
        assert judged.value is not None
        np.testing.assert_array_equal(judged.value, values)
        assert judged.gains()[0] == pytest.approx(values[:5].mean())
        run = ds.Runs.from_dict({"a": {1: {"d49": 1.0}}})
        with pytest.raises(MeasureError, match="scores, not grades"):
            ds.evaluate(run, judged, ["P@1"])

    def test_a_threshold_makes_grades(self, tmp_path):
        path = file(tmp_path, "l.csv", "topic,doc,grade\n1,a,0.2\n1,b,0.5\n1,c,0.9\n")
        with pytest.raises(JudgmentError, match="neither a whole number nor a name"):
            ds.read_judgments(path)  # three fractions may be slips
        assert ds.read_judgments(path, threshold=0.5).grade.tolist() == [0, 1, 1]
        assert ds.read_judgments(path, threshold=(0.3, 0.8)).grade.tolist() == [0, 1, 2]
