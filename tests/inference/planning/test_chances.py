"""With which probability documents are drawn, by purpose."""

from __future__ import annotations

import numpy as np
import pytest
from audited_study import study

import dissensus as ds
from dissensus.inference.correction.design import lay_out
from dissensus.inference.planning.chances import Chances, inclusion, key_of
from dissensus.inference.planning.prospect import Outlook, outlook


@pytest.fixture(scope="module", name="laid")
def _laid() -> Outlook:
    runs, bronze, _ = study(topics=15, systems=tuple("ABCDEFGH"))
    return outlook(ds.measure("P@5"), lay_out(runs, bronze, None), 0)


def test_keys_by_purpose(laid: Outlook) -> None:
    w, spread = laid.weights, laid.spread
    scores, differences, pair = (
        key_of(purpose, laid.design, w, spread, chosen, 50)
        for purpose, chosen in (("scores", None), ("differences", None), ("differences", (0, 1)))
    )
    dense = w.dense(np.arange(w.n_items))
    assert scores == pytest.approx(np.sqrt((dense**2).mean(axis=0)) * 0.4)
    assert differences == pytest.approx(dense.std(axis=0) * 0.4)
    assert pair == pytest.approx(np.abs(dense[0] - dense[1]) * 0.4)


def test_pooled_plans_lower_the_variance_of_deviations(laid: Outlook) -> None:
    budget = 60.0
    plain, pooled = (laid.chances(p, None, budget).at(budget) for p in ("scores", "pooled"))
    assert plain.sum() == pytest.approx(budget)
    assert pooled.sum() == pytest.approx(budget)
    key = key_of("pooled", laid.design, laid.weights, laid.spread, None, budget)
    use = key > 0

    def variance(pi: np.ndarray) -> float:
        return float((key[use] ** 2 * (1 - pi[use]) / pi[use]).sum())

    assert variance(pooled) < variance(plain)
    assert (pooled[laid.weights.weighty] > 0).all()  # the level can be corrected, too


def test_budgets_are_kept() -> None:
    key = np.array([5.0, 1.0, 1.0, 0.0])
    chances = Chances(key, key > 0)
    assert chances.most == 3
    assert chances.at(3.0).tolist() == [1.0, 1.0, 1.0, 0.0]
    assert inclusion(key, key > 0, 1.5).sum() == pytest.approx(1.5)
    assert inclusion(key, key > 0, 0.01).min() == 0.0
