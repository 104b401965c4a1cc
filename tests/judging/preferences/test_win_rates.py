"""Win rates, as answered and rectified."""

from __future__ import annotations

import numpy as np
import pytest
from preference_rows import ROWS, simulated
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.judging.preferences.questions import KINDS, questions
from dissensus.judging.preferences.win_rates import rectified_win_rates, rectify, win_rates


def test_rectified_win_rates_are_right_on_average_where_the_judge_likes_the_first_place() -> None:
    naive, fixed, truth, held = [], [], [], 0
    for seed in range(60):
        both = simulated(seed, 60, {"expert": (1.0, 0.0), "judge": (1.0, 0.0)})
        expert, judge = both.by("expert"), both.by("judge")
        flipped = np.where((judge.shown > 0) & (judge.first == 0), 1.0, judge.answer)  # s0 always wins when shown first
        judge = ds.Preferences(
            judge.topics, judge.docs, judge.assessors, judge.topic, judge.first, judge.second, judge.assessor, flipped,
            judge.shown,
        )  # fmt: skip
        drawn = np.random.default_rng(1000 + seed).random(len(expert)) < 0.3
        table = rectified_win_rates(judge, expert.rows(drawn), np.full(int(drawn.sum()), 0.3))
        row = table.filter(table["item"] == "s0").row(0, named=True)
        own = win_rates(expert)
        truth.append(own.filter(own["item"] == "s0")["win_rate"].item())
        naive.append(row["naive"])
        fixed.append(row["win_rate"])
        held += row["low"] <= 0.6915 + 0.02 <= row["high"]  # about P(s0 wins)
    assert np.mean(naive) - np.mean(truth) > 0.1
    assert np.mean(fixed) == pytest.approx(np.mean(truth), abs=0.02)
    assert held >= 50


def test_an_audit_must_be_of_the_judges_pairs() -> None:
    prefs = ds.Preferences.from_rows(ROWS)
    with refused(InputError, "share none of 1"):
        rectified_win_rates(prefs.by("bob"), prefs.by("ann").rows(np.array([2])))
    with refused(InputError):
        rectified_win_rates(prefs, prefs.by("bob"))


def both_orders(rows: list[tuple[str, str, str]]) -> ds.Preferences:
    """(topic, answer where x is first, answer where y is first), answers x, y or same."""
    table = [(t, "x", "y", "llm", one, "ab") for t, one, _ in rows]
    return ds.Preferences.from_rows([*table, *((t, "y", "x", "llm", two, "ab") for t, _, two in rows)])


def test_both_orders_are_one_question_with_two_answers() -> None:
    judge = both_orders([("1", "x", "x"), ("2", "x", "y"), ("3", "x", "same"), ("4", "same", "same"), ("5", "y", "y")])
    asked = questions(judge)
    assert asked.value.tolist() == [1.0, 0.5, 0.75, 0.5, 0.0]
    assert [KINDS[k] for k in asked.kind] == ["a", "flipped", "a", "same", "b"]
    assert win_rates(judge).select("item", "pairs", "win_rate").rows() == [("x", 5, 0.55), ("y", 5, 0.45)]
    place = ds.preferences(judge).position.row(0, named=True)
    assert (place["both_orders"], place["changed"]) == (5, 2)
    (said,) = ds.preferences(judge).claims
    assert {"llm's", "2", "5"} <= set(said.split())


def test_the_first_sentence_is_where_votes_change_the_judge_most() -> None:
    rows = [(str(t), "x", "y", "llm", "x") for t in range(12)] + [(str(t), "x", "z", "llm", "x") for t in range(12)]
    votes = [(str(t), "x", "y", "w", "y" if t % 4 else "x") for t in range(12)]
    votes += [(str(t), "x", "z", "w", "z" if t == 5 else "x") for t in range(12)]
    found = ds.preferences(ds.Preferences.from_rows(rows), gold=ds.Preferences.from_rows(votes))
    assert {"llm's", "y", "0%", "12", "75%"} <= set(found.claims[0].split())


def test_votes_by_hand() -> None:
    """Four questions the judge answered x, two audited: .8 and .6 of the votes; one flipped, audited: .5."""
    judge = both_orders([*((str(t), "x", "x") for t in range(4)), ("4", "x", "y"), ("5", "x", "y")])
    votes = [("0", "x")] * 4 + [("0", "y")] + [("1", "x")] * 3 + [("1", "y")] * 2
    votes += [("4", "x"), ("4", "y"), ("5", "same"), ("9", "x")]
    audit = ds.Preferences.from_rows([(t, "x", "y", f"w{i}", answer) for i, (t, answer) in enumerate(votes)])
    found = rectify(judge, audit)
    row = found.table.filter(found.table["item"] == "x").row(0, named=True)
    assert row["naive"] == pytest.approx((4 + 2 * 0.5) / 6)
    assert row["win_rate"] == pytest.approx((4 * 0.7 + 2 * 0.5) / 6)
    assert (found.used, found.unasked, found.votes, row["audited"]) == (4, 1, 13, 4)
    # disagreement of the votes: s²/n of each pair, times 1/π² (π is ½ for x, 1 for flipped)
    noise = 4 * (0.16 * 5 / 4 / 5) + 4 * (0.24 * 5 / 4 / 5) + 0.25
    assert row["se_votes"] == pytest.approx(np.sqrt(noise) / 6)


def test_kinds_with_one_audited_pair_share_the_mean_of_the_nearest() -> None:
    judge = both_orders([*((str(t), "x", "x") for t in range(6)), ("7", "y", "y"), ("8", "x", "y")])
    audit = ds.Preferences.from_rows([(str(t), "x", "y", "ann", "x" if t % 2 else "y") for t in (0, 1, 2, 3, 8)])
    found = rectify(judge, audit)
    assert found.pooled == 2
    assert "2 kinds" in found.sentence("llm")
    assert found.table["win_rate"].to_list() == pytest.approx([0.5, 0.5], abs=0.2)


def test_groups_of_items_win_against_each_other() -> None:
    rows = [(t, a, b, "llm", "a") for t in "123" for a, b in (("m1", "p1"), ("m2", "p1"), ("m1", "m2"))]
    table = win_rates(ds.Preferences.from_rows(rows), groups={"m1": "model", "m2": "model", "p1": "person"})
    assert table.select("item", "pairs", "win_rate").rows() == [("model", 6, 1.0), ("person", 6, 0.0)]
    with refused(InputError, "one group"):
        win_rates(ds.Preferences.from_rows(rows), groups={"m1": "a", "m2": "a", "p1": "a"})


def test_intervals_of_a_small_audit_with_votes_cover() -> None:
    """60 audited questions of 300 by a judge that mostly says x; people say x in 60%, five votes each."""
    held = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        rate = np.clip(0.6 + rng.normal(0, 0.2, 60), 0.05, 0.95)
        judge = both_orders([(f"{t}.{k}", *(["x", "x"] if rng.random() < 0.9 else ["x", "y"]))
                             for t in range(60) for k in range(5)])  # fmt: skip
        chosen = rng.choice(300, 60, replace=False)
        audit = [
            (f"{i // 5}.{i % 5}", "x", "y", f"w{v}", "x" if rng.random() < rate[i // 5] else "y")
            for i in chosen for v in range(5)
        ]  # fmt: skip
        row = rectified_win_rates(judge, ds.Preferences.from_rows(audit))
        held += row.filter(row["item"] == "x").select((row["low"][0] <= 0.6) & (row["high"][0] >= 0.6)).item()
    assert held >= 135
