"""The check says everything that is odd, and nothing about what is not."""

from __future__ import annotations

import json

import pytest
from paths import shared_data

import dissensus as ds
from dissensus.data.check.findings import CheckReport, Finding


def said(report: CheckReport) -> list[str]:
    return [f"{f.severity}: {f.what}" + (f" [{f.where}]" if f.where else "") for f in report.findings]


def clean_runs(n_topics=3):
    return {
        s: {t: {f"d{(i * k) % 31}": 50.0 - i for i in range(1, 31)} for t in range(n_topics)}
        for s, k in (("a", 1), ("b", 7))
    }


def clean_judgments(n_topics=3):
    return {w: {t: {f"d{i}": (i + j) % 3 for i in range(31)} for t in range(n_topics)} for j, w in enumerate("xy")}


def test_clean_data_give_nothing():
    report = ds.check(ds.Runs.from_dict(clean_runs()), ds.Judgments.from_dict(clean_judgments(), scale="0..2"))
    assert said(report) == ["note: 3 of 93 judged documents were retrieved by no system"]
    assert report.ok
    assert report.summary() == "0 errors, 0 warnings, 1 note"


def test_ties_constants_short_missing_and_identical_rankings():
    runs = clean_runs(12)
    runs["flat"] = {t: {f"d{i}": 1.0 for i in range(20)} for t in range(12)}
    runs["copy"] = runs["a"]
    del runs["b"][4]
    runs["b"][5] = {"d1": 1.0}
    report = ds.check(ds.Runs.from_dict(runs))
    assert said(report) == [
        "warning: 12 of 47 rankings have tied scores at rank 10: document ids decide",
        "warning: every ranking has one score only: its order is that of the document ids [flat]",
        "warning: 1 of 12 topics that other systems have are missing [b]",
        "warning: systems with identical rankings on all topics",
        "note: 1 rankings hold fewer than 10 documents; the median is 30",
    ]
    twins = next(f for f in report.findings if "identical" in f.what)
    assert twins.examples == ("a", "copy")
    assert report.ok


def test_judgments_alone():
    judged = clean_judgments(2)
    judged["one"] = {0: {f"d{i}": 1 for i in range(15)}}
    judged["shy"] = {0: {f"d{i}": i % 2 for i in range(15)}, 1: {"d1": 0}}
    judged["rare"] = {1: {"d1": 2, "d2": -1}}
    found = ds.check(judgments=ds.Judgments.from_dict(judged, scale="0..4"))
    assert said(found) == [
        "warning: gives all 15 documents the grade 1 [one]",
        "warning: assessors with fewer than 10 labels",
        "warning: 1 of 2 topics have no relevant document [shy]",
        "note: 1 grade below zero: in the pool, unjudged",
        "note: grades that no assessor gave",
        "note: assessors who never give the grade 2, which others do",
        "note: assessors who judged only some of the 2 topics",
    ]
    assert next(f for f in found.findings if "no assessor" in f.what).examples == ("3", "4")


def test_scales():
    names = ds.check(judgments=ds.Judgments.from_dict({"a": {1: {"x": "no", "y": "yes"}}}))
    assert not names.ok
    assert 'scale="no,yes"' in str(names)
    one_up = ds.check(judgments=ds.Judgments.from_dict({"a": {1: {"x": 1, "y": 2}}}, scale="1..2"))
    assert "warning: the lowest grade is 1: all grades of at least 1 count as relevant" in said(one_up)
    undeclared = ds.check(judgments=ds.Judgments.from_dict({"a": {1: {"x": 0, "y": 2}}}))
    assert "note: no scale was declared; the grades read off the data are 0 to 2" in said(undeclared)


def test_runs_and_judgments_that_do_not_belong_together():
    runs = ds.Runs.from_dict(clean_runs())
    others = ds.Judgments.from_dict({"a": {"q7": {"d1": 1}}})
    report = ds.check(runs, others)
    assert not report.ok
    assert "error: no topic of the runs was judged: the runs have 0, 1, 2 …, the judgments q7 …" in said(report)
    strange = ds.check(runs, ds.Judgments.from_dict({"a": {0: {"FT-1": 1}, 8: {"FT-2": 0}}}, scale="0..1"))
    assert "error: no system retrieved a judged document: runs have ids like d1, judgments like FT-1" in said(strange)
    assert "warning: 1 of 2 judged topics are in no run: they score 0 for all systems" in said(strange)
    assert "note: 2 of 3 topics of the runs were judged by no assessor: they are not scored" in said(strange)
    lost = ds.check(
        ds.Runs.from_dict({**clean_runs(), "c": {"q9": {"d1": 1.0}}}), ds.Judgments.from_dict(clean_judgments())
    )
    assert "error: none of its topics was judged [c]" in said(lost)


def test_unjudged_documents_in_the_top_ten():
    runs = ds.Runs.from_dict({"s": {1: {f"d{i}": -float(i) for i in range(20)}}})
    report = ds.check(runs, ds.Judgments.from_dict({"a": {1: {f"d{i}": i % 2 for i in range(4)} | {"d4": -1}}}))
    assert "warning: 60.0% of the documents in the top 10 are unjudged" in said(report)


def test_all_bad_files_are_named(tmp_path):
    for name, text in {
        "a.run": "1 Q0 d 1 nan t\n",
        "b.run": "1 Q0 d 1 2 t\n1 Q0 d 2 1 t\n",
        "c.run": "1 Q0 d 1 2.5 t\n",
        "x.qrels": "1 0 d\n",
        "y.qrels": "1 0 d 1\n",
    }.items():
        (tmp_path / name).write_text(text)
    report = ds.check([tmp_path / "*.run", tmp_path / "gone.run"], str(tmp_path / "*.qrels"))
    errors = [f.what for f in report.findings if f.severity == "error"]
    assert [next(n for n in ("a.run", "b.run", "gone.run", "x.qrels") if n in e) for e in errors] == [
        "gone.run", "a.run", "b.run", "x.qrels",
    ]  # fmt: skip
    assert report.read == (
        "Runs(1 system, 1 topic, 1 row)",
        "Judgments(1 label, 1 assessor, 1 document, 1 topic, scale 0…1 (read off the data))",
    )


def test_sound_files_are_read_once(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / f"{name}.run").write_text("1 Q0 x 1 1.0 t\n")
    calls = []

    def read(*files, **options):
        calls.append(files)
        return ds.read_runs(*files, **options)

    monkeypatch.setattr("dissensus.data.check.api.read_runs", read)
    assert ds.check(str(tmp_path / "*.run")).ok
    assert len(calls) == 1


def test_conflicts_across_files(tmp_path):
    (tmp_path / "x.qrels").write_text("1 ann d 1\n")
    (tmp_path / "y.qrels").write_text("1 ann d 0\n")
    report = ds.check(judgments=[tmp_path / "x.qrels", tmp_path / "y.qrels"], assessor="column")
    assert not report.ok
    assert "the grades 1 and 0" in str(report)


def test_forms_of_the_report():
    report = CheckReport.of([Finding("note", "b"), Finding("error", "a", "s", 9, ("x", "y"), ("Fix it.",))], ["Runs"])
    assert str(report) == "Runs\nerror: a (s)\n  x, y …\n  Fix it.\nnote: b\n1 error, 0 warnings, 1 note"
    assert json.loads(report.to_json())["findings"][0]["way_out"] == "Fix it."
    assert report.to_frame().columns == ["severity", "what", "where", "count", "examples", "way_out"]
    assert CheckReport.of([]).to_frame().height == 0


def test_nothing_to_check():
    with pytest.raises(ds.DissensusError, match="neither runs nor judgments"):
        ds.check()


def test_real_runs():
    folder = shared_data("trec-robust03")
    report = ds.check(folder / "runs" / "*", folder / "qrels.robust03.txt.gz")
    assert report.ok
    assert "note: 2.1% of the documents in the top 10 are unjudged" in said(report)
