"""Expected scores under ties against all orders, one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from random_collections import EVERY

import dissensus as ds

SCORES = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0, "f": 1.0}
GRADES = {"a": 0, "b": 1, "c": 0, "d": 3, "f": 2, "g": 1, "h": 0}


def all_orders() -> list[list[str]]:
    """Every order of the tied documents."""
    return [["a", *middle, *last] for middle in itertools.permutations("bcd") for last in itertools.permutations("ef")]


@pytest.mark.parametrize("name", EVERY)
def test_the_expected_score_is_the_mean_over_all_orders(name: str) -> None:
    m = ds.measure(name)
    scale = ds.Scale.range(0, 3)
    each = [m.score([GRADES.get(d) for d in order], list(GRADES.values()), scale) for order in all_orders()]
    runs = ds.Runs.from_dict({"s": {"q": SCORES}})
    judgments = ds.Judgments.from_dict({"j": {"q": GRADES}}, scale="0..3")
    result = ds.evaluate(runs, judgments, [name], ties="expected")
    got = result[str(m)].item()
    if f"{m}.se" in result:
        assert abs(got - np.mean(each)) <= 4.5 * result[f"{m}.se"].item() + 1e-12
        assert result[f"{m}.se"].item() == pytest.approx(np.std(each) / np.sqrt(1000), rel=0.2, abs=1e-9)
    else:
        assert got == pytest.approx(np.mean(each), abs=1e-12)


def test_sampled_orders_are_seeded() -> None:
    runs = ds.Runs.from_dict({"s": {"q": SCORES}})
    judgments = ds.Judgments.from_dict({"j": {"q": GRADES}}, scale="0..3")
    collection = ds.Collection(runs, judgments)
    one = collection.evaluate(["ERR"], ties="expected", seed=1)["ERR"].item()
    assert one == collection.evaluate(["ERR"], ties="expected", seed=1)["ERR"].item()
    assert one != collection.evaluate(["ERR"], ties="expected", seed=2)["ERR"].item()


def test_a_constant_run_scores_the_random_order() -> None:
    docs = [f"d{i}" for i in range(20)]
    runs = ds.Runs.from_dict({"s": {"q": dict.fromkeys(docs, 0.0)}})
    judgments = ds.Judgments.from_dict({"j": {"q": {d: int(i < 5) for i, d in enumerate(docs)}}})
    result = ds.evaluate(runs, judgments, ["P@10", "nDCG@10"], ties="expected")
    assert result["P@10"].item() == pytest.approx(5 / 20)
    assert 0 < result["nDCG@10"].item() < 0.5
    assert result.attrs["tied_documents"] == 19


def test_where_all_orders_score_alike_there_is_no_error() -> None:
    runs = ds.Runs.from_dict({"s": {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 1.0}}})
    judgments = ds.Judgments.from_dict({"x": {"q": {"a": 1, "b": 2, "c": 1, "d": 1}}}, scale="0..3")
    scores = ds.evaluate(runs, judgments, ["ERR"], ties="expected")
    assert scores["ERR.se"].item() == 0.0
    assert scores["ERR"].item() == ds.evaluate(runs, judgments, ["ERR"])["ERR"].item()
