"""The first screen."""

from __future__ import annotations

import pytest
from reported_study import MEASURES, SAMPLE, full_outcome, full_report, full_study, plain_study, text_of
from wording import phrase

import dissensus as ds
from dissensus.inference.correction.api import correct
from dissensus.measures.catalog import measure_list
from dissensus.reporting.answer import answer_of
from dissensus.reporting.blocks import ChartBlock, Section
from dissensus.reporting.open_questions import Question
from dissensus.reporting.sections.answer import question_table, verdict, warnings
from dissensus.reporting.study import ReportedStudy


@pytest.fixture(name="full")
def _full() -> ReportedStudy:
    return full_study()


@pytest.fixture(name="built")
def _built() -> tuple[Section, ...]:
    return full_report()


def test_the_answer_is_the_librarys_answer(full: ReportedStudy, built: tuple[Section, ...]) -> None:
    found = correct(SAMPLE.runs, SAMPLE.judgments, SAMPLE.audit, MEASURES[0], assessor="llm")
    best = found.table.sort("corrected", descending=True)["system"][0]
    assert best == "crossenc"
    said = text_of(built[0])
    assert said.startswith("crossenc ")
    assert phrase("answer.llm-rerank-come-first", "crossenc") in said
    pairs = next(b.table for b in built[1].blocks if isinstance(b, ChartBlock))
    assert pairs is not None
    assert pairs.frame.height == 28
    ranks = next(b for b in built[1].tables() if b.name == "ranks")
    order = next(b for b in built[0].tables() if b.name == "order").frame
    pooled = found.table.sort("pooled", descending=True)
    assert order["system"].to_list() == pooled["system"].to_list()
    assert order["low"].to_list() == pytest.approx(pooled["pooled_low"].to_list())
    shared = found.compare_all().ranks()
    assert ranks.frame.equals(shared.drop("measure"))
    assert ranks.frame["system"][0] == best
    assert ranks.frame["low"][0] == 1
    assert phrase("answer.hold-true-ranks-all", 95) in ranks.caption


def test_the_verdict_is_the_claims_and_remarks_of_the_outcome():
    found = full_outcome()
    said = verdict(found)
    assert said[0] == str(found.outcome.headline)
    assert said == [*map(str, found.outcome.claims), *found.outcome.remarks]


def test_open_questions_say_what_labels_and_topics_would_do():
    asked = [Question("x", "y", 0.02, 150, None), Question("x", "z", 0.01, None, 80), Question("y", "z", 0.03, 0, 0)]
    frame = question_table(asked, audited=True)
    assert frame["more expert labels"].to_list() == [
        phrase("answer.about", 150),
        phrase("answer.labels-alone-cannot"),
        "none",
    ]
    assert frame["topics in all"].to_list() == [
        phrase("answer.these-topics-do"),
        phrase("answer.about", 80),
        phrase("answer.enough-for-this-question"),
    ]
    assert "more expert labels" not in question_table(asked, audited=False).columns


def test_without_an_audit_the_reader_is_warned():
    (block,) = warnings(plain_study(), answer_of(plain_study()))
    assert block.kind == "warning"
    assert phrase("answer.no-expert-audit-given") in block.text


def test_shares_are_those_of_the_audited_documents() -> None:
    docs = "uvwxyz"
    runs = ds.Runs.from_dict(
        {
            s: {f"q{q}": {d: float(k) for k, d in enumerate(order)} for q in range(5)}
            for s, order in (("A", docs), ("B", docs[::-1]))
        }
    )
    judge = {f"q{q}": dict(zip(docs, [2, 1, 0, 2, 1, 0], strict=True)) for q in range(5)}
    gold = {f"q{q}": dict(zip(docs, [2, 0, 0, 2, 2, 0], strict=True)) for q in range(5)}  # v too kind, y too strict
    study = ReportedStudy(
        runs, ds.Judgments.from_dict({"llm": judge}), tuple(measure_list(["P@2"])),
        ds.Audit.from_dict(gold, inclusion={t: dict.fromkeys(docs, 1.0) for t in gold}),
    )  # fmt: skip
    assert study.corrected is not None
    assert study.corrected.judge is not None
    agreement = study.corrected.judge.agreement  # stands with the claims, once
    assert agreement.startswith(phrase("audit-sentence.gave-experts-grade", 67))
    assert agreement.endswith(phrase("audit-sentence.experts-higher-lower", 17, 17))
