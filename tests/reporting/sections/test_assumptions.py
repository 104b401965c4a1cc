"""Assumptions: only findings that concern a number of the report are warnings."""

from __future__ import annotations

from reported_study import full_outcome, full_section, full_study, plain_study, table_of, text_of
from wording import phrase

from dissensus.inference.correction.diagnosis import MATRIX
from dissensus.reporting.answer import answer_of
from dissensus.reporting.blocks import Paragraph
from dissensus.reporting.sections import assumptions


def test_every_finding_is_listed_and_its_worry_is_a_warning():
    section = full_section("assumptions")
    frame = table_of(section, "findings")
    assert frame.height == sum(len(each) for each in full_study().corrected.diagnosis.values())
    warnings = {b.text for b in section.blocks if isinstance(b, Paragraph) and b.kind == "warning"}
    assert warnings == set(frame.filter(frame["worry"] == "yes")["finding"])


def test_faults_of_the_matrix_do_not_concern_rectified_scores():
    frame = table_of(full_section("assumptions"), "findings")
    through_matrix = frame.filter(frame["test"].is_in(MATRIX))
    assert through_matrix.height
    assert set(through_matrix["worry"]) == {"no"}


def test_the_line_counts_findings_and_names_doubts():
    frame = table_of(full_section("assumptions"), "findings")
    line = assumptions.line(full_study())
    assert line.startswith(f"{frame.height} findings")
    for name in set(frame.filter(frame["worry"] == "yes")["test"]):
        assert name in line


def test_the_diagnosis_of_pairs_is_that_of_the_outcome():
    assert table_of(full_section("assumptions"), "diagnosis").equals(full_outcome().diagnosis)


def test_without_an_audit_nothing_was_tested():
    study = plain_study()
    section = assumptions.build(study, answer_of(study))
    assert section.line.startswith(phrase("assumptions.not-tested"))
    assert not section.tables()
    assert phrase("assumptions.assumed-not-tested") in text_of(section)
