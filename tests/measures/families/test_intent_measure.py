"""Judgments per intent: how one ranking is scored, and what intents count."""

from __future__ import annotations

import numpy as np
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError, MeasureError
from dissensus.measures.families.intent_measure import Bools, IntentMeasure


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
    with refused(MeasureError, by="IntentMeasure.compute", options=["intent"]):
        Covered().compute(np.array([1], np.int8), np.array([1], np.int8), None)
    for wrong in ([1, 0], ["ab"]):
        with refused(InputError, "set()", "None", by="intent_measure"):
            Covered().score(wrong)


def test_an_intent_without_relevant_documents_is_not_counted() -> None:
    m = ds.measure("StRecall@1")
    assert m.score([{1}, set()], [{1}, set(), {2}]) == 0.5
    assert m.score([{1}, set()], [{1}, set()]) == 1
    assert np.isnan(m.score([set()], [set()]))


def test_texts_are_not_sets_of_intents() -> None:
    with refused(InputError, "P_IA@1", "set()", by="intent_measure"):
        ds.measure("P_IA@1").score(["12"], [{1}])
