"""The report: sections in order, honest about what is missing, the verdict the same as the library's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dissensus.data.samples import generated_collection
from dissensus.data.tables.audit import Audit
from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.runs import Runs
from dissensus.errors import InputError
from dissensus.inference.correction.api import correct
from dissensus.measures.evaluate import measure_list
from dissensus.report.blocks import ChartBlock, Paragraph, Section, TableBlock
from dissensus.report.build import build, report, sections, write_report
from dissensus.report.figures import write_figures
from dissensus.report.outcome import Outcome, outcome, rank_of
from dissensus.report.recall import interpolated_curve, raw_curve
from dissensus.report.sections.differences import difference_table
from dissensus.report.sections.scores import kinds_table
from dissensus.report.study import Study

SAMPLE = generated_collection(seed=0, topics=20)
MEASURES = tuple(measure_list(["P(rel=2)@10", "nDCG@10"]))
KEYS = ["answer", "differences", "scores", "judges", "merging", "ceiling", "weights", "measures", "data", "assumptions"]


@pytest.fixture(scope="module")
def full() -> Study:
    return Study(SAMPLE.runs, SAMPLE.judgments, MEASURES, SAMPLE.audit, SAMPLE.truth, "llm")


@pytest.fixture(scope="module")
def built(full: Study) -> list[Section]:
    return sections(full)


def text_of(section: Section) -> str:
    return " ".join(b.text for b in section.blocks if isinstance(b, Paragraph))


def test_sections_stand_in_the_order_of_importance(built: list[Section]) -> None:
    assert [s.key for s in built] == KEYS
    assert [s.key for s in built if s.missing] == []
    assert all(
        any(isinstance(b, ChartBlock) for b in s.blocks) for s in built if s.key not in ("answer", "assumptions")
    )
    assert all(s.line for s in built[1:])


def test_the_answer_is_the_librarys_answer(full: Study, built: list[Section]) -> None:
    found = correct(SAMPLE.runs, SAMPLE.judgments, SAMPLE.audit, MEASURES[0], assessor="llm")
    best = found.table.sort("corrected", descending=True)["system"][0]
    assert best == "crossenc"
    said = text_of(built[0])
    assert said.startswith("crossenc ")
    assert "llm-rerank would come first; the audit refutes that: crossenc was shown to be better." in said
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
    assert "hold the true ranks of all systems together at 95 %" in ranks.caption


def test_scores_stand_by_agreement_of_the_judges(full: Study, built: list[Section]) -> None:
    scores = built[2]
    table = next(b for b in scores.tables() if b.name == "strata").frame
    assert table.columns == ["measure", "system", "all", "high (7 topics)", "middle (6 topics)", "low (7 topics)"]
    assert table.height == 2 * len(full.systems)
    naive = kinds_table(full).filter(pl.col("kind") == "naive")
    means = dict(zip(naive["system"], naive["score"], strict=True))
    first = table.filter(pl.col("measure") == full.measure)
    assert first["all"].to_list() == pytest.approx([means[s] for s in first["system"]])
    assert "P(rel=2)@10 by llm: from high to low agreement the order of systems moves" in text_of(scores)


def test_without_an_audit_the_report_warns_instead_of_correcting() -> None:
    study = Study(SAMPLE.runs, SAMPLE.judgments, MEASURES)
    made = {s.key: s for s in sections(study)}
    assert "no expert audit was given" in text_of(made["answer"])
    assert "the majority of 6 assessors" in text_of(made["answer"])
    assert "Only an audit can test it" in text_of(made["assumptions"])


def test_one_assessor_leaves_sections_out_and_says_why() -> None:
    study = Study(SAMPLE.runs, SAMPLE.judgments.select(assessors=["ann"]), MEASURES[:1])
    made = {s.key: s for s in sections(study)}
    for key in ("judges", "merging", "ceiling", "weights"):
        assert made[key].missing
        assert "one assessor" in str(made[key].missing)
    assert made["scores"].missing is None


def test_one_system_and_few_topics_do_not_break_it() -> None:
    runs = SAMPLE.runs.select(systems=["bm25"], topics=SAMPLE.runs.topics[:3])
    labels = SAMPLE.judgments.select(topics=SAMPLE.runs.topics[:3])
    made = {s.key: s for s in sections(Study(runs, labels, MEASURES))}
    assert "There is one system, bm25" in text_of(made["answer"])
    assert "Only 3 topics" in text_of(made["answer"])


def test_an_audit_that_cannot_be_used_is_said_and_left_out() -> None:
    topic = SAMPLE.runs.topics[:1]
    audit = Audit.from_frame(SAMPLE.audit.to_frame().filter(pl.col("topic") == topic[0]), scale="0..3")
    study = Study(
        SAMPLE.runs.select(topics=topic), SAMPLE.judgments.select(topics=topic), MEASURES[:1], audit, assessor="llm"
    )
    made = {s.key: s for s in sections(study)}
    assert "The audit could not be used" in text_of(made["answer"])
    assert made["scores"].missing is None


def test_an_unknown_assessor_is_refused() -> None:
    with pytest.raises(InputError, match='assessor="zoe"'):
        Study(SAMPLE.runs, SAMPLE.judgments, MEASURES, assessor="zoe")


def made_up(pairs: list[tuple[str, str, float, bool]], order: list[str]) -> Outcome:
    rows = [
        {"a": a, "b": b, "difference": d, "low": d - 1, "high": d + 1, "p_value": 0.5, "significant": s,
         "claim": "better" if s else "undecided", "verdict": ""}
        for a, b, d, s in pairs
    ]  # fmt: skip
    return Outcome([], order, pl.DataFrame(), pl.DataFrame(rows), [], "made up", "3 comparisons")


def test_where_less_is_better_the_lower_score_comes_first() -> None:
    study = Study(SAMPLE.runs, SAMPLE.judgments.select(assessors=["ann"]), tuple(measure_list(["ESL"])))
    assert outcome(study).scores["score"].is_sorted()


def test_differences_are_drawn_best_minus_rest() -> None:
    flipped = made_up([("y", "x", -0.1, False)], ["x", "y"])
    row = difference_table(flipped).row(0, named=True)
    assert row["pair"] == "x − y"
    assert row["difference"] == pytest.approx(0.1)
    assert row["low"] == pytest.approx(-0.9)


def test_ranks_share_ties() -> None:
    assert np.nan_to_num(rank_of(np.array([0.5, 0.7, 0.5, np.nan]))).tolist() == [2.5, 1.0, 2.5, 0.0]


def test_progress_names_every_stage() -> None:
    said: list[str] = []
    sections(Study(SAMPLE.runs, SAMPLE.judgments, MEASURES[:1], progress=said.append))
    assert len(said) == len(KEYS)


def test_precision_recall_curves(full: Study) -> None:
    raw, smooth = raw_curve(full), interpolated_curve(full)
    assert raw.columns == smooth.columns == ["system", "step", "recall", "precision"]
    for system in full.systems:
        assert raw.filter(pl.col("system") == system)["recall"].is_sorted()
        precision = smooth.filter(pl.col("system") == system)["precision"]
        assert precision.is_sorted(descending=True)
        assert len(precision) == 11
    p10 = full.judge_scores.values["P(rel=2)@10"]
    assert p10.shape[1] == raw["system"].n_unique()


def test_a_failed_write_leaves_the_old_report(full: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")

    def interrupted(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("dissensus.report.build.render", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_report(full, target)
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_figures_are_written_in_every_format(full: Study, tmp_path: Path) -> None:
    written = write_figures(full, tmp_path / "figures", formats=["svg"])
    names = {p.stem for p in written}
    assert {
        "differences-differences",
        "scores-scores",
        "precision-recall-raw",
        "precision-recall-interpolated",
    } <= names
    assert all(p.read_text().startswith("<svg") for p in written)


def test_tables_hold_what_was_computed(full: Study, built: list[Section]) -> None:
    table = next(b for b in built[2].blocks if isinstance(b, TableBlock) and b.name == "assessors")
    row = table.frame.filter((pl.col("measure") == "P(rel=2)@10") & (pl.col("system") == "bm25")).row(0, named=True)
    system = full.scores.systems.index("bm25")
    judge = full.scores.assessors.index("llm")
    assert row["llm"] == pytest.approx(float(full.scores.values["P(rel=2)@10"][judge, system].mean()))
    assert outcome(full).order[0] == "crossenc"


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
    study = Study(Runs.from_dict(runs), Judgments.from_dict(said), MEASURES[1:])
    computed = build(study)
    made = {s.key: s for s in computed.sections}
    assert not [key for key, s in made.items() if s.missing]
    pairs = next(b.table for b in made["differences"].blocks if isinstance(b, ChartBlock))
    assert pairs is not None
    assert pairs.frame.height == 60 * 59 // 2
    captions = [b.caption for b in made["judges"].blocks if isinstance(b, ChartBlock)]
    assert "(the first and last 30 of 70)" in captions[0]
    page = report(computed)
    assert len(page) < 4_000_000


def test_the_report_joins_once_corrects_once_and_compares_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One join, one correction, and one family of comparisons each for what is shown and for what is likely."""
    from dissensus.data.tables import collection
    from dissensus.inference.comparison import corrected_pairs
    from dissensus.inference.correction import api

    calls = {"_find_hits": 0, "correct": 0, "compare_everyone": 0}

    def counting(module: object, name: str) -> None:
        original = getattr(module, name)

        def count(*given: object, **named: object) -> object:
            calls[name] += 1
            return original(*given, **named)

        monkeypatch.setattr(module, name, count)

    counting(collection, "_find_hits")  # whoever joins, finds its hits here
    counting(api, "correct")
    counting(corrected_pairs, "compare_everyone")
    small = SAMPLE.runs.select(topics=SAMPLE.runs.topics[:12])
    computed = build(Study(small, SAMPLE.judgments, MEASURES, SAMPLE.audit, SAMPLE.truth, "llm"))
    report(computed)
    raw_curve(computed.study)
    assert calls == {"_find_hits": 1, "correct": 1, "compare_everyone": 2}


def test_an_audit_for_differences_gives_an_order_without_scores() -> None:
    """FINDINGS A1: scores are refused, and the headline was alphabetical."""
    study = Study(SAMPLE.runs, SAMPLE.judgments, MEASURES[:1], planned("differences"), assessor="llm")
    made = {s.key: s for s in sections(study)}
    found = outcome(study)
    assert found.scores["score"].is_nan().all()
    assert found.order[0] == "crossenc"
    assert text_of(made["answer"]).startswith("crossenc ")
    assert "can compare systems but not score them" in text_of(made["answer"])
    assert found.ranks is not None
    assert found.ranks["rank"].is_not_null().all()
    ranks = next(b for b in made["merging"].blocks if isinstance(b, ChartBlock)).table
    assert ranks is not None
    corrected = ranks.frame.filter(pl.col("way") == "corrected").sort("rank")
    assert corrected["system"].to_list() == found.order


def planned(purpose: str, budget: int = 300) -> Audit:
    """An audit planned for the collection's llm judge, graded by its truth."""
    import inspect

    import dissensus as ds

    given = {"purpose": purpose} if "purpose" in inspect.signature(ds.plan).parameters else {"scores": False}
    judge = SAMPLE.judgments.select(assessors=["llm"])
    todo = ds.plan(SAMPLE.runs, judge, None, budget, measure=MEASURES[0], seed=1, **given).sample
    truth = SAMPLE.truth.to_frame().select("topic", "doc", "grade")
    return Audit.from_frame(todo.drop("grade").join(truth, on=["topic", "doc"]), scale="0..3")
