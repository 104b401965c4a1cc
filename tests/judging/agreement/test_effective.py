"""How many independent assessors a crowd is worth, with gold, without it, and where it cannot be said."""

from __future__ import annotations

import json

import crowd_sets
import numpy as np
import pytest
from crowds import crowd, good
from wording import phrase

import dissensus as ds
from dissensus.judging.agreement.effective import Effective, effective_number
from dissensus.judging.label_table import Labels, labels


def table(*columns: np.ndarray) -> Labels:
    content = {f"a{k}": {0: {f"d{i:05}": int(g) for i, g in enumerate(c)}} for k, c in enumerate(columns)}
    return labels(ds.Judgments.from_dict(content, scale="0..1"))


@pytest.fixture(scope="module")
def judged() -> tuple[np.ndarray, list[np.ndarray]]:
    """Truth of 3,000 documents, and three independent assessors right four times in five."""
    rng = np.random.default_rng(13)
    truth = rng.integers(0, 2, 3000)
    return truth, [np.where(rng.random(3000) < 0.8, truth, 1 - truth) for _ in range(3)]


def test_copies_count_once_given_gold(judged: tuple[np.ndarray, list[np.ndarray]]) -> None:
    truth, said = judged
    # four copies of one judge and two independent ones: six of the fifteen pairs correlate perfectly, 6/(1+5·0.4) = 2
    copies = effective_number(table(*said, *[said[0]] * 3), truth)
    assert copies.number == pytest.approx(2.0, abs=0.1)
    assert copies.kind == "estimate"
    assert effective_number(table(*said), truth).number == pytest.approx(3, abs=0.15)


def test_without_gold_few_assessors_cannot_be_counted(judged: tuple[np.ndarray, list[np.ndarray]]) -> None:
    _, said = judged
    few = effective_number(table(*said))
    assert np.isnan(few.number)
    assert few.kind == "too few assessors"
    many = effective_number(table(*said, *[said[0]] * 3))
    assert (many.kind, many.number, many.assessors) == ("copies", 3.0, 6.0)
    assert phrase("effective.at-most") in str(many)
    assert phrase("effective.not-known") in str(Effective(5.5, 5.5, -0.05, "upper bound"))
    assert many.number > 2.0  # an upper bound on the 2.0 that gold shows


def test_assessors_that_never_disagree_are_dependent(judged: tuple[np.ndarray, list[np.ndarray]]) -> None:
    truth, said = judged
    for gold in (None, truth):
        same = effective_number(table(*[said[0]] * 6), gold)
        assert (same.number, same.kind) == (1.0, "identical")
    right = effective_number(table(truth, truth, truth), truth)
    assert right.kind == "no errors"
    # 153 workers, seven labels each, never a disagreement
    rng = np.random.default_rng(2)
    content: dict[str, dict[int, dict[int, int]]] = {}
    for i in range(153 * 7 // 3):
        for w in rng.choice(153, 3, replace=False):
            content.setdefault(f"w{w}", {0: {}})[0][i] = i % 2
    crowd_of_copies = effective_number(labels(ds.Judgments.from_dict(content, scale="0..1")))
    assert crowd_of_copies.kind == "identical"


def test_negative_correlation_counts_as_none() -> None:
    assert phrase("effective.counted-as", "-0.04", 0) in str(Effective(3.0, 3.0, -0.04, "estimate"))


def test_too_few_labels() -> None:
    alone = labels(ds.Judgments.from_dict({f"a{k}": {0: {k: 1}} for k in range(6)}, scale="0..1"))
    assert effective_number(alone).kind == "too few assessors"  # no document has two labels
    j = crowd(np.random.default_rng(1).integers(0, 2, 8), [good(2, 0.8)] * 6, None, seed=1)
    assert effective_number(labels(j)).kind == "too few labels"


def test_real_llm_judges() -> None:
    """33 judges worth 2.4; families by model parent are named without gold."""
    j = crowd_sets.llmjudge()
    result = ds.agreement(j, gold="gold", replicates=99)
    assert result.effective.number == pytest.approx(2.4, abs=0.05)
    family = next(f for f in result.effective.families if "willia-umbrela1" in f)
    assert {"willia-umbrela2", "willia-umbrela3", "h2oloo-zeroshot1"} <= set(family)
    assert json.loads(result.to_json())["effective"]["kind"] == "estimate"


def test_five_copies_and_a_coin_are_two(judged: tuple[np.ndarray, list[np.ndarray]]) -> None:
    """Each document has six labels: "too few documents have several labels" was said of this."""
    _, said = judged
    coin = np.random.default_rng(8).integers(0, 2, len(said[0]))
    found = effective_number(table(*[said[0]] * 5, coin))
    assert (found.kind, found.number, found.assessors) == ("copies", 2.0, 6.0)
    assert phrase("effective.at-most") + " 2 of 6 " in str(found)


def test_families_and_the_number_are_one_story() -> None:
    """ "No dependence shows" beside a family was one line."""
    alone = Effective(5.5, 5.5, -0.05, "upper bound")
    beside = Effective(5.5, 5.5, -0.05, "upper bound", families=(("a", "b"),))
    assert phrase("effective.no-dependence") in str(alone)
    assert phrase("effective.no-dependence") not in str(beside)
    assert "a and b" in str(beside)
