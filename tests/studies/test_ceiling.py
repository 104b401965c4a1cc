"""The ceiling paper's figure and table, in shape."""

from __future__ import annotations

import numpy as np
import pytest

import dissensus as ds
from dissensus.judging.confusion.published import published
from dissensus.studies.ceiling import ceiling_study, limits


def judges(n: int = 3, topics: int = 8) -> ds.Judgments:
    rng = np.random.default_rng(0)
    truth = {t: rng.choice(3, 40, p=(0.6, 0.3, 0.1)) for t in range(topics)}
    matrix = ds.Confusion.distance(3, 0.25)
    return ds.Judgments.from_dict(
        {
            f"j{k}": {
                t: {f"d{i}": int(g) for i, g in enumerate(matrix.sample(row, seed=t * 10 + k))}
                for t, row in truth.items()
            }
            for k in range(n)
        },
        scale="0..2",
    )


def test_one_point_per_topic_and_ordered_pair():
    study = ceiling_study(judges(), "nDCG", elsewhere={"far": ds.Confusion.uniform(3, 0.66)})
    assert study.tables["Fig. 1"].group_by("matrix").len()["len"].to_list() == [8 * 6] * 4
    rmse = dict(study.tables["summary"].select("matrix", "rmse").rows())
    assert rmse["own pair"] < rmse["far"]
    assert set(study.tables) == {"summary", "Fig. 1"}


def test_three_methods_agree_in_the_table():
    data = {"small": {"a": [0, 0, 1, 2, 1, 0, 0, 0], "b": [2, 2, 1, 0, 0]}, "one": judges(1)}
    table = limits(
        data, {"crowd": published("trec-rf10-crowd"), "none": ds.Confusion(np.eye(3))}, samples=3000, best={"one": 0.7}
    )
    exact, drawn, normal = (table.filter(method=m)["crowd"].to_list() for m in ("exact", "SIM", "CFA"))
    assert drawn == pytest.approx(exact, abs=0.01)
    assert normal == pytest.approx(exact, abs=0.02)
    assert table["none"].to_list() == pytest.approx([1] * 6)
    assert table.filter(data="one")["best known"].to_list() == [0.7] * 3
    assert table.filter(data="small")["best known"].to_list() == [None] * 3
