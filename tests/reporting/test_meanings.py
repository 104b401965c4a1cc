"""Every column of every table of a report says what it means: its title tells people, its tooltip the meaning."""

from __future__ import annotations

import pytest
from paths import ROOT

from dissensus.io.api import read_audit, read_judgments, read_runs
from dissensus.measures.catalog import measure_list
from dissensus.reporting.build import Built, build
from dissensus.reporting.study import ReportedStudy
from dissensus.results import Result

E = ROOT / "examples"


@pytest.fixture(scope="module")
def built() -> Built:
    runs, labels = read_runs(E / "runs"), read_judgments(E / "labels.csv")
    audit = read_audit(E / "audit.csv")
    return build(ReportedStudy(runs, labels, tuple(measure_list(["P@10", "nDCG@10"])), audit, assessor="llm"))


def test_every_column_of_a_report_has_a_meaning(built: Built) -> None:
    tables = {f"{s.key} {b.name}": b.table for s in built.sections for b in s.tables()}
    assert len(tables) > 15
    bare = [(name, c.name) for name, t in tables.items() for c in t.columns.values() if not c.meaning]
    assert bare == []


def test_the_answer_is_a_result_and_its_tables_are_the_page_s(built: Built) -> None:
    assert isinstance(built.answer, Result)
    shown = {b.name: b.table for s in built.sections[:2] for b in s.tables()}
    assert shown["order"].frame.equals(built.answer.to_frame("order"))
    assert shown["ranks"].columns["low"].meaning == built.answer.tables["ranks"].columns["low"].meaning
