"""Judgments per intent: how one ranking is scored, and what intents count."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from refusals import refused

import dissensus as ds
from dissensus.arrays import Bools
from dissensus.errors import InputError, MeasureError
from dissensus.measures.families.intent_measure import IntentMeasure, one_ranking


class Covered(IntentMeasure):
    """Which intents a measure is handed: documents × intents of the ranking, and of the pool."""

    def of_ranking(self, ranking: Bools, pool: Bools) -> float:
        return ranking.shape[1] * 100 + int(ranking.sum()) * 10 + int(pool.sum())


def test_intents_without_a_relevant_document_are_left_out() -> None:
    m = Covered()
    assert m.score([{1}, None, {1, 2}], [{1}, {1, 2}, set(), {3}]) == 3 * 100 + 3 * 10 + 4
    assert m.score([{1}, {2}]) == 2 * 100 + 2 * 10 + 2  # without a pool the ranking is one
    assert np.isnan(m.score([set(), None], [set()]))


def test_grades_are_refused() -> None:
    with refused(MeasureError, options=["intent"]):
        Covered().compute(np.array([1], np.int8), np.array([1], np.int8), None)
    for wrong in ([1, 0], ["ab"]):
        with refused(InputError, "set()", "None"):
            Covered().score(wrong)


def test_an_intent_without_relevant_documents_is_not_counted() -> None:
    m = ds.measure("StRecall@1")
    assert m.score([{1}, set()], [{1}, set(), {2}]) == 0.5
    assert m.score([{1}, set()], [{1}, set()]) == 1
    assert np.isnan(m.score([set()], [set()]))


def test_texts_are_not_sets_of_intents() -> None:
    with refused(InputError, "P_IA@1", "set()"):
        ds.measure("P_IA@1").score(["12"], [{1}])


NAMES = ["alpha_DCG@3", "alpha_DCG(alpha=0.3)@4", "ERR_IA@3", "NRBP", "P_IA@3", "P_IA", "StRecall@2", "AP_IA"]


def every_labelling(m, labels: np.ndarray, relevant: np.ndarray) -> tuple[float, float]:
    """The least and largest score over all labels of the missing cells, by the definition."""
    cells = np.argwhere(labels < 0)
    values = []
    for said in itertools.product((0, 1), repeat=len(cells)):
        full = np.maximum(labels, 0)
        full[tuple(cells.T)] = said
        added = np.array(
            [sum(x for x, (_, j) in zip(said, cells, strict=True) if j == k) for k in range(len(relevant))]
        )
        count = relevant + added
        pool = np.zeros((int(count.max()), len(count)), bool)
        for k, n in enumerate(count):
            pool[:n, k] = True
        values.append(m.defined(full >= 1, pool))
    return min(values), max(values)


@pytest.mark.parametrize("name", NAMES)
def test_no_labelling_leaves_the_bounds_and_some_reach_them(name: str) -> None:
    rng = np.random.default_rng(5)
    m = ds.measure(name)
    for _ in range(12):
        labels = rng.choice(np.array([-128, 0, 0, 1], np.int8), (5, 3), p=(0.3, 0.3, 0.15, 0.25))
        relevant = (labels == 1).sum(axis=0) + rng.integers(0, 2, 3)
        if not relevant.any():
            relevant[0] = 1
        assert one_ranking(m, labels, relevant) == pytest.approx(every_labelling(m, labels, relevant), abs=1e-12)


def test_scores_lie_between_them_and_ideals_have_none() -> None:
    rng = np.random.default_rng(1)
    docs = [f"d{i}" for i in range(12)]
    rows = [(str(t), d, str(i), int(rng.random() < 0.4)) for t in range(3) for i in range(3) for d in docs[:8]]
    labels = ds.Judgments.from_frame(
        pl.DataFrame(rows, schema=["topic", "doc", "subtopic", "grade"], orient="row"),
        assessor="ann",
        intent="column",
    )
    runs = {"s": {str(t): {d: float(rng.random()) for d in docs} for t in range(3)}}
    scores = ds.evaluate(runs, labels, ["alpha_DCG@5", "AP_IA"], unjudged="bounds")
    for name in ("alpha_DCG@5", "AP_IA"):
        assert (scores[f"{name}.low"] <= scores[name] + 1e-12).all()
        assert (scores[f"{name}.high"] >= scores[name] - 1e-12).all()
    with refused(MeasureError, "alpha_nDCG@5"):
        ds.evaluate(runs, labels, ["alpha_nDCG@5"], unjudged="bounds")
