"""Labels kept back: what is kept, what is learnt from them."""

from __future__ import annotations

import crowd_sets
import numpy as np
import pytest
from crowds import crowd, good

from dissensus.judging.label_table import labels
from dissensus.judging.merging.api import merge
from dissensus.judging.merging.held_out import EXPONENTS, losses, split, tempered


def test_one_label_of_each_document_is_kept_and_none_twice() -> None:
    j = crowd(np.arange(50) % 2, [good(2, 0.8)] * 4, None, seed=1)
    parts = split(labels(j), 0)
    assert parts is not None
    assert len(parts.kept) == 50
    assert len(parts.rest) == 150
    assert np.bincount(parts.kept.item).max() == 1
    other = split(labels(j), 1)
    assert other is not None
    assert not np.array_equal(other.kept.assessor, parts.kept.assessor)
    assert split(labels(crowd(np.arange(9) % 2, [good(2, 0.8)] * 2, None, seed=1)), 0) is None


def test_tempering_flattens_and_keeps_the_order() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.0, 0.0, 0.0]])
    flat = tempered(p, 0.5)
    assert flat[0].sum() == pytest.approx(1)
    assert flat[0, 0] < 0.7
    assert np.argsort(flat[0]).tolist() == np.argsort(p[0]).tolist()
    assert flat[1].tolist() == [0, 0, 0]


def test_loss_of_a_known_posterior_by_hand() -> None:
    j = crowd(np.arange(60) % 2, [good(2, 1.0)] * 3, None, seed=2)
    parts = split(labels(j), 0)
    assert parts is not None
    truth = np.zeros((60, 2))
    truth[np.arange(60), [int(d[1:]) % 2 for d in j.doc_ids()]] = 1
    loss = losses(parts, truth, EXPONENTS).mean(axis=1)[-1]
    assert 0 < loss < 0.02  # perfect labels, a little smoothing


def test_tempering_makes_real_posteriors_honest() -> None:
    """Snow's event order: calibration error .055 before; labels are the same."""
    j = crowd_sets.snow2008("temp")
    plain, warm = merge(j, "em-mv", gold="gold", temper=False), merge(j, "em-mv", gold="gold")
    assert warm.exponent is not None
    assert warm.exponent < 0.5
    assert np.array_equal(plain.judgments.grade, warm.judgments.grade)
    assert plain.calibration is not None
    assert warm.calibration is not None
    assert warm.calibration.ece < 0.5 * plain.calibration.ece
    assert warm.calibration.log_loss < 0.5 * plain.calibration.log_loss
