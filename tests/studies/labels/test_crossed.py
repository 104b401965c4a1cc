"""One judge's labels as a ranking: by hand, and against all orders of ties."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.studies.labels.crossed import crossed

J = ds.Judgments.from_dict(
    {
        "ann": {"1": {"a": 2, "b": 1, "c": 0, "d": 1}, "2": {"x": 1, "y": 0}},
        "bob": {"1": {"a": 0, "b": 2, "c": 0, "d": 1}},
        "eve": {"1": {"a": 1}},
    }
)


def test_every_ordered_pair_that_shares_enough():
    pairs = crossed(J).pairs.select("topic", "ranks", "scores", "documents").rows()
    assert pairs == [("1", "ann", "bob", 4), ("1", "bob", "ann", 4)]
    assert len(crossed(J, min_documents=1).pairs) == 6
    assert crossed(J).notes == (phrase("crossed.pairs-fewer-shared-documents", 4, 2),)


@pytest.mark.parametrize("measure", ["nDCG", "AP", "P@2", "nDCG(dcg='exp-zipf')"])
def test_ties_are_averaged_over(measure):
    got = crossed(J).scores([measure])[measure].to_list()
    m = ds.measure(measure)
    # ann: a | b d | c, scored by bob (a 0, b 2, c 0, d 1); bob: b | d | a c, scored by ann
    by_bob = [m.score(list(o), scale="0..2") for o in ((0, 2, 1, 0), (0, 1, 2, 0))]
    by_ann = [m.score(list(o), scale="0..2") for o in ((1, 1, 2, 0), (1, 1, 0, 2))]
    assert got == pytest.approx([np.mean(by_bob), np.mean(by_ann)])


@pytest.mark.parametrize("cutoff", ["", "@2", "@3"])
def test_graded_precision_is_averaged_over_ties_exactly(cutoff):
    m = ds.measure("GAP" + cutoff).with_gains({0: 0.0, 1: 0.4, 2: 1.0})
    j = ds.Judgments.from_dict(
        {
            "ann": {"1": dict(zip("abcdefg", (2, 1, 1, 1, 0, 0, 2), strict=True))},
            "bob": {"1": dict(zip("abcdefg", (0, 2, 1, 0, 2, 1, 1), strict=True))},
        }
    )
    tied = {2: [0, 1], 1: [2, 1, 0], 0: [2, 1]}  # bob's grades of what ann gave 2, 1 and 0
    orders = [
        [g for group in choice for g in group]
        for choice in itertools.product(*(itertools.permutations(tied[level]) for level in (2, 1, 0)))
    ]
    want = np.mean([m.score(o, scale="0..2") for o in orders])
    assert crossed(j).scores([m])[str(m)][0] == pytest.approx(want, abs=1e-12)


def test_pairs_of_one_topic():
    both = crossed(J, min_documents=1).of_topic("1")
    assert set(both.pairs["topic"]) == {"1"}
    assert both.scores(["P@1"]).height == 6


def test_nobody_shares_anything():
    alone = ds.Judgments.from_dict({"a": {1: {"x": 1}}, "b": {1: {"y": 1}}})
    with refused(InputError, 2):
        crossed(alone)
