"""Findings: their order, texts and forms."""

from __future__ import annotations

import json

from dissensus.io.check.findings import CheckReport, Finding, listed, some


def test_forms_of_the_report():
    report = CheckReport.of([Finding("note", "b"), Finding("error", "a", "s", 9, ("x", "y"), ("Fix it.",))], ["Runs"])
    assert str(report).split("\n") == ["error: a (s)", "  x, y …", "  Fix it.", "note: b", "", "Runs", report.summary()]
    assert json.loads(report.to_json())["tables"]["findings"][0]["way_out"] == "Fix it."
    assert report.to_frame().columns == ["severity", "what", "where", "count", "examples", "way_out"]
    assert CheckReport.of([]).to_frame().height == 0


def test_worst_first_and_only_errors_fail() -> None:
    findings = [Finding("note", "c"), Finding("warning", "b"), Finding("error", "a"), Finding("note", "d")]
    report = CheckReport.of(findings)
    assert [f.what for f in report.findings] == ["a", "b", "c", "d"]
    assert report.counts() == {"error": 1, "warning": 1, "note": 2}
    assert not report.ok
    assert CheckReport.of(findings[:2]).ok
    assert some(map(str, range(9))) == ("0", "1", "2", "3", "4")


def test_many_names_are_one_finding_and_none_is_no_finding() -> None:
    names = [str(i) for i in range(7)]
    assert list(listed("note", "odd", names, "Fix it.", where="s")) == [
        Finding("note", "odd", "s", 7, tuple(names[:5]), ("Fix it.",))
    ]
    assert not list(listed("note", "odd", []))
