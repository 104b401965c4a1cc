"""§6, §7 and Table 2 of the correction paper, from counts."""

from __future__ import annotations

import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.inference.rates.api import corrected_rate
from dissensus.inference.rates.difference import compare_rates
from dissensus.studies.audits.judge_counts import TABLE_2, engines, published_example, published_runs


def test_section_6():
    by = dict(published_example().select("quantity", "computed").rows())
    assert by["p, variances added (eq. 11)"] == pytest.approx(0.854, abs=5e-4)
    assert by["se of the difference, one judge"] == pytest.approx(0.00996, abs=5e-6)
    assert by["p, one judge"] == pytest.approx(0.017, abs=5e-4)
    assert by["se of a, bootstrap (Algorithm 1)"] > by["se of a"]


def test_table_2_cannot_be():
    rows = published_runs().to_dicts()
    assert [r["corrected"] for r in rows] == pytest.approx([r["printed"] for r in rows], abs=0.02)
    assert [(r["lowest possible"], r["highest possible"]) for r in rows] == [
        pytest.approx((0.176, 0.447), abs=5e-4),
        pytest.approx((0.193, 0.280), abs=5e-4),
    ]
    assert not any(r["admissible"] for r in rows)


def test_no_number_of_labels_follows_from_impossible_counts():
    _, relevant, nonrelevant, observed, _ = TABLE_2[0]
    one = corrected_rate(observed, 660, relevant, nonrelevant)
    with refused(InputError, by="CorrectedRate.needed"):
        one.needed(0.05)
    with refused(InputError, by="RateComparison.needed"):
        compare_rates(one, corrected_rate(0.5, 660, relevant, nonrelevant)).needed(0.02)
    a, b = engines()
    assert compare_rates(a, b).needed(0.02).queries > 0
