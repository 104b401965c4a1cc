"""What is odd about runs alone."""

from __future__ import annotations

from odd_collections import clean_judgments, clean_runs, said
from wording import phrase

import dissensus as ds


def test_ties_constants_short_missing_and_identical_rankings():
    runs = clean_runs(12)
    runs["flat"] = {t: {f"d{i}": 1.0 for i in range(20)} for t in range(12)}
    runs["copy"] = runs["a"]
    del runs["b"][4]
    runs["b"][5] = {"d1": 1.0}
    report = ds.check(ds.Runs.from_dict(runs))
    assert said(report) == [
        phrase("check-runs.rankings-tied-scores-rank", 12, 47, 10),
        phrase("check-runs.every-ranking-score-order", "flat"),
        phrase("check-runs.topics-systems-missing", 1, 12, "b"),
        phrase("check-runs.systems-identical-rankings-all"),
        phrase("check-runs.rankings-hold-fewer-documents", 1, 10, 30),
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
        phrase("check-judgments.gives-all-documents-grade", 15, 1),
        phrase("check-judgments.assessors-fewer-labels", 10),
        phrase("check-judgments.topics-no-relevant-document", 1, 2, "shy"),
        phrase("check-judgments.grade-below-zero-pool", 1),
        phrase("check-judgments.grades-no-assessor-gave"),
        phrase("check-judgments.assessors-never-give-grade", 2),
        phrase("check-judgments.assessors-judged-some-topics", 2),
    ]
    assert next(f for f in found.findings if phrase("check-judgments.no-assessor") in f.what).examples == ("3", "4")


def test_scales():
    names = ds.check(judgments=ds.Judgments.from_dict({"a": {1: {"x": "no", "y": "yes"}}}))
    assert not names.ok
    assert 'scale="no,yes"' in str(names)
    one_up = ds.check(judgments=ds.Judgments.from_dict({"a": {1: {"x": 1, "y": 2}}}, scale="1..2"))
    assert phrase("check-judgments.lowest-grade-all-grades", 1, 1) in said(one_up)
    undeclared = ds.check(judgments=ds.Judgments.from_dict({"a": {1: {"x": 0, "y": 2}}}))
    assert phrase("check-judgments.no-scale-declared-grades", 0, 2) in said(undeclared)
