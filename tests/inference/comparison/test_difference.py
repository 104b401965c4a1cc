"""Groups that cannot be told apart, simultaneous critical values, verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dissensus.inference.comparison.difference import Difference, contrasts, critical, indistinct, max_t
from dissensus.stats.simultaneous import share_reaching


@given(st.integers(1, 7), st.integers(0, 10_000))
def test_groups_hold_every_indistinct_pair_and_no_other(n, seed):
    rng = np.random.default_rng(seed)
    different = np.triu(rng.random((n, n)) < 0.5, 1)
    different |= different.T
    order = rng.permutation(n).tolist()
    groups = indistinct(order, different)
    together = {(i, j) for g in groups for i in g for j in g}
    for i in range(n):
        for j in range(n):
            assert ((i, j) in together) == (i == j or not different[i, j])


def test_max_t_lies_between_one_test_and_bonferroni():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5, 30)) + rng.normal(size=30)
    cov = np.cov(x) / 30
    a, b = contrasts(5)
    se = np.sqrt(cov[a, a] + cov[b, b] - 2 * cov[a, b])
    draws = max_t(cov, se, 29, seed=1)
    found = critical(draws, 0.95)
    assert stats.t.ppf(0.975, 29) < found < stats.t.ppf(1 - 0.025 / 10, 29)
    # Tukey's studentised range is the same question for equal correlations
    equal = np.full((5, 5), 0.5) + 0.5 * np.eye(5)
    alike = critical(max_t(equal, np.ones(10), 29, seed=1), 0.95)
    assert alike == pytest.approx(stats.studentized_range.ppf(0.95, 5, 29) / math.sqrt(2), abs=0.05)
    p = share_reaching(draws, np.array([found, 0.0, 100.0]))
    assert p[0] == pytest.approx(0.05, abs=0.002)
    assert p[1] == 1
    assert p[2] > 0


def difference(**changes):
    base = {
        "a": "A", "b": "B", "measure": "P@5", "difference": -0.031, "se": 0.01, "interval": (-0.054, -0.008),
        "p_value": 0.004, "level": 0.95, "method": "rectified", "adjusted": "max-t", "family": 6,
    }  # fmt: skip
    return Difference(**{**base, **changes})


def test_verdicts():
    assert difference().verdict == "B beats A by 0.031 [0.008, 0.054], p = 0.004, both adjusted for 6 comparisons"
    told = difference(difference=0.01, interval=(-0.01, 0.03), p_value=0.4, advice="audit more")
    assert told.verdict.startswith("A and B: cannot tell (+0.010 [-0.010, 0.030], p = 0.400")
    assert told.verdict.endswith("; audit more")
    nothing = difference(difference=math.nan, interval=(math.nan, math.nan), p_value=math.nan, notes=("no matrix.",))
    assert nothing.verdict == "A and B: no answer; no matrix."
    assert str(nothing).count("no matrix") == 1
    assert (
        difference(difference=0.0, se=0.0, interval=(0, 0), p_value=1).verdict == "A and B: no difference on any topic"
    )
    wide = difference(difference=1.0, interval=(-math.inf, math.inf), p_value=0.01)
    assert "by how much the data do not bound" in wide.verdict
    turned = difference().reversed()
    assert (turned.a, turned.difference, turned.interval) == ("B", 0.031, (0.008, 0.054))
