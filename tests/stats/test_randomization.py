"""Sign flips against scipy's permutation test and under the null."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scipy import stats

from dissensus.errors import InputError
from dissensus.stats.randomization import sign_flip


def test_exact_is_scipys() -> None:
    d = np.random.default_rng(0).normal(0.3, 1, 11)
    theirs = stats.permutation_test(
        (d,), lambda x, axis: np.mean(x, axis), permutation_type="samples", n_resamples=np.inf
    )
    ours = sign_flip(d)
    assert ours.exact
    assert ours.flips == 2**11
    assert ours.p_value == pytest.approx(theirs.pvalue)
    assert ours.mean == pytest.approx(d.mean())


def test_sampled_comes_near_the_exact_value() -> None:
    d = np.random.default_rng(1).normal(0.4, 1, 13)
    exact, sampled = sign_flip(d), sign_flip(d, replicates=8000, seed=0)
    assert exact.exact
    assert not sampled.exact
    assert sampled.p_value == pytest.approx(exact.p_value, abs=0.012)
    assert sampled.p_value == sign_flip(d, replicates=8000, seed=0).p_value


def test_p_is_never_zero() -> None:
    assert sign_flip(np.ones(60), replicates=999).p_value == 1 / 1000
    assert sign_flip(np.zeros(60), replicates=999).p_value == 1.0


def test_many_comparisons_share_the_flips() -> None:
    d = np.random.default_rng(2).normal(size=(30, 4))
    many = sign_flip(d, replicates=500, seed=5)
    for j in range(4):
        assert many.p_value[j] == sign_flip(d[:, j], replicates=500, seed=5).p_value


def test_the_level_is_kept_under_the_null() -> None:
    d = np.random.default_rng(3).exponential(size=(20, 2000)) * np.random.default_rng(4).choice([-1, 1], (20, 2000))
    assert np.mean(sign_flip(d, replicates=999).p_value <= 0.05) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize("d", [[0.1], [0.1, np.nan], np.zeros((2, 2, 2))])
def test_wrong_input_gives_no_p(d: object) -> None:
    with pytest.raises(InputError):
        sign_flip(d)  # type: ignore[arg-type]


def test_no_flips() -> None:
    with refused(InputError, "replicates=0"):
        sign_flip([1.0, 2.0], replicates=0)
