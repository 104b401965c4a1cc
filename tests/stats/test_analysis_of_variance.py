"""Sums of squares against statsmodels, effect sizes against a published table, groups against statsmodels' Tukey."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from refusals import refused
from scipy.stats import studentized_range
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multicomp import pairwise_tukeyhsd

from dissensus.errors import InputError
from dissensus.stats.analysis_of_variance import Row, all_interactions, anova, omega_squared, tukey_groups


def long_form(values: np.ndarray, names: list[str]) -> pd.DataFrame:
    rows = [(*map(str, index), values[index]) for index in np.ndindex(values.shape)]
    return pd.DataFrame(rows, columns=[*names, "y"])


def test_three_factors_and_their_interactions_are_statsmodels() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5, 3, 4, 2)) + np.arange(3)[:, None, None] * np.array([0.3, -0.2])
    table = anova(x, {"k": 5, "a": 3, "b": 4, "c": 2}, all_interactions("abc"))
    model = smf.ols("y ~ C(k) + C(a)*C(b) + C(a)*C(c) + C(b)*C(c)", long_form(x, ["k", "a", "b", "c"])).fit()
    theirs = anova_lm(model, typ=2)
    for source in ("k", "a", "b", "c", "a*b", "a*c", "b*c"):
        name = ":".join(f"C({p})" for p in source.split("*"))
        ours = table[source]
        assert ours.ss == pytest.approx(theirs.loc[name, "sum_sq"])
        assert ours.df == theirs.loc[name, "df"]
        assert ours.f == pytest.approx(theirs.loc[name, "F"])
        assert ours.p_value == pytest.approx(theirs.loc[name, "PR(>F)"])
    assert table.error.ss == pytest.approx(theirs.loc["Residual", "sum_sq"])
    assert table.error.df == theirs.loc["Residual", "df"]
    assert table["total"].ss == pytest.approx(x.size * x.var())


def test_replicates_are_error() -> None:
    x = np.random.default_rng(1).normal(size=(3, 4, 6))
    table = anova(x, {"a": 3, "b": 4, "copy": 6}, [("a", "b")], replicates="copy")
    theirs = anova_lm(smf.ols("y ~ C(a)*C(b)", long_form(x, ["a", "b", "copy"])).fit(), typ=2)
    assert table["a*b"].f == pytest.approx(theirs.loc["C(a):C(b)", "F"])
    assert table.error.df == 3 * 4 * 5


def test_three_way_interaction() -> None:
    x = np.random.default_rng(2).normal(size=(2, 3, 2, 4))
    terms = all_interactions("abc", order=3)
    assert terms[-1] == ("a", "b", "c")
    table = anova(x, {"a": 2, "b": 3, "c": 2, "r": 4}, terms, replicates="r")
    theirs = anova_lm(smf.ols("y ~ C(a)*C(b)*C(c)", long_form(x, ["a", "b", "c", "r"])).fit(), typ=2)
    assert table["a*b*c"].ss == pytest.approx(theirs.loc["C(a):C(b):C(c)", "sum_sq"])


@pytest.mark.parametrize(
    ("df", "f", "n", "printed"),
    [
        (33, 171.8716, 5916, 0.4880),
        (2, 30230.1290, 5916, 0.9109),
        (33, 42.1620, 5916, 0.1867),
        (4, 41.1420, 5220, 0.0298),
    ],
)
def test_omega_squared_of_a_published_table(df: int, f: float, n: int, printed: float) -> None:
    assert omega_squared(df, f, n) == pytest.approx(printed, abs=5e-5)


def test_omega_squared_is_its_formula_and_may_be_negative() -> None:
    x = np.random.default_rng(3).normal(size=(4, 5))
    row = anova(x, {"a": 4, "b": 5})["a"]
    assert row.f is not None
    assert row.omega2 == pytest.approx(3 * (row.f - 1) / (3 * (row.f - 1) + 20))
    flat = anova(np.array([[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]]), {"a": 3, "b": 2})["a"]
    assert flat.omega2 is not None
    assert flat.omega2 < 0


def test_tukey_uses_the_error_of_the_model() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(8, 5)) + np.array([0, 0.2, 1.5, 1.7, 4.0]) + 5 * rng.normal(size=(8, 1))
    table = anova(x, {"topic": 8, "system": ["s0", "s1", "s2", "s3", "s4"]})
    groups = table.tukey("system")
    assert groups.levels == ("s4", "s3", "s2", "s1", "s0")
    assert table.error.ms is not None
    hsd = studentized_range.ppf(0.95, 5, 28) * math.sqrt(table.error.ms / 8)
    assert groups.critical == pytest.approx(hsd)
    means = x.mean(axis=0)
    for a, b in itertools.combinations(range(5), 2):
        together = any({f"s{a}", f"s{b}"} <= set(g) for g in groups.groups)
        assert together == (abs(means[a] - means[b]) <= hsd)


def test_one_way_tukey_is_statsmodels() -> None:
    x = np.random.default_rng(5).normal(size=(4, 12)) + np.array([0, 0.4, 1.0, 1.4])[:, None]
    groups = anova(x, {"a": list("wxyz"), "r": 12}, replicates="r").tukey("a")
    theirs = pairwise_tukeyhsd(x.ravel(), np.repeat(list("wxyz"), 12))
    pairs = itertools.combinations("wxyz", 2)
    for (a, b), reject in zip(pairs, theirs.reject, strict=True):
        assert any(a in g and b in g for g in groups.groups) != reject


def test_groups_overlap_and_none_is_inside_another() -> None:
    wide = tukey_groups(list("abcde"), [5.0, 4.5, 4.0, 1.0, 0.9], Row("error", 40, 400, 0.7), 100)
    assert wide.groups == (("a", "b"), ("b", "c"), ("d", "e"))
    assert "XX" in str(wide)


def test_a_perfect_fit() -> None:
    table = anova(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]), {"a": 3, "b": 2})
    assert table["a"].p_value == pytest.approx(0.0, abs=1e-12)
    assert table["a"].ss == pytest.approx(16.0)


def test_the_table_reads_well_and_travels() -> None:
    table = anova(np.random.default_rng(6).normal(size=(4, 3)), {"k": 4, "a": 3})
    assert "ω²" in str(table).splitlines()[0]
    assert json.loads(table.to_json())["tables"]["effects"][0]["source"] == "k"
    frame = table.to_frame()
    assert frame["source"].to_list() == ["k", "a", "error", "total"]
    assert frame["f"].null_count() == 2


@pytest.mark.parametrize(
    ("call", "values"),
    [
        (lambda: anova(np.zeros((2, 3)), {"a": 2, "b": 4}), ("(2, 3)", "a 2", "b 4")),
        (lambda: anova(np.full((2, 3), np.nan), {"a": 2, "b": 3}), (6,)),
        (lambda: anova(np.zeros((2, 3)), {"a": 2, "b": 3}, [("a", "b")]), ()),
        (lambda: anova(np.zeros((2, 3)), {"a": 2, "b": 3}, [("a", "c")]), ("('a', 'c')",)),
        (lambda: anova(np.zeros((2, 3)), {"a": 2, "b": 3}, [("a",)]), ("('a',)",)),
        (lambda: anova(np.zeros((2, 3, 2)), {"a": 2, "b": 3, "c": 2}, [("a", "b"), ("b", "a")]), ()),
        (lambda: anova(np.zeros((1, 3)), {"a": 1, "b": 3}), ("a", 1)),
        (lambda: anova(np.zeros((2, 3)), {"a": 2, "b": 3}, replicates="c"), ('replicates="c"',)),
        (lambda: anova(np.eye(3), {"a": 3, "b": 3}).tukey("z"), ("z", "a", "b")),
        (lambda: anova(np.eye(3), {"a": 3, "b": 3})["z"], ("z", "error", "total")),
    ],
)
def test_wrong_input_gives_no_table(call: object, values: tuple[object, ...]) -> None:
    with refused(InputError, *values):
        call()  # type: ignore[operator]
