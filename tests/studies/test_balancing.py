"""The balancing experiment: curves, and the t test that goes blind below the balancing index."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.errors import InputError, MeasureError
from dissensus.studies.balancing import SETTINGS, run, separation
from dissensus.studies.study import Request, StudyOutcome


def balancing_study(seed: int = 0, **settings: object) -> StudyOutcome:
    return run(Request(settings=SETTINGS | settings, seed=seed))


def test_rbp_goes_blind_below_its_balancing_index() -> None:
    frame = separation("RBP(p=0.8)", trials=300, ranks=(0, 4, 8, 12, 20), seed=1)
    share = dict(zip(frame["rank"], frame["share"], strict=True))
    assert frame["index"].unique().to_list() == [8]
    assert share[0] == share[4] == 1.0
    assert 0.4 < share[8] < 0.7
    assert share[12] < 0.15
    assert share[20] == pytest.approx(0.05, abs=0.04)  # the test's own level


def test_one_seed_one_result() -> None:
    first = separation("RBP(p=0.8)", trials=20, ranks=(3, 9), seed=5)
    again = separation("RBP(p=0.8)", trials=20, ranks=(3, 9), seed=5)
    assert first.equals(again)


def test_study() -> None:
    study = balancing_study(measures=["AP", "P@10"], simulate=["P@10"], length=60, steps=4, trials=50)
    tables = study.tables
    assert tables["curves"]["length"].unique().sort().to_list() == [1, 21, 40, 60]
    assert tables["separation"].height == 21
    # P@10 does not see rank 11: with the first ten alike there is nothing left to find
    low = tables["separation"].filter(tables["separation"]["rank"] >= 10)["share"]
    assert np.all(low.to_numpy() < 0.25)
    assert set(tables) == {"indices", "curves", "separation"}
    index = {row["measure"]: row for row in tables["indices"].iter_rows(named=True)}
    assert index["P@10"]["index"] == 10
    assert index["AP"]["thesis"] == "close to the length"


def test_what_it_refuses() -> None:
    with refused(MeasureError, "AP"):
        separation("AP")
    with refused(InputError, "length=10"):
        separation("P@5", length=10)
