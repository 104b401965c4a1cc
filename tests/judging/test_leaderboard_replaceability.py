"""A judge that favours a system passes the test on documents and fails the one on leaderboards."""

from __future__ import annotations

import json

import judged_systems as world
import numpy as np
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.judging.leaderboard_replaceability import leaderboard_replaceability
from dissensus.judging.replaceability import replaceability

NOISE = (0.3, 0.6, 0.9, 1.3, 1.9, 3.0)


@pytest.fixture(scope="module")
def judged() -> tuple[ds.Runs, ds.Judgments]:
    """Six systems on 40 topics; three humans, a fair judge, and one that favours the worst system."""
    rng = np.random.default_rng(3)
    truth = (rng.random((40, world.DOCS)) < 0.3).astype(int)
    runs, scores = world.systems(truth, rng, NOISE)
    said = {f"h{k}": world.with_errors(truth, rng, 0.85) for k in range(3)}
    said["fair"] = world.with_errors(truth, rng, 0.9)
    said["partial"] = world.favouring(truth, rng, 0.97, scores["s5"], depth=8)
    return runs, world.labels(said)


def test_favouring_a_system_shows_in_the_order_only(judged: tuple[ds.Runs, ds.Judgments]) -> None:
    runs, labels = judged
    humans = ["h0", "h1", "h2"]
    for judge in ("fair", "partial"):
        assert replaceability(labels, judge, humans, epsilon=0.2).winning_rate == 1
    fair = leaderboard_replaceability(runs, labels, "fair", humans, "P@10")
    partial = leaderboard_replaceability(runs, labels, "partial", humans, "P@10")
    assert fair.winning_rate == 1
    assert partial.winning_rate == 0
    assert (partial.table["difference"] > 0).all()
    assert phrase("leaderboard-replaceability.not-shown") in str(partial)
    assert json.loads(fair.to_json())["measure"] == "P@10"


def test_a_human_in_the_judges_place_has_no_advantage(judged: tuple[ds.Runs, ds.Judgments]) -> None:
    runs, labels = judged
    row = leaderboard_replaceability(runs, labels, "h0", ["h1", "h2"], "P@10").table.row(0, named=True)
    assert row["topics"] == 40
    assert row["low"] <= row["difference"] <= row["high"]
    assert row["difference"] == pytest.approx(row["human_tau"] - row["judge_tau"])


def test_few_topics_systems_or_humans_are_refused(judged: tuple[ds.Runs, ds.Judgments]) -> None:
    runs, labels = judged
    few = labels.select(topics=[f"t{t:02}" for t in range(5)])
    with refused(InputError, 10, "fair"):
        leaderboard_replaceability(runs, few, "fair", ["h0", "h1"])
    with refused(InputError, "h0"):
        leaderboard_replaceability(runs, labels, "fair", ["h0"])
    with refused(InputError, "judge='gpt'"):
        leaderboard_replaceability(runs, labels, "gpt", ["h0", "h1"])
