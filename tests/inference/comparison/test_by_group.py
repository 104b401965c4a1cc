"""Does the order differ between groups of topics? One family over pairs and groups; equal systems stay equal."""

from __future__ import annotations

import json

import numpy as np
import pytest
from audited_study import audit, study
from refusals import refused

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import InputError
from dissensus.inference.comparison.by_group import by_group

SYSTEMS = tuple("ABCDEFGH")
TOPICS = [f"q{i:02d}" for i in range(40)]
HALVES = {t: ("short" if i < 20 else "long") for i, t in enumerate(TOPICS)}


def test_a_pair_that_changes_places_is_named():
    rng = np.random.default_rng(0)
    scores = rng.normal(0.5, 0.05, (3, 40))
    scores[0, :20] += 0.2
    scores[1, 20:] += 0.2
    found = by_group("P@5", ("A", "B", "C"), scores, TOPICS, HALVES)
    assert [(c.systems, c.others, c.rest) for c in found.turned] == [(("A",), ("B",), ("short", "long"))]
    assert [g.best for g in found.groups] == [("A",), ("B",)]
    assert [(g.name, g.topics) for g in found.groups] == [("short", 20), ("long", 20)]


def test_less_is_better_turns_the_order():
    scores = np.random.default_rng(0).normal(0.5, 0.05, (2, 40))
    scores[0] += 0.2
    assert [g.best for g in by_group("ESL", ("A", "B"), scores, TOPICS, HALVES).groups] == [("B",), ("B",)]


def test_equal_systems_are_rarely_said_to_differ():
    """200 studies of systems that are the same in both groups: a wrong claim anywhere in at most 5%."""
    rng = np.random.default_rng(1)
    wrong = 0
    for _ in range(200):
        scores = rng.beta(0.7, 1.2, 40) * 0.5 + 0.5 * rng.beta(0.7, 1.2, (8, 40))
        found = by_group("P@5", SYSTEMS, scores, TOPICS, HALVES)
        assert not found.turned
        wrong += any(len(g.best) < 8 for g in found.groups)
    assert wrong <= 19  # 10 expected at most, and three standard errors


def test_pairs_without_audited_labels_in_a_group_have_no_answer_there():
    scores = np.random.default_rng(2).normal(0.5, 0.01, (2, 40))
    scores[0] += 0.3
    predicted = scores.copy()
    predicted[0, :20] -= np.linspace(0.1, 0.2, 20)  # labels moved the first half alone
    found = by_group("P@5", ("A", "B"), scores, TOPICS, HALVES, predicted=predicted)
    assert [g.best for g in found.groups] == [("A",), ("A", "B")]


def test_small_groups_and_topics_without_a_group_are_said():
    some = {t: ("a", "b")[i % 2] for i, t in enumerate(TOPICS[:30])} | dict.fromkeys(TOPICS[30:33], "few")
    found = by_group("P@5", SYSTEMS, np.random.default_rng(3).random((8, 40)), TOPICS, some)
    assert found.skipped == ("few",)
    assert found.without == 7
    with refused(InputError, options=["by"]):
        by_group("P@5", SYSTEMS, np.zeros((8, 40)), TOPICS, dict.fromkeys(TOPICS, "one"))


@pytest.mark.parametrize("known", [True, False])
def test_every_window_has_the_groups(tmp_path, capsys, known):
    runs, bronze, gold = study(40, systems=("A", "B", "C", "D"))
    runs.to_frame().write_csv(tmp_path / "runs.csv")
    bronze.to_frame().write_csv(tmp_path / "llm.csv")
    audit(gold, 0.5).to_frame().write_csv(tmp_path / "audit.csv")
    (tmp_path / "by.csv").write_text("topic,class\n" + "".join(f"{t},{g}\n" for t, g in HALVES.items()))
    files = [tmp_path / "runs.csv", "-j", tmp_path / "llm.csv", "-m", "P@5", "--by", tmp_path / "by.csv", "--json"]
    more = ["--audit", tmp_path / "audit.csv"] if known else []
    said = []
    for command in ("compare", "report", *(("correct",) if known else ())):
        page = ["-o", tmp_path / "page.html"] if command == "report" else []
        assert main([command, *map(str, [*files, *more, *page])]) == 0
        said.append(json.loads(capsys.readouterr().out)["outcome"]["by"])
    assert all(one == said[0] for one in said)
    assert [g["topics"] for g in said[0]["groups"]] == [20, 20]


def test_a_matrix_cannot_answer_by_group():
    runs, bronze, gold = study(40)
    found = ds.correct(runs, bronze, audit(gold, 0.5), "P@5", "confusion", by=HALVES)
    with refused(InputError, options=["by"]):
        _ = found.outcome
