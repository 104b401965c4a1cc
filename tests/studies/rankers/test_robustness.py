"""Robustness: the same noise for all rankers, the same result whoever runs it, work that goes on."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.judging.confusion.api import Confusion
from dissensus.label_noise.injection import as_profiles
from dissensus.learning import ListNet, PRank
from dissensus.studies.generated.features import Shape, generate
from dissensus.studies.rankers.robustness import robustness, same_grade_order
from dissensus.tables.folds import split_folds
from dissensus.work.workspace import Workspace

DATA = generate(Shape(24, 20, 5, (0.6, 0.25, 0.15)), seed=1)
SMALL = {"levels": (0, 0.3, 0.6), "replicates": 2, "folds": 3, "seed": 5}


@pytest.fixture(scope="module")
def result():
    return robustness(DATA, ["PRank", "ListNet"], ("uniform", "distance"), **SMALL)


def test_one_row_per_training_and_clean_rows_for_every_profile(result):
    # per ranker and fold: one clean training shown under two profiles, two levels × two profiles × two replicates
    assert result.table.height == 2 * 3 * (2 + 8)
    curves = result.curves()
    assert curves.height == 2 * 2 * 3
    assert curves.filter(pl.col("level") == 0)["AP.relative"].to_list() == [1.0] * 4


def test_noise_is_the_same_for_all_rankers_and_as_asked(result):
    key = ["profile", "level", "repeat", "fold"]
    one, two = (result.table.filter(pl.col("ranker") == r).sort(key) for r in ("PRank", "ListNet"))
    assert one["pnoise"].to_list() == two["pnoise"].to_list()
    at = result.table.filter(pl.col("level") == 0.3)["dnoise"]
    assert at.mean() == pytest.approx(0.3, abs=0.04)
    assert at.n_unique() > 6  # folds, replicates and profiles draw their own


def test_noise_hurts(result):
    worst = result.curves().filter(pl.col("level") == 0.6)
    assert worst["AP.relative"].mean() < 0.97
    assert (worst["pnoise"] > 0.3).all()


def test_one_seed_one_result_whoever_works(result):
    again = robustness(DATA, [PRank(), ListNet()], ("uniform", "distance"), **SMALL, executor=2)
    assert again.table.equals(result.table)
    other = robustness(DATA, ["PRank"], **{**SMALL, "seed": 6})
    assert not other.table["pnoise"].equals(result.table.head(other.table.height)["pnoise"])


def test_stopped_work_goes_on(tmp_path, monkeypatch):
    whole = robustness(DATA, ["PRank"], **SMALL)
    calls = []
    honest = PRank.fit

    def tired(self, *args, **kwargs):
        if len(calls) == 5:
            raise KeyboardInterrupt
        calls.append(1)
        return honest(self, *args, **kwargs)

    monkeypatch.setattr(PRank, "fit", tired)
    with Workspace(tmp_path / "w", {"x": 1}) as workspace, pytest.raises(KeyboardInterrupt):
        robustness(DATA, ["PRank"], **SMALL, workspace=workspace)
    with Workspace(tmp_path / "w", {"x": 1}) as workspace:
        monkeypatch.setattr(PRank, "fit", lambda self, *a, **k: calls.append(1) or honest(self, *a, **k))
        assert robustness(DATA, ["PRank"], **SMALL, workspace=workspace).table.equals(whole.table)
    assert len(calls) == 15  # 3 clean and 12 noisy trainings, none of them twice


def test_folds_and_families_of_ones_own():
    folds = split_folds(DATA, 4, seed=0)[:2]
    c = Confusion([[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0, 0.5, 0.5]])
    found = robustness({"mine": folds}, {"a": PRank()}, {"measured": c}, levels=(0, 1), replicates=1)
    assert found.table["profile"].unique().to_list() == ["measured"]
    assert found.table.filter(pl.col("level") == 1)["dnoise"].mean() == pytest.approx(0.5, abs=0.06)
    half = as_profiles(c)["confusion"](3, 0.5).matrix
    np.testing.assert_allclose(half[0], [0.75, 0.25, 0])


def test_same_grade_pairs_of_a_blind_ranker_are_half_in_order():
    rng = np.random.default_rng(0)
    y, bounds = rng.integers(0, 2, 2000).astype(float), np.arange(0, 2001, 50)
    assert same_grade_order(rng.random(2000), y, bounds, rng) == pytest.approx(0.5, abs=0.03)
    assert same_grade_order(np.zeros(2000), y, bounds, rng) == 0.0
    assert np.isnan(same_grade_order(np.zeros(2), np.array([0.0, 1.0]), np.array([0, 2]), rng))


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ({"rankers": ["Oracle"]}, "Oracle"),
        ({"rankers": [PRank(), PRank()]}, "PRank"),
        ({"confusion_family": "normal"}, "normal"),
        ({"levels": (0, 1.5)}, "levels=(0, 1.5)"),
        ({"features": {}}, "robustness"),
    ],
)
def test_refused(change, value):
    given = {"features": DATA, "rankers": ["PRank"], "confusion_family": "uniform", **change}
    with refused(InputError, value):
        robustness(given.pop("features"), given.pop("rankers"), given.pop("confusion_family"), **given)


def test_a_matrix_with_too_few_grades_is_refused_before_any_work(monkeypatch):
    monkeypatch.setattr("dissensus.work.executor.run_units", None)
    data = generate(Shape(9, 10, 3, (0.6, 0.3, 0.1)))
    with refused(InputError, 3, 2):
        robustness(data, ["PRank"], Confusion.uniform(2, 0.1), levels=(0, 0.2), replicates=1, folds=3)
