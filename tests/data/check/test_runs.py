"""What is odd about runs alone."""

from __future__ import annotations

from odd_collections import clean_runs, said
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
