"""Ordinary tests: against scipy, against enumeration, and families that are adjusted as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused, states, warned
from score_datasets import dataset, three_systems
from wording import phrase

import dissensus as ds
from dissensus.errors import DataWarning, InputError
from dissensus.inference.comparison.assessors import assessor_anova
from dissensus.inference.comparison.gold_options import check_gold


@pytest.fixture(name="scores")
def _scores():
    return three_systems()


def test_randomization_and_bootstrap_agree_with_t(scores):
    t = ds.compare(scores, "AP", correction="none")
    for test in ("randomization", "bootstrap"):
        other = ds.compare(scores, "AP", test, "none", seed=3)
        for a, b in zip(t, other, strict=True):
            assert b.interval == pytest.approx(a.interval, abs=0.012)
            assert b.p_value == pytest.approx(a.p_value, abs=0.03)
            assert b.p_value > 0


def test_holm_and_family(scores):
    raw = ds.compare(scores, "AP", correction="none")
    holm = ds.compare(scores, "AP", correction="holm")
    p = sorted(d.p_value for d in raw)
    assert min(d.p_value for d in holm) == pytest.approx(3 * p[0])
    assert "3 comparisons" in holm.family
    assert all(math.isnan(end) for h in holm for end in h.interval)  # no interval belongs to Holm's p-values
    assert holm.groups["AP"] == [["s0", "s1"]]
    assert phrase("comparison.adjusted-comparisons", "0.001", 3) in str(holm)


@pytest.mark.parametrize("test", ["t", "welch", "randomization", "bootstrap", "wilcoxon", "tukey"])
@pytest.mark.parametrize("correction", ["max-t", "bonferroni", "none"])
def test_intervals_and_p_values_never_contradict_each_other(test, correction):
    rng = np.random.default_rng(5)
    for repetition in range(4):
        x = rng.random(20) + 0.3 * rng.normal(size=(4, 20)) + 0.12 * np.arange(4)[:, None]
        for d in ds.compare(dataset([x]), "AP", test, correction, replicates=2000, seed=repetition):
            if test != "wilcoxon":  # its interval is a normal approximation, its p is exact
                assert (d.p_value < 0.05) == (not d.interval[0] <= 0 <= d.interval[1])
            assert d.significant == (d.p_value < 0.05 and not d.interval[0] <= 0 <= d.interval[1])


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_jointly_drawn_tests_agree_with_max_t(scores, test):
    t = ds.compare(scores, "AP")
    for a, b in zip(t, ds.compare(scores, "AP", test, seed=3), strict=True):
        assert b.interval == pytest.approx(a.interval, abs=0.015)
        assert b.p_value == pytest.approx(a.p_value, abs=0.03)


def test_a_baseline_makes_a_smaller_family(scores):
    every, one = ds.compare(scores, "AP"), ds.compare(scores, "AP", baseline="s0")
    assert [(d.a, d.b) for d in one] == [("s1", "s0"), ("s2", "s0")]
    for d in one:
        wide = every[d.a, d.b]
        assert d.interval[1] - d.interval[0] < wide.interval[1] - wide.interval[0]
    assert [(c.kind, c.systems) for c in one.claims] == [("above", ("s2",)), ("unclear", ("s1",)), ("take", ("s2",))]
    assert one.groups == {}
    assert one.ranks().height == 0
    with refused(InputError, 'baseline="x"', "s0", "s1", "s2"):
        ds.compare(scores, "AP", baseline="x")
    with refused(InputError, 'test="tukey"'):
        ds.compare(scores, "AP", "tukey", baseline="s0")


def test_two_topics_with_the_same_difference_show_nothing():
    """The spread of the differences is 0, and t would be infinite."""
    for topics, shown in ((2, False), (5, False), (7, True)):
        x = np.arange(topics) / 10
        d = ds.compare(dataset([[x + 0.1, x]]), "AP").pairs[0]
        assert d.significant == shown
        assert d.p_value == 2.0 ** (1 - topics)


def test_a_named_difference_says_how_many_topics_it_would_take(scores):
    close = ds.compare(scores, "AP", difference=0.001)["s0", "s1"]
    assert not close.significant
    topics = math.ceil(40 * (close.detectable / 0.001) ** 2)
    assert close.advice == phrase("comparison.difference-need-about-topics", "0.001", f"{topics:,}", 40)
    assert ds.compare(scores, "AP", difference=5).pairs[0].advice == phrase("comparison.difference-seen-topics", 5, 40)
    with refused(InputError, "difference=-0.1"):
        ds.compare(scores, "AP", difference=-0.1)


def test_tukey_is_paired_and_never_zero(scores):
    result = ds.compare(scores, "AP", "tukey", seed=1)
    best = result["s2", "s0"]
    assert 0 < best.p_value < 0.01
    for d in result:
        assert (d.p_value < 0.05) == (not d.interval[0] <= 0 <= d.interval[1])


def test_tukey_shares_the_error_rate_between_measures(scores):
    both = scores.assign(P=scores["AP"])
    for d in ds.compare(both, ["AP", "P"], "tukey", seed=1):
        alone = ds.compare(scores, "AP", "tukey", seed=1)[d.a, d.b]
        assert d.p_value == min(1, 2 * alone.p_value)
        assert d.interval[1] - d.interval[0] > alone.interval[1] - alone.interval[0]


def test_size_of_the_family_is_kept():
    """No differences at all: some claim in at most 5 % of 80 families of three systems (Monte-Carlo error 2.4 %)."""
    rng = np.random.default_rng(8)
    wrong = 0
    for seed in range(80):
        x = rng.random(25) + 0.2 * rng.standard_t(5, (3, 25))
        wrong += any(d.significant for d in ds.compare(dataset([x]), "AP", seed=seed))
    assert wrong / 80 < 0.05 + 2 * 0.024


def test_a_system_that_never_ran_is_flagged(scores):
    x = scores["AP"].values[0].copy()
    x[1] = 0.0
    missing = [("s1", str(t)) for t in range(40)]
    with warned(DataWarning, "s1"):
        result = ds.compare(dataset([x], attrs={"missing": missing}), "AP")
    assert len(result) == 1
    assert any(states(note, "s1") for note in result.notes)
    ran = dataset([x], attrs={"missing": []})
    assert len(ds.compare(ran, "AP")) == 3  # zero everywhere, but it did run


def test_identical_and_constant_systems():
    x = np.random.default_rng(0).random(12)
    result = ds.compare(dataset([[x, x, x + 0.5]]), "AP", correction="none")
    assert result["s0", "s1"].p_value == 1.0
    assert result["s2", "s0"].p_value == 2.0**-11
    assert result["s2", "s0"].interval == pytest.approx((0.5, 0.5))


def test_errors(scores):
    with refused(InputError, 'test="z"'):
        ds.compare(scores, "AP", "z")
    with refused(InputError, "AP"):
        ds.compare(scores, "nDCG@10")
    with refused(InputError, "j0", "j1"):
        ds.compare(dataset(np.zeros((2, 2, 5)) + 1), "AP")
    with refused(InputError, 3):
        _ = ds.compare(scores, "AP").p_value
    gaps = scores["AP"].values[0].copy()
    gaps[0, 1:] = np.nan
    with refused(InputError, 1, 2, "AP"):
        ds.compare(dataset([gaps]), "AP")


def test_assessors_as_a_factor():
    rng = np.random.default_rng(1)
    base = rng.random(15)[:, None, None]
    harsh = np.array([0.0, -0.2])[None, None, :]
    system = np.array([0.0, 0.1, 0.2])[None, :, None]
    values = base + system + harsh + 0.02 * rng.normal(size=(15, 3, 2))
    table = assessor_anova(dataset(values.transpose(2, 1, 0)), "AP")
    assert [r.source for r in table.rows] == ["topic", "system", "assessor", "system*assessor", "error", "total"]
    assert table["assessor"].p_value < 1e-6
    assert table["system*assessor"].p_value > 0.001
    one = assessor_anova(dataset(values.transpose(2, 1, 0)[:1]), "AP")
    assert [r.source for r in one.rows] == ["topic", "system", "error", "total"]
    assert math.isfinite(one["system"].f)


def test_the_lower_score_wins_where_less_is_better() -> None:
    rng = np.random.default_rng(0)
    runs, judged = {"early": {}, "late": {}}, {}
    for t in range(30):
        docs = [f"d{i}" for i in range(20)]
        runs["early"][str(t)] = {d: float(-i) for i, d in enumerate(docs)}
        runs["late"][str(t)] = {d: float(i) for i, d in enumerate(docs)}
        judged[str(t)] = {d: int(i == rng.integers(0, 4)) for i, d in enumerate(docs)} | {"d3": 1}
    scores = ds.evaluate(ds.Runs.from_dict(runs), ds.Judgments.from_dict({"j": judged}), ["ESL"])
    (pair,) = ds.compare(scores, "ESL").pairs
    assert pair.verdict.startswith(phrase("comparison.early-beats", "late"))


RNG = np.random.default_rng(4)
JUDGE = RNG.random((3, 30)) + np.array([0.0, 0.1, 0.5])[:, None]
GOLD = np.where(np.arange(30) < 12, JUDGE - 0.2 + 0.1 * RNG.normal(size=(3, 30)), np.nan)


def test_options_that_change_nothing_are_refused():
    check_gold("j1", "these_topics", "skip", "t")
    check_gold(None, "population", None, "welch")
    for target, missing in (("these_topics", None), ("population", "skip")):
        with refused(InputError, options=["gold"]):
            check_gold(None, target, missing, "t")


def test_pairs_show_what_the_judge_alone_says_and_what_it_would_take():
    scores = dataset([JUDGE, GOLD], "quality")
    naive = ds.compare(scores, "quality", assessor="j0", correction="none")
    result = ds.compare(scores, "quality", gold="j1", difference=0.01)
    for d, e in zip(result.pairs, naive.pairs, strict=True):
        assert (d.naive, d.naive_p) == pytest.approx((e.difference, e.p_value))
    (close,) = [d for d in result.pairs if d.claim.kind == "undecided"]
    factor = (close.detectable / 0.01) ** 2
    assert (
        phrase("by-gold.topics-of-them", f"{int(np.ceil(30 * factor)):,}", f"{int(np.ceil(12 * factor)):,}")
        in close.verdict
    )
    assert result.standing("quality").systems[0] == "s2"
