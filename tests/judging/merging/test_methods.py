"""Every way of merging by name: what it must do, on generated crowds and on real ones beside crowd-kit."""

from __future__ import annotations

import warnings

import crowd_sets
import numpy as np
import pytest
from crowds import crowd, good
from refusals import refused

from dissensus.errors import DissensusWarning, InputError
from dissensus.judging.label_table import labels
from dissensus.judging.merging import kos
from dissensus.judging.merging.api import merge
from dissensus.judging.merging.methods import METHODS, choose, wawa, weighted_shares
from dissensus.tables.judgments import Judgments


def quiet(j: Judgments, method: str, **options: object):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DissensusWarning)
        return merge(j, method, temper=False, **options)  # type: ignore[arg-type]


def accuracy(j: Judgments, truth: np.ndarray, method: str) -> float:
    merged = quiet(j, method).judgments
    return float(
        np.mean([truth[int(d[1:])] == g for d, g in zip(merged.doc_ids(merged.item), merged.grade, strict=True)])
    )


@pytest.mark.parametrize("method", METHODS)
def test_good_assessors_outvote_random_ones(method: str) -> None:
    truth = np.random.default_rng(1).integers(0, 2, 300)
    j = crowd(truth, [good(2, 0.9)] * 3 + [good(2, 0.5)] * 4, None, seed=2)
    assert accuracy(j, truth, method) >= (0.85 if method in ("majority", "wawa") else 0.93)


@pytest.mark.parametrize("method", [m for m in METHODS if m != "kos"])
def test_one_input_one_result_and_probabilities(method: str) -> None:
    truth = np.random.default_rng(3).integers(0, 3, 80)
    j = crowd(truth, [good(3, a) for a in (0.9, 0.7, 0.6, 0.5)], 3, seed=4)
    one, two = quiet(j, method), quiet(j, method)
    assert one.posterior.equals(two.posterior)
    assert one.posterior["probability"].sum() == pytest.approx(80)


def test_skill_ranks_assessors() -> None:
    truth = np.random.default_rng(5).integers(0, 2, 400)
    j = crowd(truth, [good(2, a) for a in (0.95, 0.85, 0.75, 0.65, 0.5)], None, seed=6)
    for method in ("wawa", "one-coin", "mace", "glad", "kos", "ordinal"):
        skill = quiet(j, method).skill
        assert sorted(skill, key=lambda w: -skill[w])[:2] == ["w0", "w1"], method
        assert min(skill, key=lambda w: skill[w]) == "w4", method


def test_kos_refuses_three_grades_and_ordinal_names() -> None:
    three = crowd(np.arange(30) % 3, [good(3, 0.9)] * 3, None, seed=1)
    with refused(InputError, 'method="kos"'):
        kos.fit(labels(three))
    names = Judgments.from_dict({w: {1: {"x": "cat", "y": "dog"}} for w in "abc"})
    with refused(InputError, 'method="ordinal"'):
        merge(names, "ordinal")
    for method in ("mace", "em-anchored"):
        with refused(InputError, "per_topic=True"):
            merge(three, method, per_topic=True)


def test_lazy_assessors_do_not_stop_an_anchored_fit() -> None:
    """Four of eight give everything the lowest grade: EM finds out, and so does EM that looks after the grades."""
    truth = np.random.default_rng(3).integers(0, 3, 300)
    j = crowd(truth, [good(3, 0.8)] * 4 + [np.tile([1.0, 0.0, 0.0], (3, 1))] * 4, None, seed=1)
    plain, anchored = (quiet(j, method) for method in ("em-mv", "em-anchored"))
    assert not anchored.anchored
    np.testing.assert_array_equal(anchored.probabilities, plain.probabilities)


# accuracy of crowd-kit 1.4.2 on the same labels (its MACE with one start, 20 rounds)
PEERS = {
    "rte": {"one-coin": 0.925, "mace": 0.926, "em-mv": 0.928, "kos": 0.498},
    "temp": {"one-coin": 0.939, "mace": 0.937, "em-mv": 0.942, "kos": 0.569},
    "d_product": {"one-coin": 0.908, "mace": 0.931, "em-mv": 0.940, "kos": 0.896},
    "adultcontent2": {"majority": 0.751, "one-coin": 0.718, "mace": 0.757, "em-mv": 0.769, "em-anchored": 0.769},
    "llmjudge": {"majority": 0.523, "em-anchored": 0.488},  # its Dawid–Skene stops early, too
}
SETS = {
    "d_product": crowd_sets.d_product,
    "adultcontent2": crowd_sets.adultcontent2,
    "llmjudge": crowd_sets.llmjudge,
}


@pytest.mark.parametrize("name", PEERS)
def test_accuracy_is_at_least_crowdkits(name: str) -> None:
    j = SETS[name]() if name in SETS else crowd_sets.snow2008(name)
    for method, theirs in PEERS[name].items():
        check = quiet(j, method, gold="gold").calibration
        assert check is not None
        assert check.accuracy >= theirs - 2 * np.sqrt(theirs * (1 - theirs) / check.n), method


def test_ties_by_policy() -> None:
    shares = np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 0.0], [0.1, 0.9, 0.0]])
    assert choose(shares, "lower")[0].tolist() == [0, -1, 1]
    assert choose(shares, "higher")[0].tolist() == [2, -1, 1]
    assert choose(shares, "lower")[1] == 1
    with refused(InputError, 'ties="best"'):
        choose(shares, "best")  # type: ignore[arg-type]


def test_the_coin_is_fair_and_seeded() -> None:
    shares = np.tile([1 / 3, 0.0, 1 / 3, 1 / 3], (30_000, 1))
    level, n = choose(shares, "coin", 5)
    assert n == 30_000
    assert np.allclose(np.bincount(level, minlength=4) / 30_000, [1 / 3, 0, 1 / 3, 1 / 3], atol=0.01)
    assert np.array_equal(level, choose(shares, "coin", 5)[0])
    assert not np.array_equal(level, choose(shares, "coin", 6)[0])


def test_by_hand() -> None:
    given = {"a": (1, 1, 0, 0), "b": (1, 1, 0, 1), "c": (0, 0, 0, 1)}
    table = labels(Judgments.from_dict({w: {1: {f"d{i}": g for i, g in enumerate(v)}} for w, v in given.items()}))
    level, _ = choose(table.shares(), "lower")
    assert level.tolist() == [1, 1, 0, 1]
    found = wawa(table, level)
    assert found.skill == pytest.approx([3 / 4, 1, 2 / 4])
    total = 3 / 4 + 1 + 2 / 4
    assert found.posterior[:, 1] == pytest.approx([1.75 / total, 1.75 / total, 0, 1.5 / total])


def test_where_all_weigh_nothing_votes_are_equal() -> None:
    table = labels(Judgments.from_dict({"a": {1: {"x": 0}}, "b": {1: {"x": 1}}}))
    assert weighted_shares(table, np.zeros(2)).tolist() == [[0.5, 0.5]]
