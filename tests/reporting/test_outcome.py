"""The verdict as data."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from reported_study import MEASURES, SAMPLE, full_outcome, plain_study, planned, text_of
from wording import phrase

from dissensus.inference.comparison.difference import Difference, indistinct
from dissensus.inference.comparison.ranks import LETTERS, letters
from dissensus.measures.catalog import measure_list
from dissensus.measures.scores import aggregated
from dissensus.reporting.answer import answer_of, behind, rank_of, standings
from dissensus.reporting.blocks import ChartBlock
from dissensus.reporting.build import build
from dissensus.reporting.study import ReportedStudy


def test_where_less_is_better_the_lower_score_comes_first() -> None:
    study = ReportedStudy(SAMPLE.runs, SAMPLE.judgments.select(assessors=["ann"]), tuple(measure_list(["ESL"])))
    assert answer_of(study).scores["score"].is_sorted()


def test_ranks_share_ties() -> None:
    assert np.nan_to_num(rank_of(np.array([0.5, 0.7, 0.5, np.nan]))).tolist() == [2.5, 1.0, 2.5, 0.0]


def test_an_audit_for_differences_gives_an_order_without_scores() -> None:
    """FINDINGS A1: scores are refused, and the headline was alphabetical."""
    study = ReportedStudy(SAMPLE.runs, SAMPLE.judgments, MEASURES[:1], planned("differences"), assessor="llm")
    computed = build(study)
    made = {s.key: s for s in computed.sections}
    found = answer_of(study)
    assert found.scores["score"].is_nan().all()
    assert found.order[0] == "crossenc"
    assert text_of(made["answer"]).startswith("crossenc ")
    assert phrase("outcome.compare-systems-but-not") in text_of(made["answer"])
    assert found.ranks is not None
    assert found.ranks["rank"].is_not_null().all()
    ranks = next(b for b in made["merging"].blocks if isinstance(b, ChartBlock)).table
    assert ranks is not None
    corrected = ranks.frame.filter(pl.col("way") == "corrected").sort("rank")
    assert corrected["system"].to_list() == found.order


def test_the_best_set_has_those_that_no_system_is_better_than():
    found = full_outcome()
    worse = set(found.pairs.filter(pl.col("claim") == "better")["worse"])
    assert list(found.outcome.best) == [s for s in found.order if s not in worse]
    assert found.order[0] in found.outcome.best


def test_pairs_name_the_better_side_only_where_it_was_shown():
    pairs = full_outcome().pairs
    assert pairs.height == 28
    for row in pairs.iter_rows(named=True):
        if row["claim"] == "better":
            assert row["better"] == (row["a"] if row["difference"] > 0 else row["b"])
            assert row["low"] > 0 or row["high"] < 0
        else:
            assert row["better"] is None
    assert pairs["difference"].abs().is_sorted(descending=True)


def test_without_an_audit_the_labels_are_taken_as_they_are():
    found = answer_of(plain_study())
    assert found.shown == "naive"
    assert found.outcome.alone is None
    study = plain_study()
    means = dict(zip(study.systems, aggregated(study.judge_scores.values[study.measure][0]), strict=True))
    assert dict(zip(found.scores["system"], found.scores["score"], strict=True)) == pytest.approx(means)
    assert found.standings["system"].to_list() == found.order


@pytest.mark.parametrize("seed", range(6))
def test_systems_share_a_letter_just_where_they_are_not_told_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    score = np.sort(rng.random(n))[::-1]
    different = np.abs(score[:, None] - score[None]) > 0.3
    names = [f"s{i}" for i in range(n)]
    groups = [[names[i] for i in g] for g in indistinct(different)]
    found = letters(names, groups)
    if not found:
        assert len(groups) > LETTERS or different.sum() == n * (n - 1)
        return
    for i, j in itertools.combinations(range(n), 2):
        assert bool(set(found[names[i]]) & set(found[names[j]])) == (not different[i, j])
    assert all(found.values())


def test_identical_systems_share_place_and_letter() -> None:
    frame = standings(["a", "b", "c"], {"a": (1.0, 0.9, 1.1)}, [], [["a", "b"]], None)
    assert frame["place"].to_list() == [1, 1, 3]
    assert frame["groups"].to_list() == ["a", "a", "b"]
    assert np.isnan(frame["score"][2])


def test_where_every_pair_differs_or_groups_are_many_there_are_no_letters() -> None:
    assert letters(["a", "b"], []) == {}
    names = [f"s{i:02d}" for i in range(LETTERS + 2)]
    assert letters(names, [[a, b] for a, b in itertools.pairwise(names)]) == {}


def test_differences_to_the_first_have_its_sign() -> None:
    def pair(a: str, b: str, gap: float) -> Difference:
        return Difference(a, b, "AP", gap, 0.01, (gap - 0.1, gap + 0.2), 0.5, 0.95, "t")

    found = behind(
        ["x", "y", "z", "t"], [pair("x", "y", 0.3), pair("z", "x", -0.4), pair("x", "t", 1e-9)], [["x", "t"]]
    )
    assert found["x"] == found["t"] == (0.0, 0.0, 0.0)
    assert found["y"] == pytest.approx((-0.3, -0.5, -0.2))
    assert found["z"] == pytest.approx((-0.4, -0.5, -0.2))
