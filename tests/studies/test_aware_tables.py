"""The tables of the AWARE experiment."""

from __future__ import annotations

import pytest
from aware_example import small_study

from dissensus.studies.aware_tables import AwareStudy


@pytest.fixture(name="study")
def _study() -> AwareStudy:
    return small_study()


def test_degrees_of_freedom_and_effect_sizes(study: AwareStudy) -> None:
    tables = study.tables()
    df = dict(zip(tables["ANOVA tau_ap"]["source"], tables["ANOVA tau_ap"]["df"], strict=True))
    assert df["K-tuple size"] == 3
    assert df["Approach"] == 33
    assert df["Approach*Measure"] == 33
    assert df["error"] == 4 * 34 * 2 * 2 - 1 - 3 - 33 - 1 - 1 - 33 - 33 - 1
    parts = tables["ANOVA of the estimators' parts, rmse"]
    df = dict(zip(parts["source"], parts["df"], strict=True))
    assert (df["Granularity"], df["Gap"], df["Weight"], df["Gap*Weight"]) == (1, 4, 2, 8)
    omega = tables["ANOVA rmse"].drop_nulls("omega2")["omega2"].to_numpy()
    assert (omega < 1).all()
    assert tables["Tukey tau_ap"].height == 34
    assert tables["approaches"]["tukey"].n_unique() == 1
    assert tables["approaches"]["tukey"][0] > 0
    assert tables["Tukey rmse"]["mean"].is_sorted()
    assert set(tables["top groups"]["factor"]) == {"Approach", "Granularity", "Gap", "Weight"}
