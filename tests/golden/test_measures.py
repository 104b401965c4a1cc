"""Numbers every implementation must give: METHODS §1, by hand, and the papers' examples."""

from __future__ import annotations

import math

import pytest

import dissensus as ds
from dissensus.tables.scale import Scale

FOUR = Scale.range(0, 3)


@pytest.mark.parametrize(
    ("grades", "score"),
    [((3, 0, 0, 0, 0), 0.875), ((0, 0, 0, 0, 1), 0.025), ((0, 1, 1, 1, 1), 0.1396), ((1, 1, 1, 1, 1), 0.2472)],
)
def test_err(grades: tuple[int, ...], score: float) -> None:
    assert ds.measure("ERR").score(grades, scale=FOUR) == pytest.approx(score, abs=5e-5)
    assert ds.measure("ERR(max=3)").score(grades) == pytest.approx(score, abs=5e-5)


@pytest.mark.parametrize(
    ("grades", "score"),
    [((3, 0, 0, 0, 0), 3), ((0, 0, 0, 0, 1), 0.4307), ((0, 0, 1, 1, 1), 1.5616), ((1, 1, 1, 1, 1), 3.5616)],
)
def test_dcg_of_jarvelin_and_kekalainen(grades: tuple[int, ...], score: float) -> None:
    assert ds.measure("DCG(dcg='jk')").score(grades) == pytest.approx(score, abs=5e-5)


@pytest.mark.parametrize(("ranks", "score"), [((6, 9, 10), 0.0765), ((5, 6, 9, 10), 0.1407), ((1, 6, 9, 10), 0.2296)])
def test_ap_divides_by_the_relevant_documents_of_the_pool(ranks: tuple[int, ...], score: float) -> None:
    grades = [int(r in ranks) for r in range(1, 11)]
    assert ds.measure("AP").score(grades, pool=[1] * 9 + [0] * 10) == pytest.approx(score, abs=5e-5)


RANKING, POOL = [2, 0, None, 1, 0], [2, 2, 1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("P@2", 1 / 2),
        ("P@10", 2 / 10),
        ("P(rel=2)@5", 1 / 5),
        ("R@4", 2 / 4),
        ("Fallout@2", 1 / 4),
        ("Success@1", 1.0),
        ("Success(rel=3)@5", 0.0),
        ("Judged@5", 4 / 5),
        ("Judged@10", 4 / 10),
        ("Rprec", 2 / 4),
        ("SetP", 2 / 5),
        ("SetR", 2 / 4),
        ("SetF", 2 * 0.4 * 0.5 / 0.9),
        ("SetF(beta=2)", 5 * 0.4 * 0.5 / (4 * 0.4 + 0.5)),
        ("AP", (1 + 2 / 4) / 4),
        ("AP@3", 1 / 4),
        ("AP(rel=2)", 1 / 2),
        ("RR", 1.0),
        ("RR(rel=3)", 0.0),
        ("IPrec@0", 1.0),
        ("IPrec@0.5", 2 / 4),
        ("IPrec@0.6", 0.0),
        ("Bpref", (1 + (1 - 1 / 4)) / 4),
        ("CG@4", 3.0),
        ("NCG@4", 3 / 6),
        ("DCG", 2 + 1 / math.log2(5)),
        ("nDCG", (2 + 1 / math.log2(5)) / (2 + 2 / math.log2(3) + 1 / 2 + 1 / math.log2(5))),
        ("nDCG@2", 2 / (2 + 2 / math.log2(3))),
        ("DCG(dcg='exp-zipf')", 3 + 1 / 4),
        ("nDCG(gains={0: 0, 1: 1, 2: 5})@1", 1.0),
        ("RBP(p=0.8)", 0.2 * (1 + 0.8**3)),
        ("RBP(p=0.5, gains={0: 0, 1: 0.5, 2: 1})", 0.5 * (1 + 0.5 * 0.5**3)),
        ("ERR(max=2)", 0.75 + 0.25 * 0.25 / 4),
        ("ESL", 0.0),
        ("ESL(n=2)", 2.0),
        ("ESL(n=3)", 3 + 2 * 1 / 3),  # 3 read in vain, then 2 non-relevant and 2 relevant documents in random order
        ("NCP", (1 + 2 / 4) / 4),
        ("NCP(stop='retrieved')", (1 + 2 / 4) / 2),
        ("GAP(gains={0: 0, 1: 0.5, 2: 1})", (1 + (0.5 + 0.5) / 4) / 3),
        ("GAP(gains={0: 0, 1: 0, 2: 1})", 1 / 2),
    ],
)
def test_by_hand(name: str, score: float) -> None:
    assert ds.measure(name).score(RANKING, pool=POOL) == pytest.approx(score, abs=1e-12)


def test_plain_gap_takes_the_grade_over_the_top_grade() -> None:
    scale = Scale.range(0, 2)
    with_table = ds.measure("GAP(gains={0: 0, 1: 0.5, 2: 1})").score(RANKING, POOL)
    assert ds.measure("GAP").score(RANKING, POOL, scale) == with_table


def test_rbp_of_ten_perfect_documents_stays_below_one() -> None:
    assert ds.measure("RBP(p=0.8)").score([4] * 10) == pytest.approx(1 - 0.8**10)


def test_grades_below_zero_are_in_the_pool_but_unjudged() -> None:
    assert ds.measure("Judged@2").score([-2, 1]) == 0.5
    assert ds.measure("Bpref").score([-1, 0, 1], pool=[-1, 0, 1, 1]) == ds.measure("Bpref").score([0, 1], [0, 1, 1])
    assert ds.measure("nDCG").score([-1, 1], pool=[-1, 1]) == ds.measure("nDCG").score([None, 1], pool=[1])


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "R@5", "Rprec", "Bpref", "IPrec@0.1", "GAP(gains={0: 0, 1: 1})"])
def test_without_relevant_documents_ratios_are_undefined(name: str) -> None:
    assert math.isnan(ds.measure(name).score([0, 0], pool=[0, 0, 0]))


@pytest.mark.parametrize("name", ["P@5", "RR", "Success@5", "RBP(p=0.8)", "CG@5", "DCG@5", "ERR(max=3)@5"])
def test_without_relevant_documents_sums_are_zero(name: str) -> None:
    assert ds.measure(name).score([0, None], pool=[0, 0]) == 0.0


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "P@5", "RR", "Bpref", "RBP(p=0.8)", "ERR(max=1)", "SetP", "Rprec"])
def test_an_empty_ranking_scores_zero(name: str) -> None:
    assert ds.measure(name).score([], pool=[1, 0]) == 0.0
