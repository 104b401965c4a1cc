"""Corrected systems compared: one family, Fieller's sets, and what could be seen."""

from __future__ import annotations

import pytest
from audited_study import audit, study
from wording import phrase

import dissensus as ds


@pytest.fixture(scope="module", name="made")
def _made():
    runs, bronze, gold = study()
    return runs, bronze, gold, ds.correct(runs, bronze, audit(gold), ["P@5", "DCG@10", "nDCG@10"])


def test_weak_judge_gets_fiellers_set():
    runs, bronze, _ = study(topics=30)
    result = ds.correct(runs, bronze, ds.Confusion(None, counts=[[11, 9], [8, 12]]), ["P@5"])
    found = result.compare("A", "C")
    assert found.method == "confusion, Fieller"
    assert found.fieller.kind in ("two rays", "line", "interval")
    assert found.p_value == found.p_fieller


@pytest.mark.parametrize("correction", ["max-t", "bonferroni"])
@pytest.mark.parametrize("counts", [[[11, 9], [8, 12]], [[16, 4], [5, 15]]])
def test_fiellers_sets_in_a_family_are_widened_with_their_p(correction, counts):
    runs, bronze, _ = study(topics=30)
    judge = ds.Confusion(None, counts=counts)
    strict = ds.correct(runs, bronze, judge, ["P@5"], level=1 - 0.05 / 3)
    result = ds.correct(runs, bronze, judge, ["P@5"])
    for d in result.compare_all(correction):
        one, alone = result.compare(d.a, d.b), strict.compare(d.a, d.b)
        assert d.method == "confusion, Fieller"
        assert d.family == 3
        assert any(str(d.fieller) in n for n in d.notes)
        assert d.interval == d.fieller.hull
        assert (0 in d.fieller) == (d.p_value >= 0.05)
        if correction == "bonferroni":
            assert d.fieller == alone.fieller
            assert d.p_value == pytest.approx(min(1, 3 * one.p_fieller))
        else:  # sharper than Bonferroni, wider than a pair by itself
            assert one.p_fieller <= d.p_value <= min(1, 3 * one.p_fieller) + 1e-3


def test_all_pairs_adjusted_together(made):
    *_, result = made
    raw = result.compare_all("none")
    joint = result.compare_all("max-t")
    blunt = result.compare_all("bonferroni")
    assert joint.family.startswith("3 pairs × 3 measures = 9 comparisons")
    for a, b, c in zip(raw, joint, blunt, strict=True):
        assert a.p_value <= b.p_value + 1e-9
        width = [d.interval[1] - d.interval[0] for d in (a, b, c)]
        assert width[0] < width[1]
        assert b.adjusted == "max-t"
        assert (b.p_value < 0.05) == (not b.interval[0] <= 0 <= b.interval[1])
        assert width[2] > width[0]
    assert set(joint.groups) == {"P@5", "DCG@10", "nDCG@10"}
    assert joint["B", "A", "P@5"].difference == -joint["A", "B", "P@5"].difference
    assert any(joint.family in note for note in joint.notes)


def test_holm_is_never_above_bonferroni(made):
    *_, result = made
    holm, blunt = result.compare_all("holm"), result.compare_all("bonferroni")
    assert all(h.p_value <= b.p_value + 1e-12 for h, b in zip(holm, blunt, strict=True))


def test_named_difference_gets_advice(made):
    *_, result = made
    d = result.compare("A", "B", measure="P@5", difference=0.001)
    assert (
        phrase("corrected-pairs.no-audit-settle") in d.advice or phrase("corrected-pairs.audited-documents") in d.advice
    )
    assert d.detectable > 0


def test_what_can_be_seen_is_what_the_adjusted_test_sees(made):
    *_, result = made
    alone = result.compare("A", "B", measure="P@5")
    for correction in ("max-t", "holm", "bonferroni"):
        adjusted = result.compare_all(correction, difference=0.3)["A", "B", "P@5"]
        assert adjusted.detectable > alone.detectable
    assert result.compare_all("none")["A", "B", "P@5"].detectable == alone.detectable
