"""The noise experiment at toy size: its tables, its number, its workspace; and the sets it is made of."""

from __future__ import annotations

import polars as pl
import pytest
from refusals import refused

from dissensus.errors import InputError, WorkspaceError
from dissensus.studies.noise import BALANCE, GRADES, noise_study, orders_hold, pair_noise_by_scale
from dissensus.work.workspace import Workspace

TOY = {
    "sets": ("OHSUMED", "OHSUMED2G"),
    "rankers": ("PRank", "ListNet"),
    "profiles": ("uniform",),
    "levels": (0.0, 0.2, 0.5),
    "repeats": 1,
    "folds": 3,
    "documents": 1500,
}


def in_workspace(folder, **settings):
    with Workspace(folder) as workspace:
        return noise_study(**settings, workspace=workspace)


def test_tables_and_workspace(tmp_path):
    study = in_workspace(tmp_path / "w", **TOY)
    assert study.curves.height == 2 * 2 * 3
    assert study.claim.height == 2 * 2
    assert study.same_grade.columns == ["set", "whose", "PRank", "ListNet"]
    assert study.loss["ranker"].unique().to_list() == ["PRank"]
    assert (study.loss.filter(pl.col("dnoise") > 0.4)["rise"] > 0).all()  # Fig. 3
    assert all(0.4 < v < 0.6 for v in study.same_grade["PRank"])
    assert "-" not in study.headline  # a negative share is not called "gone"
    measured = study.curves.filter(study.curves["ranker"] == "PRank").sort("set", "level")["pnoise"].to_list()
    assert measured == pytest.approx(study.theory.sort("set", "dnoise")["pnoise"].to_list(), abs=0.04)
    again = in_workspace(tmp_path / "w", **TOY)
    assert again.result.table.equals(study.result.table)
    with refused(WorkspaceError, "workspace.sqlite"):
        in_workspace(tmp_path / "w", **TOY, seed=1)


def test_unknown_ranker():
    with refused(InputError, "LambdaMART"):
        noise_study(**{**TOY, "rankers": ("LambdaMART",)})


LEVELS = [0.05 * i for i in range(1, 10)]  # at 0.5 two grades are pure noise, whatever their balance


def test_proportions_are_proportions() -> None:
    for sets in (GRADES, BALANCE):
        for scales in sets.values():
            for r in scales.values():
                assert sum(r) == pytest.approx(1)


def test_better_balance_lowers_pair_noise_everywhere() -> None:
    held = orders_hold(pair_noise_by_scale(["uniform", "distance"], LEVELS)).filter(pl.col("figure") == "Fig. 11")
    assert (held["falls at"] == 1.0).all()


def test_more_grades_do_not_always() -> None:
    """METHODS: false for MSLR's two to three grades below dNoise of about 0.24."""
    held = orders_hold(pair_noise_by_scale(["uniform"], LEVELS)).filter(
        pl.col("set") == "MSLR-WEB10K", pl.col("step") == "C = 2 → C = 3"
    )
    assert held["falls at"].item() < 1
    assert held["last level without a fall"].item() == pytest.approx(0.2)


def test_td2003_at_a_tenth() -> None:
    table = pair_noise_by_scale(["uniform"], [0.1])
    row = table.filter(pl.col("figure") == "Fig. 7", pl.col("set") == "TD2003", pl.col("scale") == "C = 2")
    assert row["pnoise"].item() == pytest.approx(0.467, abs=5e-4)
