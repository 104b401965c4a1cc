"""The check says everything that is odd, and nothing about what is not."""

from __future__ import annotations

from odd_collections import clean_judgments, clean_runs, said
from paths import shared_data
from refusals import refused, states
from wording import phrase

import dissensus as ds
from dissensus.io.reading import runs_from_files


def test_clean_data_give_nothing():
    report = ds.check(ds.Runs.from_dict(clean_runs()), ds.Judgments.from_dict(clean_judgments(), scale="0..2"))
    assert said(report) == [phrase("check.judged-documents-retrieved-no", 3, 93)]
    assert report.ok
    assert report.summary() == "0 errors, 0 warnings, 1 note"


def test_runs_and_judgments_that_do_not_belong_together():
    runs = ds.Runs.from_dict(clean_runs())
    others = ds.Judgments.from_dict({"a": {"q7": {"d1": 1}}})
    report = ds.check(runs, others)
    assert not report.ok
    assert phrase("check.error-no-topic-runs", 0, 1, 2, "q7") in said(report)
    strange = ds.check(runs, ds.Judgments.from_dict({"a": {0: {"FT-1": 1}, 8: {"FT-2": 0}}}, scale="0..1"))
    assert phrase("check.error-no-system-retrieved", "d1", "FT-1") in said(strange)
    assert phrase("check.judged-topics-no-run", 1, 2, 0) in said(strange)
    assert phrase("check.topics-runs-judged-no", 2, 3) in said(strange)
    lost = ds.check(
        ds.Runs.from_dict({**clean_runs(), "c": {"q9": {"d1": 1.0}}}), ds.Judgments.from_dict(clean_judgments())
    )
    assert phrase("check.error-none-topics-judged", "c") in said(lost)


def test_unjudged_documents_in_the_top_ten():
    runs = ds.Runs.from_dict({"s": {1: {f"d{i}": -float(i) for i in range(20)}}})
    report = ds.check(runs, ds.Judgments.from_dict({"a": {1: {f"d{i}": i % 2 for i in range(4)} | {"d4": -1}}}))
    assert phrase("check.warning-documents-top", "60.0", 10) in said(report)


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
        phrase("check.judgments-label-assessor-document"),
    )


def test_sound_files_are_read_once(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / f"{name}.run").write_text("1 Q0 x 1 1.0 t\n")
    calls = []

    def read(files, options):
        calls.append(files)
        return runs_from_files(files, options)

    monkeypatch.setattr("dissensus.io.check.api.runs_from_files", read)
    assert ds.check(str(tmp_path / "*.run")).ok
    assert len(calls) == 1


def test_conflicts_across_files(tmp_path):
    (tmp_path / "x.qrels").write_text("1 ann d 1\n")
    (tmp_path / "y.qrels").write_text("1 ann d 0\n")
    report = ds.check(judgments=[tmp_path / "x.qrels", tmp_path / "y.qrels"], assessor="column")
    assert not report.ok
    assert states(report, "x.qrels:1", "y.qrels:1", 1, 0)


def test_nothing_to_check():
    with refused(ds.DissensusError):
        ds.check()


def test_real_runs():
    folder = shared_data("trec-robust03")
    report = ds.check(folder / "runs" / "*", folder / "qrels.robust03.txt.gz")
    assert report.ok
    assert phrase("check.documents-top-unjudged", "2.1", 10) in said(report)
