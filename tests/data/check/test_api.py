"""The check says everything that is odd, and nothing about what is not."""

from __future__ import annotations

from odd_collections import clean_judgments, clean_runs, said
from paths import shared_data
from refusals import refused, states

import dissensus as ds


def test_clean_data_give_nothing():
    report = ds.check(ds.Runs.from_dict(clean_runs()), ds.Judgments.from_dict(clean_judgments(), scale="0..2"))
    assert said(report) == ["note: 3 of 93 judged documents were retrieved by no system"]
    assert report.ok
    assert report.summary() == "0 errors, 0 warnings, 1 note"


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
    assert states(report, "x.qrels:1", "y.qrels:1", 1, 0)


def test_nothing_to_check():
    with refused(ds.DissensusError, by="check.api.check"):
        ds.check()


def test_real_runs():
    folder = shared_data("trec-robust03")
    report = ds.check(folder / "runs" / "*", folder / "qrels.robust03.txt.gz")
    assert report.ok
    assert "note: 2.1% of the documents in the top 10 are unjudged" in said(report)
