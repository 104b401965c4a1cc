"""One-way analysis of variance with unequal groups against scipy and statsmodels, and against the balanced one."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scipy.stats import f_oneway, tukey_hsd
from wording import phrase

from dissensus.errors import InputError
from dissensus.stats.analysis_of_variance import anova
from dissensus.stats.unequal_groups import one_way, tukey_kramer

rng = np.random.default_rng(3)
GROUPS = {"a": rng.normal(0, 1, 7), "b": rng.normal(0.4, 1, 12), "c": rng.normal(1.5, 1, 5)}


def test_f_and_p_are_scipys() -> None:
    table = one_way(GROUPS, name="method")
    expected = f_oneway(*GROUPS.values())
    assert table["method"].f == pytest.approx(expected.statistic)
    assert table["method"].p_value == pytest.approx(expected.pvalue)
    assert table["total"].ss == pytest.approx(table["method"].ss + table.error.ss)
    assert table.error.df == 24 - 3


def test_equal_groups_give_the_balanced_table() -> None:
    x = rng.normal(size=(3, 6)) + np.array([0, 0.3, 1])[:, None]
    ours = one_way({str(i): row for i, row in enumerate(x)})
    balanced = anova(x, {"group": 3, "again": 6}, replicates="again")
    for source in ("group", "error", "total"):
        assert ours[source].ss == pytest.approx(balanced[source].ss)
    assert ours["group"].omega2 == pytest.approx(balanced["group"].omega2)
    assert ours.tukey("group").groups == balanced.tukey("group").groups


def test_pairs_are_scipys_tukey_kramer() -> None:
    ours, theirs = tukey_kramer(GROUPS), tukey_hsd(*GROUPS.values())
    limits = theirs.confidence_interval(0.95)
    for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        assert ours["p_value"][k] == pytest.approx(theirs.pvalue[i, j], abs=1e-6)
        assert ours["low"][k] == pytest.approx(limits.low[i, j], rel=1e-5)
        assert ours["high"][k] == pytest.approx(limits.high[i, j], rel=1e-5)
        assert ours["differs"][k] == (theirs.pvalue[i, j] < 0.05)


def test_an_effect_below_noise_is_explained_and_may_be_clipped() -> None:
    same = {"a": [0.0, 1.0, 2.0, 3.0], "b": [3.0, 2.0, 1.0, 0.0, 1.5]}
    table = one_way(same)
    assert table["group"].omega2 < 0
    assert phrase("unequal-groups.below-zero-group") in table.notes[0]
    assert table.notes[0] in str(table)
    clipped = one_way(same, clip=True)
    assert clipped["group"].omega2 == 0
    assert clipped.notes == ()


def test_one_distance_does_not_fit_unequal_groups() -> None:
    with refused(InputError, "(7, 12, 5)"):
        one_way(GROUPS).tukey("group")


@pytest.mark.parametrize(
    ("groups", "values"),
    [
        ({"a": [1, 2]}, (1,)),
        ({"a": [1, 2], "b": []}, ("b",)),
        ({"a": [1, 2], "b": [np.nan, 1]}, ("b", 1)),
        ({"a": [1], "b": [2]}, ()),
    ],
)
def test_wrong_groups(groups: dict[str, list[float]], values: tuple[object, ...]) -> None:
    with refused(InputError, *values):
        one_way(groups)
