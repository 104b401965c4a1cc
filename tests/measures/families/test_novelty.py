"""Novelty and diversity: METHODS' numbers, every kernel against the definition, and what is refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.engine.sparse_walks import greedy_sums, worth_sums
from dissensus.errors import InputError, MeasureError
from dissensus.tables.scale import UNJUDGED

POOL = [{1, 2}, {1}, {3}, set(), {2}]  # a to e
RANKING = [{1}, set(), {1, 2}, None, {3}]  # b, d, a, unjudged, c
EXAMPLE = {
    "alpha_DCG@5": 0.469078, "ERR_IA@5": 0.411498, "NRBP": 0.359375, "alpha_nDCG@5": 0.690138, "nERR_IA@5": 0.608955,
    "nNRBP": 0.534884, "P_IA@5": 0.266667, "AP_IA": 0.4, "StRecall@5": 1.0,
}  # fmt: skip
EVERY_INTENT = [
    *EXAMPLE, "alpha_DCG", "alpha_DCG(alpha=1)@3", "alpha_nDCG(alpha=0.2)", "alpha_nDCG(alpha=0)@4", "ERR_IA(rel=2)@3",
    "nERR_IA", "NRBP(alpha=0.3, beta=0.8)", "nNRBP(beta=0.8)", "P_IA", "StRecall(rel=2)", "AP_IA(rel=2)",
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), EXAMPLE.items())
def test_the_numbers_of_the_example(name: str, value: float) -> None:
    assert ds.measure(name).score(RANKING, POOL) == pytest.approx(value, abs=6e-7)


def test_the_greedy_ideal_can_be_passed() -> None:
    a, b, c, d = {"u", "x"}, {"w", "z"}, {"v", "z"}, {"x", "z"}
    assert ds.measure("alpha_nDCG@3").score([c, a, b], [a, b, c, d]) == pytest.approx(1.085344, abs=6e-7)


def random_intents(seed: int, assessors: int = 3) -> tuple[ds.Judgments, ds.Runs]:
    rng = np.random.default_rng(seed)
    docs = [f"d{i:02d}" for i in range(25)]
    rows = [
        (str(t), d, f"a{a}", str(i), int(rng.choice([-1, 0, 0, 1, 2])))
        for a in range(assessors)
        for t in range(4)
        for i in range(int(rng.integers(1, 5)))
        for d in rng.choice(docs, 14, replace=False)
        if not (a == 1 and t == 2)
    ]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "subtopic", "grade"], orient="row")
    runs = {
        f"s{s}": {
            str(t): {d: float(-r) for r, d in enumerate(rng.permutation(docs)[: int(rng.integers(3, 25))])}
            for t in range(4)
            if (s, t) != (0, 1)
        }
        for s in range(3)
    }
    return ds.Judgments.from_frame(frame, intent="column"), ds.Runs.from_dict(runs)


def slowly(m, joined) -> np.ndarray:
    """Scores by the definition, ranking by ranking."""
    intents = joined.intents
    out = np.full(joined.shape, np.nan)
    for a, s, t in np.ndindex(joined.shape):
        pool = intents.labels[joined.topic_bounds[t] : joined.topic_bounds[t + 1]][:, intents.owner == a]
        if not (pool > UNJUDGED).any():
            continue
        segment = int(joined.segment_of[s, t])
        ranking = np.zeros((0 if segment < 0 else int(joined.length[segment]), pool.shape[1]), bool)
        if segment >= 0:
            hits = slice(int(joined.hits[segment]), int(joined.hits[segment + 1]))
            shown = intents.labels[joined.hit_item[hits]][:, intents.owner == a]
            ranking[joined.hit_rank[hits] - 1] = shown >= m.rel
        out[a, s, t] = m.defined(ranking, pool >= m.rel)
    return out


@pytest.mark.parametrize("name", EVERY_INTENT)
def test_kernels_equal_the_definition(name: str) -> None:
    m = ds.measure(name)
    assert ds.measure(str(m)) == m
    for seed in range(3):
        joined = ds.Collection(*reversed(random_intents(seed))).joined
        fast = np.where(joined.in_topic[:, None], m.scores(joined), np.nan)
        np.testing.assert_allclose(fast, slowly(m, joined), atol=1e-12)


def test_other_measures_see_the_highest_grade_and_the_note_says_so() -> None:
    frame = pl.DataFrame(
        {
            "topic": ["1"] * 3,
            "doc": ["d", "d", "e"],
            "intent": ["x", "y", "y"],
            "grade": [1, 2, 1],
            "assessor": ["a"] * 3,
        }
    )
    judgments = ds.Judgments.from_frame(frame, intent="column")
    assert judgments.to_frame().select("doc", "grade").rows() == [("d", 2), ("e", 1)]
    scores = ds.evaluate(ds.Runs.from_dict({"s": {"1": {"e": 2.0, "d": 1.0}}}), judgments, ["CG@2", "StRecall@1"])
    assert (scores["CG@2"].item(), scores["StRecall@1"].item()) == (3.0, 0.5)
    assert phrase("families-novelty.intents-outside-diversity-measures", 2) in scores.attrs["footer"]


def test_judged_only_and_ties() -> None:
    judgments, runs = random_intents(0)
    joined = ds.Collection(runs, judgments).joined
    scores = ds.evaluate(runs, judgments, ["alpha_nDCG(judged_only=True)@5"])
    condensed = ds.evaluate(runs, judgments, ["alpha_nDCG@5"], unjudged="condense")
    np.testing.assert_array_equal(scores["alpha_nDCG(judged_only=True)@5"].values, condensed["alpha_nDCG@5"].values)
    assert joined.intents is not None
    tied = ds.Runs.from_dict({"s": {"0": dict.fromkeys(["d01", "d02", "d03"], 1.0)}})
    assert "P_IA@2.se" in ds.evaluate(tied, judgments, ["P_IA@2"], ties="expected")


def test_without_intents_it_is_an_error() -> None:
    runs = ds.Runs.from_dict({"s": {"1": {"d": 1.0}}})
    judgments = ds.Judgments.from_dict({"a": {"1": {"d": 1}}}, scale="0..2")
    for name in EVERY_INTENT:
        with refused(MeasureError, options=["intent"]):
            ds.evaluate(runs, judgments, [name])
    with refused(MeasureError, 0, "alpha_DCG(alpha=0)"):
        ds.measure("alpha_DCG(alpha=0)").score(RANKING, POOL)
    with refused(InputError, "P_IA@5", "set()"):
        ds.measure("P_IA@5").score([1, 0])


RNG = np.random.default_rng(4)
ITEMS, OWNER = 14, np.array([0, 0, 0, 1, 1], np.int64)  # five intents: three of one assessor, two of the other
RELEVANT = RNG.random((ITEMS, len(OWNER))) < 0.35
START = np.concatenate([[0], np.cumsum(RELEVANT.sum(axis=1))]).astype(np.int64)
COLUMNS = np.concatenate([*(np.flatnonzero(row) for row in RELEVANT), [0]]).astype(np.uint32)
RANKINGS = [RNG.permutation(ITEMS)[:n].astype(np.int32) for n in (14, 5, 9)]
HITS = np.cumsum([0, *(len(r) for r in RANKINGS)]).astype(np.int64)
RANK = np.concatenate([np.arange(1, len(r) + 1) for r in RANKINGS]).astype(np.int32)
ITEM = np.concatenate(RANKINGS).astype(np.int32)
DELTA = 1 / np.log2(np.arange(2, 20, dtype=np.float64))


def intents(item: int, assessor: int) -> list[int]:
    return [c for c in np.flatnonzero(RELEVANT[item]) if OWNER[c] == assessor]


def test_novelty_sums() -> None:
    out = np.zeros((3, 2))
    topic, share = np.zeros(3, np.int32), np.ones((1, len(OWNER)))
    worth_sums(0, 3, HITS[:-1], HITS[1:], RANK, ITEM, START, COLUMNS, OWNER, topic, share, DELTA, 0.4, 0.0, out)
    for s, a in np.ndindex(3, 2):
        seen: dict[int, int] = {}
        slow = 0.0
        for r, item in enumerate(RANKINGS[s].tolist()):
            for c in intents(item, a):
                slow += DELTA[r] * 0.4 ** seen.get(c, 0)
                seen[c] = seen.get(c, 0) + 1
        np.testing.assert_allclose(out[s, a], slow, atol=1e-13)


def test_intent_precision_sums() -> None:
    topic = np.array([0, 1, 0], np.int32)
    share = RNG.random((2, len(OWNER)))
    out = np.zeros((3, 2))
    inverse = 1 / np.arange(1, 20)
    worth_sums(0, 3, HITS[:-1], HITS[1:], RANK, ITEM, START, COLUMNS, OWNER, topic, share, inverse, 1.0, 1.0, out)
    for s, a in np.ndindex(3, 2):
        slow = 0.0
        for c in np.flatnonzero(a == OWNER):
            ranks = [r for r, item in enumerate(RANKINGS[s], start=1) if RELEVANT[item, c]]
            slow += share[topic[s], c] * sum((i + 1) / r for i, r in enumerate(ranks))
        np.testing.assert_allclose(out[s, a], slow, atol=1e-13)


def test_the_greedy_ideal_takes_what_is_worth_most_next() -> None:
    bounds = np.array([0, 6, ITEMS], np.int64)
    out = np.zeros((2, 2))
    greedy_sums(bounds, START, COLUMNS, OWNER, DELTA, 0.5, out)
    for t, a in np.ndindex(2, 2):
        left = list(range(bounds[t], bounds[t + 1]))
        seen: dict[int, int] = {}
        slow = 0.0
        for r in range(len(left)):
            worth = {i: sum(0.5 ** seen.get(c, 0) for c in intents(i, a)) for i in left}
            best = max(left, key=lambda i: (round(worth[i], 9), i))  # of equal ones the larger id
            left.remove(best)
            slow += DELTA[r] * worth[best]
            for c in intents(best, a):
                seen[c] = seen.get(c, 0) + 1
        np.testing.assert_allclose(out[t, a], slow, atol=1e-12)
