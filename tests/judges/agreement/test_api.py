"""Agreement against its oracles: krippendorff, scikit-learn, statsmodels, and slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from crowds import crowd, good
from label_matrices import from_matrix
from refusals import refused
from wording import phrase

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.scale import UNJUDGED
from dissensus.errors import InputError
from dissensus.judges.agreement.api import agreement
from dissensus.judges.agreement.coefficient_interval import Resampling

HOW = Resampling(resamples=99)


def test_only_one_grade_is_undefined_with_the_sentence_never_one() -> None:
    a = agreement(from_matrix(np.ones((30, 3), int), "0..1", topics=10), resamples=99)
    for e in (a.kappa, a.fleiss, a.alpha_nominal, a.alpha_ordinal, a.alpha_interval):
        assert np.isnan(e)
        assert e.undefined == "one grade"
    assert a.percent == 1
    assert a.ac1 == 1
    assert phrase("agreement.only-one-grade") in str(a)


def test_no_document_judged_twice() -> None:
    a = agreement(from_matrix(np.array([[0, -1], [-1, 1]])), resamples=99)
    assert np.isnan(a.percent)
    assert a.alpha.undefined == "no pairs"
    assert a.pairs.height == 0


def test_unordered_labels_have_no_weighted_coefficients() -> None:
    j = Judgments.from_dict(
        {"a": {1: {"x": "cat", "y": "dog", "z": "cat"}}, "b": {1: {"x": "cat", "y": "cow", "z": "cat"}}}
    )
    a = agreement(j, resamples=99)
    assert np.isnan(a.kappa_linear)
    assert a.kappa_linear.undefined == "no order"
    assert a.alpha == a.alpha_nominal
    assert a.overlap == {}


def test_negative_grades_are_left_out_and_counted_or_a_level() -> None:
    j = Judgments.from_dict({"a": {1: {"x": 0, "y": -2, "z": 1}}, "b": {1: {"x": 0, "y": -2, "z": 0}}})
    assert agreement(j, resamples=99).n_documents == 2
    assert phrase("agreement.labels-below-zero", 2) in str(agreement(j, resamples=99))
    assert agreement(j, negative="label", resamples=99).percent == pytest.approx(2 / 3)


def test_intervals_are_over_topics_and_say_so() -> None:
    truth = np.random.default_rng(0).integers(0, 2, 400)
    j = crowd(truth, [good(2, 0.8)] * 4, None, seed=5, topics=20)
    a = agreement(j)
    assert phrase("agreement.studentised-bootstrap-over-topics", 20) in str(a)
    assert a.alpha.low < a.alpha < a.alpha.high
    assert agreement(j).alpha.low == a.alpha.low
    few = agreement(crowd(truth, [good(2, 0.8)] * 4, None, seed=5, topics=5))
    assert phrase("agreement.over-topics-unreliable", 5) in str(few)
    one = agreement(crowd(truth, [good(2, 0.8)] * 4, None, seed=5, topics=1))
    assert phrase("agreement.documents-resampled") in str(one)
    assert one.alpha.low < one.alpha < one.alpha.high


def test_arguments_are_checked() -> None:
    j = from_matrix(np.array([[0, 1], [1, 1]]))
    with refused(InputError, "confidence=95"):
        agreement(j, confidence=95)
    with refused(InputError, 'gold="expert"'):
        agreement(j, gold="expert")
    with refused(InputError, 99, "resamples=3"):
        agreement(j, resamples=3)


def test_json_has_no_nan() -> None:
    import json

    a = agreement(from_matrix(np.ones((4, 2), int), "0..1"), resamples=99)
    content = json.loads(a.to_json())
    assert content["coefficients"]["Cohen's kappa"]["value"] is None
    assert a.to_frame().columns == ["coefficient", "value", "low", "high", "n", "note"]
    assert UNJUDGED == -128


def test_one_assessor_is_refused_with_the_reason() -> None:
    j = from_matrix(np.array([[0, 1], [1, 1]]))
    with refused(InputError, "a0"):
        agreement(j.select(assessors=["a0"]))
    with refused(InputError, 'gold="a1"'):
        agreement(j, gold="a1")


def test_kappa_of_many_is_called_congers() -> None:
    matrix = np.random.default_rng(5).integers(0, 2, (40, 3))
    assert "Conger's kappa" in agreement(from_matrix(matrix, "0..1"), resamples=99).coefficients()
    assert "Cohen's kappa" in agreement(from_matrix(matrix[:, :2], "0..1"), resamples=99).coefficients()
