"""Preferences from files to results: reading, agreement, position bias, discriminations, rectified win rates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from paths import shared_data

import dissensus as ds
from dissensus.errors import InputError
from dissensus.judges.preferences.win_rates import rectified_win_rates, win_rates

ROWS = [
    ("q", "d1", "d2", "ann", "a", "ab"),
    ("q", "d2", "d1", "bob", "a", "ab"),
    ("q", "d1", "d3", "ann", "same", "ba"),
    ("r", "d9", "d4", "ann", "d4", ""),
]


def test_a_pair_has_one_order_and_its_answer_and_presentation_follow() -> None:
    prefs = ds.Preferences.from_rows(ROWS)
    assert prefs.to_frame().rows() == [
        ("q", "d1", "d2", "ann", "a", "ab"),
        ("q", "d1", "d2", "bob", "b", "ba"),
        ("q", "d1", "d3", "ann", "same", "ba"),
        ("r", "d4", "d9", "ann", "a", ""),
    ]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_written_and_read_back(tmp_path: Path, ending: str) -> None:
    prefs = ds.Preferences.from_rows(ROWS)
    prefs.write(str(tmp_path / f"p.{ending}"))
    assert ds.read_preferences(tmp_path / f"p.{ending}").to_frame().equals(prefs.to_frame())


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("q", "a", "a", "ann", "a"), "with itself"),
        (("q", "a", "b", "ann", "c"), "neither a, b, same"),
        (("q", "a", "b", "ann", "a", "up"), "neither ab nor ba"),
        (("", "a", "b", "ann", "a"), "has no topic"),
    ],
)
def test_wrong_rows_are_named(row: tuple, message: str) -> None:
    with pytest.raises(InputError, match=f"row 1.*{message}"):
        ds.Preferences.from_rows([row])


def test_text_forms(tmp_path: Path) -> None:
    (tmp_path / "h.txt").write_text("1 d1 d2 d2\n")
    (tmp_path / "g.txt").write_text("@ 1 d1 d2 !\n@ 1 d1 d3 =\n@ 1 d2 d3 ?\n")
    prefs = ds.read_preferences(tmp_path / "*.txt")
    assert [r[3:] for r in prefs.to_frame().rows()] == [("g", "a", ""), ("g", "same", ""), ("h", "b", "ab")]
    assert prefs.notes == ("g.txt: 1 pair without an answer left out",)
    (tmp_path / "bad.txt").write_text("1 d1 d2\n")
    with pytest.raises(InputError, match=r"bad\.txt:1: 3 words"):
        ds.read_preferences(tmp_path / "bad.txt")


def simulated(seed: int, topics: int, judges: dict[str, tuple[float, float]], items: int = 4) -> ds.Preferences:
    """Systems compared on every topic; each judge has a discrimination and a liking for the first place."""
    rng = np.random.default_rng(seed)
    theta = np.linspace(0.8, -0.8, items)
    rows = []
    for t in range(topics):
        for a in range(items):
            for b in range(a + 1, items):
                for name, (gamma, bias) in judges.items():
                    first = rng.random() < 0.5
                    p = 1 / (1 + np.exp(-(gamma * (theta[a] - theta[b]) + (bias if first else -bias))))
                    rows.append((t, f"s{a}", f"s{b}", name, "a" if rng.random() < p else "b", "ab" if first else "ba"))
    return ds.Preferences.from_rows(rows)


def test_discrimination_and_position_bias_are_found() -> None:
    found = ds.preferences(simulated(3, 150, {"sharp": (2.0, 0.0), "dull": (0.5, 0.8)}))
    assert found.items == "shared"
    gamma = dict(found.judges.rows())
    assert gamma["sharp"] / gamma["dull"] == pytest.approx(4.0, rel=0.35)
    assert gamma["sharp"] * gamma["dull"] == pytest.approx(1.0)
    place = {row["assessor"]: row for row in found.position.rows(named=True)}
    assert place["sharp"]["low"] < 0.5 < place["sharp"]["high"]
    assert place["dull"]["low"] > 0.5
    assert found.strengths["item"].to_list() == ["s0", "s1", "s2", "s3"]
    assert found.strengths["rank_low"].to_list()[0] == 1
    assert "Preferences" in str(found)


def test_agreement_by_hand() -> None:
    row = ds.preferences(ds.Preferences.from_rows(ROWS), items="topic").agreement.row(0, named=True)
    assert (row["assessor"], row["other"], row["n"], row["agreement"]) == ("ann", "bob", 1, 0.0)


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
    with pytest.raises(InputError, match="did not answer 1 pairs of the audit"):
        rectified_win_rates(prefs.by("bob"), prefs.by("ann").rows(np.array([0, 1])))
    with pytest.raises(InputError, match="more than once"):
        rectified_win_rates(prefs, prefs.by("bob"))


def test_grades_by_strength_serve_compat() -> None:
    rows = [("q", "x", "y", "ann", "a"), ("q", "y", "z", "ann", "a"), ("q", "x", "z", "ann", "a")]
    found = ds.preferences(ds.Preferences.from_rows(rows), items="topic")
    assert [r[1:] for r in found.judgments().to_frame().select("topic", "doc", "grade").rows()] == [
        ("x", 3),
        ("y", 2),
        ("z", 1),
    ]
    best, worst = {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, {"q": {"z": 3.0, "y": 2.0, "x": 1.0}}
    scores = ds.evaluate(ds.Runs.from_dict({"best": best, "worst": worst}), found.judgments(), ["Compat(p=0.8)"])
    values = scores["Compat(p=0.8)"].values.ravel()
    assert values[0] == pytest.approx(1.0)
    assert values[1] < 1.0


def test_people_and_gpt4o_on_dl21() -> None:
    """11,681 answers by people; GPT-4o answered 9,416 of the same questions, 2,423 of them with "same"."""
    data = shared_data("trec-dl21-passage")
    people = ds.read_preferences(data / "human_preferences.dl21.txt.gz", assessor="people")
    gpt = ds.read_preferences(data / "gpt4o_on_human_preference_pairs.dl21.txt.gz", assessor="gpt4o")
    assert (len(people), len(gpt), int((gpt.answer == 0.5).sum())) == (11_681, 9_416, 2_423)
    both = ds.Preferences.from_rows([*people.to_frame().rows(), *gpt.to_frame().rows()])
    some = both.rows(both.topic < 12)
    row = ds.preferences(some).agreement.row(0, named=True)
    assert 0.55 < row["decided"] < 0.7
    assert row["decided_low"] > 0.5


def test_bytes_that_are_not_text_are_refused_by_line(tmp_path: Path) -> None:
    path = tmp_path / "ann.txt"
    path.write_bytes(b"q1 d1 d2 d1\nq1 \xff d2 d2\n")
    with pytest.raises(ds.DissensusError, match=r"ann\.txt:2"):
        ds.read_preferences(path)
