"""How a ranker orders the other judge's labels."""

from __future__ import annotations

import numpy as np
import pytest

import dissensus as ds
from dissensus.inference.ceiling.expected_scores import Forms
from dissensus.inference.ceiling.label_order import ordered_labels

SCALE = ds.Scale.range(0, 2)
COUNTS = np.array([[2, 1, 1], [0, 3, 1]])
ONE = np.zeros(2, np.int64)
# label 0 is the best news, label 2 the worst
TURNED = np.array([[[0.1, 0.2, 0.7], [0.2, 0.6, 0.2], [0.7, 0.2, 0.1]]])


def ordered(order, matrices, name="nDCG"):
    measure = ds.measure(name)
    forms = Forms.of(measure, COUNTS, SCALE) if name == "nDCG" else None
    return ordered_labels(order, matrices, ONE, COUNTS, [measure], ONE, forms, SCALE)


def test_by_label_rows_are_made_to_sum_to_one():
    matrices, of = ordered("label", TURNED * 0.99)
    assert matrices == pytest.approx(TURNED)
    assert of is ONE


def test_by_posterior_the_columns_run_from_the_worst_label_to_the_best():
    matrices, of = ordered("posterior", TURNED)
    assert of.tolist() == [0, 1]
    for t, counts in enumerate(COUNTS):
        value = Forms.of(ds.measure("nDCG"), COUNTS, SCALE).values[t]
        joint = counts[:, None] * matrices[t]
        expected = (value @ joint) / joint.sum(axis=0)
        assert (np.diff(expected) > 0).all()
        assert np.sort(matrices[t], axis=1) == pytest.approx(np.sort(TURNED[0], axis=1))


def test_labels_that_are_worth_the_same_become_one():
    split = np.array([[[0.5, 0.25, 0.25], [0.2, 0.4, 0.4], [0.2, 0.4, 0.4]]])
    matrices, _ = ordered("posterior", split)
    assert matrices[0][:, :2] == pytest.approx(np.array([[0.5, 0.5], [0.2, 0.8], [0.2, 0.8]]))
    assert not matrices[0][:, 2].any()


def test_a_binary_measure_without_a_linear_form_counts_relevance():
    """AP: grades 1 and 2 are worth the same, so labels that only separate them are one."""
    separating = np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
    matrices, _ = ordered("posterior", separating, "AP")
    assert matrices[0][:, 1].tolist() == [0.0, 1.0, 1.0]
