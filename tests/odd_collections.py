"""Runs and judgments about which a check has nothing to say, and what it says in one line each."""

from __future__ import annotations

from dissensus.io.check.findings import CheckReport


def said(report: CheckReport) -> list[str]:
    return [f"{f.severity}: {f.what}" + (f" [{f.where}]" if f.where else "") for f in report.findings]


def clean_runs(n_topics=3):
    return {
        s: {t: {f"d{(i * k) % 31}": 50.0 - i for i in range(1, 31)} for t in range(n_topics)}
        for s, k in (("a", 1), ("b", 7))
    }


def clean_judgments(n_topics=3):
    return {w: {t: {f"d{i}": (i + j) % 3 for i in range(31)} for t in range(n_topics)} for j, w in enumerate("xy")}
