"""Chances to be best, to be nearly best, expected losses and the recommendation."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.inference.comparison import decision
from dissensus.inference.comparison.belief import belief_of_scores
from dissensus.inference.comparison.decision import Belief, check_negligible, decide, saved, unpooled
from dissensus.inference.comparison.evidence import negligible_of

NAMES = tuple("ABCDEFGH")
MEAN = np.array([0.50, 0.49, 0.49, 0.47, 0.46, 0.44, 0.42, 0.40])
NEAR = 0.02**2 * (np.eye(8) + 1) / 2 + np.diag([0.0] * 7 + [0.03**2])
BELIEF = Belief(MEAN, 2 * NEAR, NEAR)


@pytest.fixture(autouse=True)
def _many_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision, "DRAWS", 1_000_000)  # against printed numbers


def test_chances_and_losses_of_the_example() -> None:
    found = decide(NAMES, BELIEF, 0.02)
    assert found.best == pytest.approx((0.451, 0.236, 0.236, 0.047, 0.018, 0.002, 0.000, 0.011), abs=0.002)
    assert found.within == pytest.approx((0.883, 0.627, 0.627, 0.180, 0.066, 0.004, 0.000, 0.006), abs=0.002)
    assert found.loss == pytest.approx((0.007, 0.016, 0.016, 0.036, 0.047, 0.066, 0.087, 0.107), abs=0.001)
    assert sum(found.best) == pytest.approx(1)
    assert found.recommended == "A"
    assert found.elsewhere is None


def test_copies_share_the_chance_of_one_system() -> None:
    found = decide(NAMES, BELIEF, 0.02, copies=[("B", "C")])
    assert found.best == pytest.approx((0.569, 0.157, 0.157, 0.071, 0.029, 0.003, 0.000, 0.015), abs=0.002)
    assert found.loss[1] == found.loss[2]


def test_the_recommendation_stays_among_those_that_could_be_the_best() -> None:
    found = decide(NAMES, BELIEF, 0.02, candidates=["D", "B"])
    assert (found.recommended, found.elsewhere) == ("B", "A")


def test_a_system_in_use_is_kept_unless_the_gain_is_worth_it() -> None:
    assert decide(NAMES, BELIEF, 0.02, in_use="B").choice == "B"  # .01 is no more than .01
    assert decide(NAMES, BELIEF, 0.01, in_use="B").choice == "A"
    found = decide(NAMES, BELIEF, 0.02, in_use="D")
    assert (found.choice, found.kept) == ("A", None)
    assert decide(NAMES, BELIEF, 0.02, in_use="A").kept == "A"


def test_students_t_has_wider_draws() -> None:
    assert decide(NAMES, Belief(MEAN, 2 * NEAR, NEAR, df=4.0), 0.02).best[0] < decide(NAMES, BELIEF, 0.02).best[0]


def test_more_labels_lower_the_expected_loss() -> None:
    now = decide(NAMES, BELIEF, 0.02).loss[0]
    nothing, some, everything = (saved(BELIEF, scale * NEAR) for scale in (1e6, 1.0, 1e-9))
    assert 0 <= nothing < 1e-4
    assert everything == pytest.approx(now, abs=0.001)
    assert nothing < some < everything
    assert np.isnan(saved(BELIEF, None))


def test_few_topics_recommend_no_system_that_the_scores_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six topics, twelve systems: the covariance is singular, and its empty directions were taken for knowledge."""
    monkeypatch.setattr(decision, "DRAWS", 4_000)
    rng, said, true, first = np.random.default_rng(4), [], [], []
    for _ in range(60):
        truth = 0.5 + 0.05 * rng.standard_normal(12)
        scores = truth[:, None] + 0.15 * rng.standard_normal((12, 6)) + 0.1 * rng.standard_normal(6)
        belief = belief_of_scores(scores, higher_is_better=True)
        assert belief is not None
        found = decide([f"{i:02}" for i in range(12)], belief, 0.02)
        losses = truth.max() - truth
        said.append(found.of(found.choice)[2])
        true.append(losses[int(found.choice)])
        first.append(losses[scores.mean(axis=1).argmax()])
    assert np.mean(true) / np.mean(said) == pytest.approx(1, abs=0.3)
    assert np.mean(true) < np.mean(first) + 0.005


def test_unpooled_deviations_are_shrunk_by_their_error() -> None:
    theta, k = np.array([0.5, 0.4, 0.3, 0.2]), np.eye(4)
    exact = unpooled(theta, 1e-10 * np.eye(4), k)
    assert exact.mean == pytest.approx(theta, abs=1e-6)
    vague = unpooled(theta, 1.0 * np.eye(4), k)
    assert np.ptp(vague.mean) < 0.4 * np.ptp(theta)
    assert np.trace(vague.wide) >= np.trace(vague.near)
    assert unpooled(np.full(4, 0.3), np.eye(4), k).mean == pytest.approx(np.full(4, 0.3))


def test_two_scores_that_happen_to_be_equal_promise_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """ω ended at three times the observed deviations: two equal scores with large errors were surely within δ."""
    monkeypatch.setattr(decision, "DRAWS", 1_000)
    monkeypatch.setattr(decision, "FORESEEN", 50)
    equal = unpooled(np.array([0.5, 0.5]), 0.06**2 * np.eye(2), np.eye(2))
    assert decide("AB", equal, 0.02).within[0] < 0.9
    rng, sure = np.random.default_rng(1), []
    for _ in range(300):
        truth = 0.5 + 0.04 * rng.standard_normal(2)
        found = decide("AB", unpooled(truth + 0.05 * rng.standard_normal(2), 0.05**2 * np.eye(2), np.eye(2)), 0.02)
        if found.within["AB".index(found.choice)] > 0.95:
            sure.append(truth.max() - truth["AB".index(found.choice)] <= 0.02)
    assert len(sure) > 30
    assert np.mean(sure) > 0.93  # 0.81 as it was


def test_negligible_is_a_size() -> None:
    with refused(InputError, options=["negligible"]):
        check_negligible(0.0)


def test_scores_without_any_error_are_taken_as_they_are() -> None:
    """Systems with one score on every topic: the mixture over ω had a singular matrix."""
    theta = np.array([1.0, 0.0])
    found = unpooled(theta, np.zeros((2, 2)), np.zeros((2, 2)))
    assert found.mean.tolist() == [1.0, 0.0]
    assert not found.near.any()


def test_nothing_is_recommended_where_no_spread_is_seen() -> None:
    """One difference on both of two topics proves nothing of others; an audit of one topic has no covariance."""
    assert belief_of_scores(np.array([[1.0, 1.0], [0.0, 0.0]]), higher_is_better=True) is None
    assert belief_of_scores(np.array([[1.0, 0.8], [0.0, 0.1]]), higher_is_better=True) is not None
    assert not Belief(MEAN, np.full((8, 8), np.nan), NEAR).known
    assert BELIEF.known


def test_a_negligible_difference_is_smaller_than_the_measures_range() -> None:
    with refused(InputError, options=["negligible"]):
        negligible_of("P@10", 1.0)
    assert negligible_of("P@10", 0.5) == 0.5
    assert negligible_of("DCG@10", 5.0) == 5.0
    assert negligible_of("DCG@10", None) is None
