"""A generated study with audit and truth, and its report, for the tests of the report; each is made once."""

from __future__ import annotations

from functools import cache

import dissensus as ds
from dissensus.io.samples import generated_collection
from dissensus.measures.catalog import measure_list
from dissensus.reporting.answer import Answer, answer_of
from dissensus.reporting.blocks import Paragraph, Section
from dissensus.reporting.build import build
from dissensus.reporting.study import ReportedStudy
from dissensus.tables.audit import Audit

SAMPLE = generated_collection(seed=0, topics=20)
MEASURES = tuple(measure_list(["P(rel=2)@10", "nDCG@10"]))


@cache
def full_study() -> ReportedStudy:
    """Everything is known: an audit of the judge llm, and the truth."""
    return ReportedStudy(SAMPLE.runs, SAMPLE.judgments, MEASURES, SAMPLE.audit, SAMPLE.truth, "llm")


@cache
def plain_study() -> ReportedStudy:
    """One assessor's labels, as they are."""
    return ReportedStudy(SAMPLE.runs, SAMPLE.judgments.select(assessors=["ann"]), MEASURES[:1])


@cache
def full_outcome() -> Answer:
    return answer_of(full_study())


@cache
def full_report() -> tuple[Section, ...]:
    return tuple(build(full_study()).sections)


def full_section(key: str) -> Section:
    return next(s for s in full_report() if s.key == key)


def text_of(section: Section) -> str:
    return " ".join(b.text for b in section.blocks if isinstance(b, Paragraph))


def table_of(section: Section, name: str):
    return next(b.frame for b in section.tables() if b.name == name)


def planned(purpose: str, budget: int = 300) -> Audit:
    """An audit planned for the collection's llm judge, graded by its truth."""
    judge = SAMPLE.judgments.select(assessors=["llm"])
    todo = ds.plan(SAMPLE.runs, judge, None, budget, measures=MEASURES[0], seed=1, purpose=purpose).sample
    truth = SAMPLE.truth.to_frame().select("topic", "doc", "grade")
    return Audit.from_frame(todo.drop("grade").join(truth, on=["topic", "doc"]), scale="0..3")
