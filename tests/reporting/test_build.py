"""The report: sections in order, honest about what is missing, the verdict the same as the library's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from reported_study import MEASURES, SAMPLE, full_report, full_study, text_of
from wording import phrase

from dissensus.reporting.blocks import ChartBlock, Section
from dissensus.reporting.build import build, report, write_page
from dissensus.reporting.figures import raw_curve
from dissensus.reporting.study import ReportedStudy
from dissensus.tables.audit import Audit
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

KEYS = [
    "answer", "differences", "scores", "judges", "judge-set", "merging", "ceiling", "weights", "measures", "data",
    "assumptions",
]  # fmt: skip


@pytest.fixture(name="full")
def _full() -> ReportedStudy:
    return full_study()


@pytest.fixture(name="built")
def _built() -> tuple[Section, ...]:
    return full_report()


def test_sections_stand_in_the_order_of_importance(built: tuple[Section, ...]) -> None:
    assert [s.key for s in built] == KEYS
    assert [s.key for s in built if s.missing] == []
    assert all(
        any(isinstance(b, ChartBlock) for b in s.blocks) for s in built if s.key not in ("answer", "assumptions")
    )
    assert all(s.line for s in built[1:])


def test_without_an_audit_the_report_warns_instead_of_correcting() -> None:
    study = ReportedStudy(SAMPLE.runs, SAMPLE.judgments, MEASURES)
    computed = build(study)
    made = {s.key: s for s in computed.sections}
    assert phrase("answer.no-expert-audit-given") in text_of(made["answer"])
    assert phrase("build.majority-assessors", 6) in text_of(made["answer"])
    assert phrase("build.audit-test") in text_of(made["assumptions"])


def test_one_assessor_leaves_sections_out_and_says_why() -> None:
    study = ReportedStudy(SAMPLE.runs, SAMPLE.judgments.select(assessors=["ann"]), MEASURES[:1])
    computed = build(study)
    made = {s.key: s for s in computed.sections}
    for key in ("judges", "merging", "ceiling", "weights"):
        assert made[key].missing
        assert phrase("sections-ceiling.one-assessor") in str(made[key].missing)
    assert made["scores"].missing is None


def test_one_system_and_few_topics_do_not_break_it() -> None:
    runs = SAMPLE.runs.select(systems=["bm25"], topics=SAMPLE.runs.topics[:3])
    labels = SAMPLE.judgments.select(topics=SAMPLE.runs.topics[:3])
    made = {s.key: s for s in build(ReportedStudy(runs, labels, MEASURES)).sections}
    assert phrase("build.there-is-one-system", "bm25") in text_of(made["answer"])
    assert "Only 3 topics" in text_of(made["answer"])


def test_an_audit_that_cannot_be_used_is_said_and_left_out() -> None:
    topic = SAMPLE.runs.topics[:1]
    audit = Audit.from_frame(SAMPLE.audit.to_frame().filter(pl.col("topic") == topic[0]), scale="0..3")
    study = ReportedStudy(
        SAMPLE.runs.select(topics=topic), SAMPLE.judgments.select(topics=topic), MEASURES[:1], audit, assessor="llm"
    )
    computed = build(study)
    made = {s.key: s for s in computed.sections}
    assert phrase("build.audit-not-used") in text_of(made["answer"])
    assert made["scores"].missing is None


def test_progress_names_every_stage() -> None:
    said: list[str] = []
    build(ReportedStudy(SAMPLE.runs, SAMPLE.judgments, MEASURES[:1], progress=said.append))
    assert len(said) == len(KEYS)


def test_a_failed_write_leaves_the_old_report(
    full: ReportedStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")

    def interrupted(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("dissensus.reporting.build.render", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_page(build(full), target)
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_many_systems_and_assessors_stay_within_bounds() -> None:
    rng = np.random.default_rng(0)
    true = rng.random((10, 20)) < 0.3
    runs = {
        f"s{s:02d}": {
            f"t{t}": {f"d{d}": float(true[t, d] * s / 30 + rng.normal()) for d in range(20)} for t in range(10)
        }
        for s in range(60)
    }
    said = {
        f"w{w:02d}": {
            f"t{t}": {f"d{d}": int(true[t, d] ^ (rng.random() < 0.2)) for d in rng.choice(20, 8, replace=False)}
            for t in range(10)
        }
        for w in range(70)
    }
    study = ReportedStudy(Runs.from_dict(runs), Judgments.from_dict(said), MEASURES[1:])
    computed = build(study)
    made = {s.key: s for s in computed.sections}
    assert not [key for key, s in made.items() if s.missing]
    pairs = next(b.table for b in made["differences"].blocks if isinstance(b, ChartBlock))
    assert pairs is not None
    assert pairs.frame.height == 60 * 59 // 2
    captions = [b.caption for b in made["judges"].blocks if isinstance(b, ChartBlock)]
    assert phrase("build.first-last", 30, 70) in captions[0]
    page = report(computed)
    assert len(page) < 4_200_000


def test_the_report_joins_once_corrects_once_and_compares_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One join, one correction, and one family of comparisons for each target, of corrected and of pooled scores.

    The second join and the last two families are for the other judge who labelled everything.
    """
    from dissensus.inference.correction import result
    from dissensus.reporting import study
    from dissensus.reporting.sections import judge_set
    from dissensus.tables import collection

    calls = {"find_hits": 0, "correct_under": 0, "compare_everyone": 0}

    def counting(module: object, name: str) -> None:
        original = getattr(module, name)

        def count(*given: object, **named: object) -> object:
            calls[name] += 1
            return original(*given, **named)

        monkeypatch.setattr(module, name, count)

    monkeypatch.setattr(judge_set, "LEAST", 99)  # that section corrects under every judge
    counting(collection, "find_hits")  # whoever joins, finds its hits here
    counting(study, "correct_under")
    counting(result, "compare_everyone")
    small = SAMPLE.runs.select(topics=SAMPLE.runs.topics[:12])
    computed = build(ReportedStudy(small, SAMPLE.judgments, MEASURES, SAMPLE.audit, SAMPLE.truth, "llm"))
    report(computed)
    raw_curve(computed.study)
    assert calls == {"find_hits": 2, "correct_under": 1, "compare_everyone": 6}


def test_every_chart_keeps_to_the_schema(built: tuple[Section, ...]) -> None:
    """Altair would check each part as it is made, which takes longer than the charts themselves: it is done here."""
    charts = [b.chart for s in built for b in s.blocks if isinstance(b, ChartBlock)]
    assert len(charts) >= 10
    for chart in charts:
        assert chart.to_dict(validate=True)["$schema"]
