"""The walk fitted to clicks: estimator, shares, holding rates, and chains that have no stationary distribution."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import shared_data
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError, MeasureError
from dissensus.tables.clicks import Clicks
from dissensus.users.dynamic import query_classes


def simulate(p: np.ndarray, pages: int, length: int, seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    cumulative = p.cumsum(axis=1)
    out = []
    for _ in range(pages):
        rank = int(rng.integers(len(p)))
        walk = [rank + 1]
        for _ in range(length - 1):
            rank = int(np.searchsorted(cumulative[rank], rng.random()))
            walk.append(rank + 1)
        out.append(walk)
    return out


def test_departures_not_visits() -> None:
    user = ds.MarkovUser.fit([[1, 2, 3], [3, 1], [2], [3, 1, 2, 1]])
    assert user.moves.tolist() == [[0, 2, 0], [1, 0, 1], [2, 0, 0]]
    assert user.transition.tolist() == [[0, 1, 0], [0.5, 0, 0.5], [1, 0, 0]]
    assert user.visits.tolist() == [4, 3, 3]
    assert (user.pages, user.single) == (4, 1)
    np.testing.assert_allclose(user.stationary @ user.transition, user.stationary, atol=1e-15)
    np.testing.assert_allclose(user.stationary, [0.4, 0.4, 0.2])
    assert user.backward == pytest.approx(3 / 6)
    assert user.forward == pytest.approx(3 / 6)
    assert user.again == 0


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(st.integers(1, 6), max_size=5), min_size=1, max_size=8), st.none() | st.integers(1, 7))
def test_moves_and_pages_are_those_of_the_slow_twin(sequences: list[list[int]], ranks: int | None) -> None:
    deepest = max((max(sequence) for sequence in sequences if sequence), default=0)
    kept = [[r for r in sequence if r <= (ranks or deepest)] for sequence in sequences]
    walked = [sequence for sequence in kept if sequence]
    if not walked:
        with refused(InputError):
            ds.MarkovUser.fit(sequences, ranks=ranks)
        return
    user = ds.MarkovUser.fit(sequences, ranks=ranks)
    n = min(ranks or deepest, deepest)
    several = [sequence for sequence in walked if len(sequence) > 1]
    steps = [(page, i - 1, j - 1) for page, s in enumerate(several) for i, j in pairwise(s)]
    assert user.pairs.tolist() == [i * n + j for _, i, j in steps]
    assert user.page_of_move.tolist() == [page for page, _, _ in steps]
    assert user.first.tolist() == [sequence[0] - 1 for sequence in walked]
    assert user.last.tolist() == [sequence[-1] - 1 for sequence in walked]
    assert user.several.tolist() == [len(sequence) > 1 for sequence in walked]
    assert user.visits.tolist() == [sum(sequence.count(r) for sequence in walked) for r in range(1, n + 1)]
    assert user.single == len(walked) - len(several)


def test_the_walk_comes_back_from_simulated_clicks() -> None:
    rng = np.random.default_rng(5)
    p = rng.random((5, 5))
    p /= p.sum(axis=1, keepdims=True)
    user = ds.MarkovUser.fit(simulate(p, 2000, 12, seed=1))
    np.testing.assert_allclose(user.transition, p, atol=0.03)
    assert user.reducible is None
    frame = user.to_frame()
    assert frame["stationary"].sum() == pytest.approx(1)
    assert user.transition_frame().height == 25


def test_reducible_chain_is_reported_not_solved() -> None:
    user = ds.MarkovUser.fit([[1, 2, 3], [1, 2]])
    assert user.reducible == phrase("chain.rank-walk-never-comes", 3, 1, 2)
    with refused(InputError, 3, 1, options=["ranks", "smoothing"]):
        _ = user.stationary
    with refused(InputError, 3, 1, options=["ranks", "smoothing"]):
        user.to_json()
    assert user.to_frame()["stationary"].null_count() == 3
    assert phrase("chain.no-stationary-distribution") in str(user)
    assert ds.MarkovUser.fit([[1, 2, 3], [1, 2]], smoothing=0.5).stationary.sum() == pytest.approx(1)


def test_unvisited_ranks_are_said_and_left_out() -> None:
    user = ds.MarkovUser.fit([[1, 3, 1], [2], [3, 1]])
    assert phrase("chain.no-move-rank", 2) in str(user)
    assert user.stationary.tolist() == [0.5, 0, 0.5]


def test_holding_rates() -> None:
    frame = {"session": [1, 1, 1, 2, 2], "query": ["q"] * 5, "rank": [1, 2, 1, 1, 2], "time": [0, 10, 16, 0, 4]}
    user = ds.MarkovUser.fit(Clicks.from_frame(frame))
    # rank 1: dwell 10 and 4 (its third visit is the session's last action); rank 2: one dwell time only
    assert user.dwells.tolist() == [2, 1]
    assert user.holding[0] == pytest.approx((1 / 7) * (1 / 2))
    assert np.isnan(user.holding[1])
    assert phrase("chain.no-holding-rate-rank", 2) in str(user)


def test_classes_from_judgments_or_a_file(tmp_path) -> None:
    judgments = ds.Judgments.from_dict(
        {"a": {"q1": {"x": 3, "y": 1}, "q2": {"x": 3, "y": 4}, "q3": {"x": 0, "y": 2}}}, scale="0..4"
    )
    assert query_classes(judgments) == {"q1": "navigational", "q2": "informational", "q3": "informational"}
    assert query_classes(judgments, rule="count") == {"q1": "2", "q2": "2", "q3": "1"}
    frame = {"session": [1, 1, 2, 2, 3, 3], "query": ["q1", "q1", "q2", "q2", "q9", "q9"], "rank": [1, 2, 2, 1, 1, 1]}
    user = ds.MarkovUser.fit(Clicks.from_frame(frame), query_classes(judgments))
    assert set(user.classes) == {"navigational", "informational"}
    assert user.classes["navigational"].moves.tolist() == [[0, 1], [0, 0]]
    (tmp_path / "classes.csv").write_text("".join(f"{q},{c}\n" for q, c in query_classes(judgments).items()))
    by_file = ds.MarkovUser.fit(Clicks.from_frame(frame), tmp_path / "classes.csv")
    assert by_file.classes["navigational"].moves.tolist() == [[0, 1], [0, 0]]
    assert user.moves.tolist() == [[1, 1], [1, 0]]
    assert phrase("chain.pages-belong-queries-without", 1, 3) in str(user)
    with refused(InputError, 3, "q1"):
        ds.MarkovUser.fit(Clicks.from_frame(frame), {"other": "navigational"})


def test_the_file_is_a_walk_for_mp(tmp_path) -> None:
    user = ds.MarkovUser.fit([[1, 2, 3, 1, 3, 2, 1]])
    file = tmp_path / "user.json"
    file.write_text(user.to_json())
    assert json.loads(file.read_text())["walk"]["holding"] is None
    m = ds.measure(f"MP(walk={str(file)!r})")
    pi = user.stationary
    assert m.score([1, 0, 1]) == pytest.approx((pi[0] + pi[2] * 2 / 3) / (pi[0] + pi[2]))
    with refused(MeasureError, "user.json"):
        ds.measure(f"MP(holding={str(file)!r})").score([1, 0])


@pytest.mark.parametrize(
    ("sequences", "kwargs", "values"),
    [
        ([[1, 0]], {}, (1, 0)),
        ([], {}, ()),
        ([[1, 2]], {"smoothing": -1}, ("smoothing=-1",)),
        ([[1, 2]], {"ranks": 0}, ("ranks=0",)),
    ],
)
def test_bad_input(sequences: list[list[int]], kwargs: dict[str, float], values: tuple[object, ...]) -> None:
    with refused(InputError, *values):
        ds.MarkovUser.fit(sequences, **kwargs)


def test_ranks_leaves_out_deep_clicks() -> None:
    user = ds.MarkovUser.fit([[1, 2, 1], [2, 9, 1]], ranks=2)
    assert user.moves.tolist() == [[0, 1], [2, 0]]
    assert phrase("chain.click-below-rank-left", 1, 2) in str(user)


def test_yandex_sample() -> None:
    user = ds.MarkovUser.fit(ds.read_clicks(shared_data("clicks-yandex-relpred-sample") / "trainSample.gz"))
    assert user.moves.sum() == 26_687
    assert user.backward == pytest.approx(0.184, abs=5e-4)
    assert user.backward / (user.backward + user.forward) == pytest.approx(0.235, abs=5e-4)
    assert user.reducible is None
    np.testing.assert_allclose(user.stationary @ user.transition, user.stationary, atol=1e-14)


def test_single_clicks_make_no_chain_and_the_words_say_so() -> None:
    user = ds.MarkovUser.fit([[1], [2]])
    assert user.reducible == phrase("chain.no-page-two-clicks")
    assert "reducible" not in str(user)
    assert "1 page " not in str(user)
    with refused(InputError, 2):
        _ = user.stationary


@pytest.mark.parametrize("clicks", [5, [1, 2]])
def test_what_is_no_sequence_of_ranks_is_refused(clicks: object) -> None:
    with refused(InputError, "[1, 2, 1]", "[3, 1]"):
        ds.MarkovUser.fit(clicks)  # type: ignore[arg-type]
