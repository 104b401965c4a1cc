"""Agreement against its oracles: krippendorff, scikit-learn, statsmodels, and slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from crowds import crowd, good
from label_matrices import from_matrix
from refusals import refused
from sklearn.metrics import cohen_kappa_score
from wording import phrase

from dissensus.errors import InputError, Option
from dissensus.judging.agreement.api import agreement, at_least
from dissensus.judging.agreement.coefficient_interval import Resampling
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import UNJUDGED

HOW = Resampling(replicates=99)


def test_only_one_grade_is_undefined_with_the_sentence_never_one() -> None:
    a = agreement(from_matrix(np.ones((30, 3), int), "0..1", topics=10), replicates=99)
    for e in (a.kappa, a.fleiss, a.alpha_nominal, a.alpha_ordinal, a.alpha_interval):
        assert np.isnan(e)
        assert e.undefined == "one grade"
    assert a.percent == 1
    assert a.ac1 == 1
    assert phrase("agreement.only-one-grade") in str(a)


def test_no_document_judged_twice() -> None:
    a = agreement(from_matrix(np.array([[0, -1], [-1, 1]])), replicates=99)
    assert np.isnan(a.percent)
    assert a.alpha.undefined == "no pairs"
    assert a.pairs.height == 0


def test_unordered_labels_have_no_weighted_coefficients() -> None:
    j = Judgments.from_dict(
        {"a": {1: {"x": "cat", "y": "dog", "z": "cat"}}, "b": {1: {"x": "cat", "y": "cow", "z": "cat"}}}
    )
    a = agreement(j, replicates=99)
    assert np.isnan(a.kappa_linear)
    assert a.kappa_linear.undefined == "no order"
    assert a.alpha == a.alpha_nominal
    assert a.overlap == {}


def test_negative_grades_are_left_out_and_counted_or_a_level() -> None:
    j = Judgments.from_dict({"a": {1: {"x": 0, "y": -2, "z": 1}}, "b": {1: {"x": 0, "y": -2, "z": 0}}})
    assert agreement(j, replicates=99).n_documents == 2
    assert phrase("agreement.labels-below-zero", 2) in str(agreement(j, replicates=99))
    assert agreement(j, negative="label", replicates=99).percent == pytest.approx(2 / 3)


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
    with refused(InputError, "level=95"):
        agreement(j, level=95)
    with refused(InputError, 'gold="expert"'):
        agreement(j, gold="expert")
    with refused(InputError, 99, "replicates=3"):
        agreement(j, replicates=3)


def test_json_has_no_nan() -> None:
    import json

    a = agreement(from_matrix(np.ones((4, 2), int), "0..1"), replicates=99)
    content = json.loads(a.to_json())
    assert {r["coefficient"]: r["value"] for r in content["tables"]["coefficients"]}["Cohen's kappa"] is None
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
    assert "Conger's kappa" in agreement(from_matrix(matrix, "0..1"), replicates=99).coefficients()
    assert "Cohen's kappa" in agreement(from_matrix(matrix[:, :2], "0..1"), replicates=99).coefficients()


def test_binary_is_the_coefficients_of_recoded_labels() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(0, 4, 200)
    y = np.where(rng.random(200) < 0.5, x, rng.integers(0, 4, 200))
    matrix = np.stack([x, y], axis=1)
    cut = agreement(from_matrix(matrix, topics=12), binary=2, replicates=99)
    assert cut.kappa == pytest.approx(cohen_kappa_score(x >= 2, y >= 2), abs=1e-12)
    assert cut.per_grade["grade"].to_list() == ["below 2", "2 or above"]
    for wrong in (0, 7, "good"):
        with refused(InputError, str(Option("binary", wrong))):
            agreement(from_matrix(matrix), binary=wrong)


def test_grades_below_zero_stay_unjudged_and_names_have_no_order() -> None:
    judgments = Judgments.from_dict({"a": {1: {"x": -1, "y": 1, "z": 3}}}, scale="0..3")
    assert at_least(judgments, 2).grade.tolist() == [-1, 0, 1]
    with refused(InputError, 'binary="cat"', "cat"):
        at_least(Judgments.from_dict({"a": {1: {"x": "cat", "y": "dog"}}}), "cat")


def test_per_topic_and_per_grade() -> None:
    matrix = np.array([[0, 0], [1, 0], [1, 1], [2, 2]])
    a = agreement(from_matrix(matrix, "0..2", topics=2), replicates=99)
    assert a.per_topic["percent"].to_list() == [1.0, 0.5]
    assert a.per_grade["agreement"].to_list() == pytest.approx([2 / 3, 2 / 3, 1.0])
