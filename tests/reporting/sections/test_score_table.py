"""Sections of a report on a table of scores."""

from __future__ import annotations

import numpy as np
import pytest
from reported_study import table_of
from score_datasets import dataset
from wording import phrase

from dissensus.reporting.answer import answer_of
from dissensus.reporting.score_study import ScoreStudy
from dissensus.reporting.sections import answer, score_table

RNG = np.random.default_rng(1)
VALUES = RNG.random((2, 3, 8)) * 0.2 + np.array([0.1, 0.5, 0.3])[None, :, None]
VALUES[1] = VALUES[1, ::-1]  # the second judge turns the order round
VALUES[0, 0, 3] = np.nan
STUDY = ScoreStudy(dataset(VALUES), ("AP",), "j0")


def test_means_are_shown_by_judge_and_the_line_runs_from_worst_to_best():
    section = score_table.scores(STUDY, answer_of(STUDY))
    means = table_of(section, "means")
    assert means["AP"].to_list() == pytest.approx(np.nanmean(VALUES, axis=2).ravel().tolist())
    shown = table_of(section, "scores")
    low, high = (
        shown.filter(shown["system"] == "s0")["score"].item(),
        shown.filter(shown["system"] == "s1")["score"].item(),
    )
    assert section.line == phrase("score-table.from-to", "AP", f"{low:.3f}", "s0", f"{high:.3f}", "s1")


def test_leaderboards_that_differ_are_named():
    section = score_table.leaderboards(STUDY)
    (row,) = table_of(section, "pairs").rows(named=True)
    assert section.line == phrase("score-table.least-alike-tau", row["a"], row["b"], f"{row['tau']:.2f}")
    one = ScoreStudy(dataset(VALUES[:1]), ("AP",))
    assert score_table.leaderboards(one).missing


def test_orders_by_two_measures_are_compared():
    assert score_table.measures(STUDY).missing
    both = ScoreStudy(dataset(VALUES).assign(ESL2=-dataset(VALUES)["AP"]), ("AP", "ESL2"), "j0")
    (row,) = table_of(score_table.measures(both), "tau").rows(named=True)
    assert (row["measure"], row["other"], row["tau"]) == ("AP", "ESL2", -1.0)


def test_missing_scores_are_counted():
    counts = dict(table_of(score_table.data(STUDY), "counts").rows())
    assert counts["missing scores of AP"] == "1"
    assert (counts["systems"], counts["topics"], counts["judges"]) == ("3", "8", "2")


def test_scores_corrected_by_gold_are_shown_beside_the_judge_s():
    rng = np.random.default_rng(2)
    gold = np.where(np.arange(20) < 8, 1.0, np.nan) * (rng.random((3, 20)) * 0.2 + np.array([0.1, 0.5, 0.3])[:, None])
    judge = np.nan_to_num(gold, nan=0.2) + 0.3 * rng.random((3, 20)) + np.array([0.4, 0.0, 0.0])[:, None]
    study = ScoreStudy(dataset([judge, gold], "quality"), ("quality",), gold="j1")
    assert study.judge_name == "j0"
    found = answer_of(study)
    assert found.shown == "corrected"
    assert found.basis == phrase("score-table.scores-corrected-topic-topic", "quality", "j0", "j1")
    assert found.order[0] == "s1"
    assert found.outcome.alone is not None  # whether gold bears out who is first by the judge alone
    assert str(found.outcome.alone).startswith(phrase("score-table.judge-scores-come-first", "s0"))
    shown = table_of(score_table.scores(study, found), "scores")
    table = study.corrected.table
    assert shown.filter(shown["kind"] == "corrected")["score"].to_list() == table["corrected"].to_list()
    assert shown.filter(shown["kind"] == "naive")["score"].to_list() == table["naive"].to_list()
    assert "scored 8 of 20 topics" in study.caution
    texts = [b.text for b in answer.build(study, found).blocks if hasattr(b, "text")]
    assert any(study.caution in text for text in texts)
