"""Standard errors of user models: coverage, repeatability, and what is left out."""

from __future__ import annotations

import numpy as np
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.measures.user_models import stationary_distribution
from dissensus.tables.clicks import Clicks
from dissensus.users.bootstrap import bootstrap_user


def walks(p: np.ndarray, pages: int, rng: np.random.Generator) -> list[list[int]]:
    cumulative = p.cumsum(axis=1)
    rank = rng.integers(len(p), size=pages)
    steps = [rank]
    for _ in range(7):
        rank = (rng.random(pages)[:, None] > cumulative[rank]).sum(axis=1)
        steps.append(rank)
    lengths = rng.integers(2, 9, pages)
    return [[int(r) + 1 for r in row[:n]] for row, n in zip(np.array(steps).T, lengths, strict=True)]


def test_intervals_cover_the_stationary_distribution() -> None:
    rng = np.random.default_rng(12)
    p = rng.random((4, 4)) + 0.1
    p /= p.sum(axis=1, keepdims=True)
    truth = stationary_distribution(p)
    covered = []
    for i in range(60):
        user = ds.MarkovUser.fit(walks(p, 200, rng))
        errors = bootstrap_user(user, replicates=60, seed=i)["all"]
        covered.append(np.abs(user.stationary - truth) <= 1.96 * errors.stationary)
    assert 0.89 <= np.mean(covered) <= 0.985


def test_same_seed_same_errors_and_classes_have_their_own() -> None:
    frame: dict[str, list[object]] = {"session": [], "query": [], "rank": []}
    rng = np.random.default_rng(1)
    p = np.full((4, 4), 0.25)
    for session, walk in enumerate(walks(p, 80, rng)):
        frame["session"] += [session] * len(walk)
        frame["query"] += [f"q{session % 2}"] * len(walk)
        frame["rank"] += walk
    user = ds.MarkovUser.fit(Clicks.from_frame(frame), {"q0": "a", "q1": "b"})
    errors = bootstrap_user(user, replicates=40, seed=3)
    assert set(errors) == {"all", "a", "b"}
    assert errors["a"].stationary.mean() > errors["all"].stationary.mean()  # half of the pages
    again = bootstrap_user(user, replicates=40, seed=3)
    assert np.array_equal(errors["b"].stationary, again["b"].stationary)
    assert errors["all"].alpha > 0


def test_reducible_walks_have_no_error_of_what_they_lack() -> None:
    errors = bootstrap_user(ds.MarkovUser.fit([[1, 2, 3]] * 20), replicates=10)["all"]
    assert errors.reducible == 10
    assert np.isnan(errors.stationary).all()
    assert np.isnan(errors.alpha)
    assert errors.backward == 0
    with refused(InputError, "replicates=1"):
        bootstrap_user(ds.MarkovUser.fit([[1, 2, 1]]), replicates=1)


def test_a_log_of_single_clicks_has_no_errors_and_does_not_fail() -> None:
    errors = bootstrap_user(ds.MarkovUser.fit([[1], [2], [1]]), replicates=10)["all"]
    assert np.isnan(errors.stationary).all()
    assert np.isnan(errors.backward)
    assert errors.reducible == 10


def test_draws_without_a_move_do_not_spoil_the_share_of_backward_moves() -> None:
    errors = bootstrap_user(ds.MarkovUser.fit([[1, 2, 1], [2, 1, 2], [1, 2]]), replicates=200)["all"]
    assert 0 < errors.backward < 1  # one draw in twenty has no page at all


def test_with_ends_a_draw_that_misses_a_rank_still_counts() -> None:
    """One page in twenty has the only click on rank 3: draws without it are not left out."""
    pages = [[1, 2, 1], [2, 1]] * 10 + [[1, 3, 1]]
    errors = bootstrap_user(ds.MarkovUser.fit(pages, ends=True), replicates=60, unit="page")["all"]
    assert errors.reducible == 0
    assert errors.stationary[2] > 0
