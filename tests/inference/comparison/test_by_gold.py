"""Options of a comparison by gold, and what is beside each of its pairs."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from score_datasets import dataset
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.comparison.by_gold import check_options

RNG = np.random.default_rng(4)
JUDGE = RNG.random((3, 30)) + np.array([0.0, 0.1, 0.5])[:, None]
GOLD = np.where(np.arange(30) < 12, JUDGE - 0.2 + 0.1 * RNG.normal(size=(3, 30)), np.nan)


def test_options_that_change_nothing_are_refused():
    check_options("j1", "these_topics", "skip", "t")
    check_options(None, "population", None, "welch")
    for target, missing in (("these_topics", None), ("population", "skip")):
        with refused(InputError, by="by_gold.check_options", options=["gold"]):
            check_options(None, target, missing, "t")


def test_pairs_show_what_the_judge_alone_says_and_what_it_would_take():
    scores = dataset([JUDGE, GOLD], "quality")
    naive = ds.compare(scores, "quality", assessor="j0", correction="none")
    result = ds.compare(scores, "quality", gold="j1", difference=0.01)
    for d, e in zip(result.pairs, naive.pairs, strict=True):
        assert (d.naive, d.naive_p) == pytest.approx((e.difference, e.p_value))
    (close,) = [d for d in result.pairs if d.claim.kind == "undecided"]
    factor = (close.detectable / 0.01) ** 2
    assert (
        phrase("by-gold.topics-of-them", f"{int(np.ceil(30 * factor)):,}", f"{int(np.ceil(12 * factor)):,}")
        in close.verdict
    )
    assert result.standing("quality").systems[0] == "s2"
