"""The diagnosis of a pair, recomputed from the audited documents."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from audited_study import audit, study
from refusals import states
from wording import phrase

import dissensus as ds
from dissensus.inference.comparison.pair_diagnosis import (
    Errors,
    PairDiagnosis,
    diagnose_pair,
    diagnoses,
    diagnosis_lines,
)


@pytest.fixture(scope="module", name="corrected")
def _corrected():
    runs, bronze, gold = study()
    return ds.correct(runs, bronze, audit(gold, 0.6), ["P@5", "nDCG@10"])


def test_errors_are_counted_by_who_shows_the_document(corrected):
    result, design = corrected.results["P@5"], corrected.design
    got = diagnose_pair(corrected, result, 0, 2)
    shows = [result.weights.row(s) != 0 for s in (0, 2)]
    kinds = {"a": shows[0] & ~shows[1], "b": shows[1] & ~shows[0], "both": shows[0] & shows[1]}
    for key, mine in kinds.items():
        seen = mine & design.audited
        wrong = design.gold[seen] != design.bronze[seen]
        assert got.errors[key].documents == seen.sum()
        assert got.errors[key].rate == pytest.approx(wrong.mean())  # inclusion is the same for all
    assert 0 <= got.errors_p <= 1


def test_the_matrix_line_is_the_difference_of_the_matrix_scores(corrected):
    result = corrected.results["P@5"]
    got = diagnose_pair(corrected, result, 0, 1)
    other = result.sensitivity
    assert got.matrix_difference == pytest.approx(other.theta[0] - other.theta[1])
    gap = result.estimate.theta[0] - result.estimate.theta[1] - got.matrix_difference
    assert math.copysign(1, got.hausman_z) == math.copysign(1, gap)


def test_the_audited_share_counts_documents_that_tell_the_two_apart(corrected):
    result, design = corrected.results["P@5"], corrected.design
    got = diagnose_pair(corrected, result, 0, 1)
    differ = result.weights.row(0) != result.weights.row(1)
    assert got.audited_share == pytest.approx(design.audited[differ].mean())
    assert 0 < got.f_star < 1


def test_measures_that_are_not_linear_have_no_diagnosis(corrected):
    got = diagnose_pair(corrected, corrected.results["nDCG@10"], 0, 1)
    assert got.sentences() == ()
    assert np.isnan([got.matrix_difference, got.f_star, got.errors_p]).all()


def test_of_many_pairs_the_first_against_the_rest_and_neighbours_are_diagnosed(corrected):
    compared = corrected.compare_all()
    assert len(diagnoses(corrected, compared)) == 3
    first = compared.standing("P@5").systems[0]
    assert [d.a for d in diagnoses(corrected, compared, most=2)] == [first, first]


def test_a_judge_that_treats_the_systems_differently_is_a_worry():
    errors = {"a": Errors(40, 0.4), "b": Errors(0, math.nan), "both": Errors(30, 0.1)}
    one = PairDiagnosis("A", "B", "P@5", errors=errors, errors_p=0.01)
    assert states(one.sentences()[0], "A", "40.0", 40, "10.0", 30)
    assert phrase("pair-diagnosis.treats-two-systems-documents") in one.sentences()[0]
    assert one.row()["only_a_errors"] == 0.4
    assert one.row()["both_documents"] == 30


def diagnosed(n: int):
    names = itertools.combinations("abcdef", 2)
    errors = {"a": Errors(10, 0.2), "b": Errors(10, 0.1), "both": Errors(5, 0.1)}
    return [
        PairDiagnosis(a, b, "AP", 0.1, 0.05, 1.0, 0.01 if i == 0 else 0.5, 0.3, 0.2, errors, 0.5 if i else math.nan)
        for i, (a, b) in enumerate(itertools.islice(names, n))
    ]


def test_many_diagnoses_are_counted():
    few = diagnosis_lines(diagnosed(2), everything=False)
    assert all(line.startswith("AP, a − ") for line in few)
    tested, compared_ = diagnosis_lines(diagnosed(5), everything=False)
    assert phrase("comparison-output.diagnosis-pairs", 5) in tested
    assert tested.endswith(phrase("comparison-output.not-adjusted", 1, "0.05", "b"))
    assert phrase("comparison-output.differ-pairs", 0, 4) in compared_
