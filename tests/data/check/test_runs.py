"""What is odd about runs alone."""

from __future__ import annotations

from odd_collections import clean_runs, said

import dissensus as ds


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
