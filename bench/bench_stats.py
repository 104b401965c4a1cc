"""Statistics beside scipy and statsmodels: many rank correlations at once, balanced analysis of variance."""

from __future__ import annotations

import numpy as np

from bench.rows import Row, best_of


def correlations() -> Row:
    from scipy.stats import kendalltau

    from dissensus.stats.correlation import kendall_tau

    rng = np.random.default_rng(0)
    reference, others = rng.random(129), np.round(rng.random((1000, 129)), 2)
    ours = kendall_tau(reference, others, variant="b")
    theirs = np.array([kendalltau(reference, other).statistic for other in others])
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    return Row(
        "Kendall's τ_b of 1 ranking of 129 systems with 1,000 others",
        best_of(5, lambda: kendall_tau(reference, others, variant="b")),
        "scipy, one by one",
        best_of(2, lambda: [kendalltau(reference, other).statistic for other in others]),
    )


def variance() -> Row:
    import pandas as pd
    import statsmodels.formula.api as smf
    from statsmodels.stats.anova import anova_lm

    from dissensus.stats.analysis_of_variance import anova

    rng = np.random.default_rng(0)
    shape = {"k": 29, "a": 34, "m": 3, "s": 2}
    values = rng.normal(size=tuple(shape.values())) + rng.normal(size=(34, 1, 1))
    pairs = [("a", "m"), ("a", "s"), ("m", "s")]
    frame = pd.DataFrame([(*map(str, i), values[i]) for i in np.ndindex(values.shape)], columns=[*shape, "y"])
    formula = "y ~ C(k) + C(a)*C(m) + C(a)*C(s) + C(m)*C(s)"
    theirs = anova_lm(smf.ols(formula, frame).fit(), typ=1)
    np.testing.assert_allclose(anova(values, shape, pairs)["a*m"].ss, theirs.loc["C(a):C(m)", "sum_sq"])
    return Row(
        "three-way ANOVA with interactions, 29 × 34 × 3 × 2 cells",
        best_of(5, lambda: anova(values, shape, pairs)),
        "statsmodels",
        best_of(1, lambda: anova_lm(smf.ols(formula, frame).fit(), typ=1)),
    )


def run() -> list[Row]:
    return [correlations(), variance()]
