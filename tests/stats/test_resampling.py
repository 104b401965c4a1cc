"""Bootstrap intervals against scipy, by hand, and by seeded coverage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from refusals import refused
from scipy import stats
from wording import phrase

from dissensus.errors import InputError
from dissensus.stats.intervals import t_interval
from dissensus.stats.resampling import jackknife, parametric_bootstrap, resample, topic_interval


def ratio(means: np.ndarray) -> np.ndarray:
    return means[..., 0] / means[..., 1]


def coverage(method: Any, n: int, trials: int, draw: Any, truth: float, **options: Any) -> float:
    rng = np.random.default_rng(7)
    return float(
        np.mean([truth in topic_interval(draw(rng, n), method=method, seed=i, **options) for i in range(trials)])
    )


def skewed(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.beta(0.5, 3.0, n)  # average precision of hard topics looks like this


def test_jackknife_of_a_mean_is_its_standard_error() -> None:
    x = np.random.default_rng(0).random(20)
    estimate, se = jackknife(x)
    assert estimate == pytest.approx(x.mean())
    assert se == pytest.approx(stats.sem(x))
    assert tuple(topic_interval(x, method="t")) == pytest.approx(tuple(t_interval(x)))


def test_jackknife_of_a_ratio_leaves_out_one_at_a_time() -> None:
    x = np.random.default_rng(1).random((8, 2)) + 0.5
    left = [x[np.arange(8) != i, 0].sum() / x[np.arange(8) != i, 1].sum() for i in range(8)]
    _, se = jackknife(x, ratio)
    assert se == pytest.approx(np.sqrt(7 / 8 * np.sum((left - np.mean(left)) ** 2)))


def test_studentised_is_the_textbook_loop() -> None:
    x = skewed(np.random.default_rng(2), 15)
    ours = topic_interval(x, method="studentized", replicates=4000, seed=0)
    rng = np.random.default_rng(5)
    t = []
    for _ in range(4000):
        star = rng.choice(x, 15)
        t.append((star.mean() - x.mean()) / stats.sem(star))
    low, high = np.quantile(t, [0.025, 0.975])
    assert ours.low == pytest.approx(x.mean() - high * stats.sem(x), abs=0.01)
    assert ours.high == pytest.approx(x.mean() - low * stats.sem(x), abs=0.03)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_percentile_and_bca_are_scipys(method: Any) -> None:
    x = skewed(np.random.default_rng(3), 40)
    name = {"percentile": "percentile", "bca": "BCa"}[method]
    theirs = stats.bootstrap((x,), np.mean, method=name, n_resamples=20_000, rng=np.random.default_rng(0))
    ours = topic_interval(x, method=method, replicates=20_000, seed=0)
    assert tuple(ours) == pytest.approx(tuple(theirs.confidence_interval), abs=0.002)


def test_bca_of_a_ratio_is_scipys() -> None:
    x = np.random.default_rng(4).random((30, 2)) + 0.2
    theirs = stats.bootstrap(
        (x[:, 0], x[:, 1]),
        lambda a, b, axis=-1: a.mean(axis) / b.mean(axis),
        paired=True,
        method="BCa",
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    )
    ours = topic_interval(x, ratio, method="bca", replicates=20_000, seed=0)
    assert tuple(ours) == pytest.approx(tuple(theirs.confidence_interval), abs=0.006)


def test_studentised_covers_where_percentile_does_not() -> None:
    truth = 0.5 / 3.5
    studentised = coverage("studentized", 12, 400, skewed, truth, replicates=499)
    percentile = coverage("percentile", 12, 400, skewed, truth, replicates=499)
    assert studentised == pytest.approx(0.95, abs=0.03)
    assert percentile < 0.92
    assert studentised > percentile


def test_studentised_ratio_covers() -> None:
    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        size = rng.poisson(20, n) + 1
        return np.column_stack([rng.binomial(size, rng.beta(2, 3, n)), size]).astype(float)

    assert coverage("studentized", 20, 300, draw, 0.4, statistic=ratio, replicates=499) == pytest.approx(
        0.95, abs=0.035
    )


def test_few_topics_get_t_and_a_warning_in_words() -> None:
    interval = topic_interval([0.1, 0.4, 0.2, 0.9])
    assert interval.method == "t over 4 topics"
    assert not interval.reliable
    assert interval.note == "only 4 topics: unreliable"
    assert topic_interval(np.arange(10.0)).method == phrase("agreement.studentised-bootstrap-over-topics", 10)


def test_documents_of_one_topic_are_named() -> None:
    assert "over 30 documents" in str(topic_interval(np.arange(30.0), unit="documents"))


def test_no_spread_falls_back_to_t_and_says_so() -> None:
    interval = topic_interval(np.full(12, 0.5))
    assert tuple(interval) == (0.5, 0.5)
    assert interval.note == phrase("resampling.all-topics-say-same")
    almost = topic_interval(np.r_[np.zeros(19), 1.0])
    assert phrase("resampling.resamples-no-spread-hence") in almost.note


def test_an_undefined_statistic_is_reported() -> None:
    x = np.column_stack([np.ones(12), np.r_[np.zeros(11), 1.0]])
    assert (
        phrase("resampling.undefined-in")
        in topic_interval(x, lambda m: np.where(m[..., 1] > 0, 1.0, np.nan), method="percentile").note
    )


def test_one_seed_one_result() -> None:
    x = skewed(np.random.default_rng(8), 25)
    assert topic_interval(x, seed=3) == topic_interval(x, seed=3)
    assert topic_interval(x, seed=3) != topic_interval(x, seed=4)
    np.testing.assert_array_equal(resample(x, replicates=300, seed=1), resample(x, replicates=900, seed=1)[:300])


def test_resamples_have_the_right_mean_and_spread() -> None:
    x = skewed(np.random.default_rng(9), 50)
    values = resample(x, replicates=20_000, seed=0)
    assert values.mean() == pytest.approx(x.mean(), abs=0.001)
    assert values.std() == pytest.approx(x.std() / np.sqrt(50), rel=0.03)


def test_parametric_bootstrap() -> None:
    sim = parametric_bootstrap(lambda rng, size: rng.normal(3, 2, size), replicates=20_500, seed=0)
    assert len(sim.values) == 20_500
    assert sim.se == pytest.approx(2, rel=0.03)
    assert tuple(sim.interval()) == pytest.approx((3 - 3.92, 3 + 3.92), abs=0.15)


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (lambda: topic_interval([0.5]), 1),
        (lambda: topic_interval([0.5, np.nan]), 1),
        (lambda: topic_interval(np.zeros((2, 2, 2))), "(2, 2, 2)"),
        (lambda: topic_interval([0.5, 0.6], method="normal"), 'method="normal"'),  # type: ignore[arg-type]
        (lambda: topic_interval([0.5, 0.6], level=2), "level=2"),
        (lambda: resample([0.5, 0.6], replicates=0), "replicates=0"),
        (lambda: parametric_bootstrap(lambda rng, size: rng.random(size), replicates=1), "replicates=1"),
    ],
)
def test_wrong_input_gives_no_interval(call: Any, value: object) -> None:
    with refused(InputError, value):
        call()
