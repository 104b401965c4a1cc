"""The bias of few labels per topic: found, put into the standard error, or a refusal with what to do instead."""

from __future__ import annotations

import numpy as np
import pytest
from audited_study import audit, study
from wording import phrase

import dissensus as ds
from dissensus.inference.correction.design import lay_out
from dissensus.inference.correction.imputation import impute
from dissensus.inference.correction.jackknife import Jackknife, instead, jackknife
from dissensus.inference.correction.nonlinear_scores import by_imputation

NDCG = ds.measure("nDCG@5")


def test_groups_left_out_by_hand() -> None:
    runs, bronze, gold = study(topics=8, seed=1)
    design = lay_out(runs, bronze, audit(gold, 0.5, 2))
    made = impute(NDCG, design, "these_topics", seed=3)
    assert made is not None
    found = jackknife(NDCG, design, made, 3)
    assert found is not None
    assert found.covariance.shape == (3, 3)
    assert np.all(np.linalg.eigvalsh(found.covariance) > -1e-12)
    theta = made.theta
    assert found.bias / theta == pytest.approx(np.full(3, found.bias[0] / theta[0]))  # common: in proportion to θ


def test_bias_and_variance_are_in_the_standard_error() -> None:
    runs, bronze, gold = study(topics=12, seed=1)
    design = lay_out(runs, bronze, audit(gold, 0.4, 2))
    plain, checked = (by_imputation(NDCG, design, "these_topics", 3, check=c)[0] for c in (False, True))
    assert checked.theta == pytest.approx(plain.theta)  # never subtracted
    made = impute(NDCG, design, "these_topics", seed=3)
    assert made is not None
    found = jackknife(NDCG, design, made, 3)
    assert found is not None
    larger = np.maximum(plain.se**2, np.diag(found.covariance)) + found.beyond**2
    assert checked.se == pytest.approx(np.sqrt(larger))


def test_refusals_say_what_to_do_instead() -> None:
    runs, bronze, gold = study(topics=20)
    few = ds.correct(runs, bronze, audit(gold, 0.06), ["nDCG@5", "P@5"])
    assert few.table.filter(measure="nDCG@5")["corrected"].is_nan().all()
    assert any(phrase("jackknife.needs-least", "nDCG@5", 2) in note and "nDCG-ratio" in note for note in few.notes)
    assert "undefined" in instead("undefined")


def test_a_large_bias_is_in_the_interval_and_no_reason_to_refuse() -> None:
    large = Jackknife(np.full(3, 0.2), 0.01**2 * np.eye(3), 0.0, np.zeros(3))
    np.testing.assert_allclose(large.beyond, 0.2)
    noisy = Jackknife(
        np.full(3, 0.03), 0.01**2 * np.eye(3), 0.02, np.zeros(3)
    )  # what the draws alone may do is no bias
    assert noisy.beyond == pytest.approx(np.full(3, np.sqrt(0.03**2 - 0.02**2)))
    assert not Jackknife(np.full(3, 0.01), np.eye(3), 0.02, np.zeros(3)).beyond.any()
    stepped = Jackknife(np.full(3, 0.01), np.eye(3), 0.02, np.array([0.06, 0.04, 0.02]))  # unseen by five groups
    np.testing.assert_allclose(stepped.beyond, [0.03, 0.02, 0.01])
