"""The number for the claim: 1 when pNoise explains everything, about 0 when it explains nothing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.isotonic import IsotonicRegression

from dissensus.studies.rankers.collapse import between_sets, collapse, falling


def test_falling_equals_scikit_learn():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 15, 60).astype(float), rng.normal(size=60)
    np.testing.assert_allclose(falling(x, y), IsotonicRegression(increasing=False).fit_transform(x, y), atol=1e-12)


def table(axis, speeds=(0.4, 0.9, 1.5)):
    """Three sets whose pNoise rises at different speeds; scores fall with `axis` alone."""
    rows = []
    for s, speed in enumerate(speeds):
        for level in (0.0, 0.1, 0.2, 0.3, 0.4):
            p = min(speed * level, 0.5)
            damage = level if axis == "dnoise" else p
            rows += [(f"s{s}", "R", "uniform", level, 0, f, level, p, 0.8 * (1 - damage**2)) for f in range(3)]
    names = ["set", "ranker", "profile", "level", "repeat", "fold", "dnoise", "pnoise", "AP"]
    return pl.DataFrame(rows, orient="row", schema=names)


def test_one_curve_against_pnoise():
    row = collapse(table("pnoise"), ("AP",)).row(0, named=True)
    assert row["share_gone"] == pytest.approx(1.0, abs=1e-9)
    assert row["shared_points"] == 1  # the fastest set passes the reach of the slowest after one level
    assert row["shared_gone"] is None
    slower = table("pnoise", (0.4, 0.6, 0.8))
    assert collapse(slower, ("AP",)).row(0, named=True)["shared_gone"] == pytest.approx(1.0, abs=1e-9)
    assert row["se"] == pytest.approx(0.0, abs=1e-9)


def test_one_curve_against_dnoise_has_nothing_to_explain():
    row = collapse(table("dnoise"), ("AP",)).row(0, named=True)
    assert row["between_dnoise"] == pytest.approx(0.0, abs=1e-9)
    assert row["share_gone"] is None
    assert row["between_pnoise"] > 0.01


def test_sets_that_share_no_stretch_are_said():
    frame = table("pnoise").with_columns(
        pl.when((pl.col("set") == "s2") & (pl.col("level") > 0)).then(0.49).otherwise(pl.col("pnoise")).alias("pnoise")
    )
    row = collapse(frame, ("AP",)).row(0, named=True)
    assert row["shared_points"] == 0
    assert row["shared_gone"] is None


def test_between_sets_is_never_negative():
    rng = np.random.default_rng(1)
    assert between_sets(rng.random(30), rng.random(30), rng.integers(0, 3, 30)) >= 0
