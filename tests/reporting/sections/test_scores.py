"""The section of scores."""

from __future__ import annotations

import polars as pl
import pytest
from reported_study import full_report, full_study, text_of
from wording import phrase

from dissensus.reporting.answer import answer_of
from dissensus.reporting.blocks import Section, TableBlock
from dissensus.reporting.sections.scores import kinds_table
from dissensus.reporting.study import ReportedStudy


@pytest.fixture(name="full")
def _full() -> ReportedStudy:
    return full_study()


@pytest.fixture(name="built")
def _built() -> tuple[Section, ...]:
    return full_report()


def test_scores_stand_by_agreement_of_the_judges(full: ReportedStudy, built: tuple[Section, ...]) -> None:
    scores = built[2]
    table = next(b for b in scores.tables() if b.name == "strata").frame
    assert table.columns == ["measure", "system", "all", "high (7 topics)", "middle (6 topics)", "low (7 topics)"]
    assert table.height == 2 * len(full.systems)
    naive = kinds_table(full).filter(pl.col("kind") == "naive")
    means = dict(zip(naive["system"], naive["score"], strict=True))
    first = table.filter(pl.col("measure") == full.measure)
    assert first["all"].to_list() == pytest.approx([means[s] for s in first["system"]])
    assert phrase("scores.llm-high-low-agreement", "P(rel=2)@10") in text_of(scores)


def test_tables_hold_what_was_computed(full: ReportedStudy, built: tuple[Section, ...]) -> None:
    table = next(b for b in built[2].blocks if isinstance(b, TableBlock) and b.name == "assessors")
    row = table.frame.filter((pl.col("measure") == "P(rel=2)@10") & (pl.col("system") == "bm25")).row(0, named=True)
    system = full.scores.systems.index("bm25")
    judge = full.scores.assessors.index("llm")
    assert row["llm"] == pytest.approx(float(full.scores.values["P(rel=2)@10"][judge, system].mean()))
    assert answer_of(full).order[0] == "crossenc"
