from __future__ import annotations

import numpy as np
import pytest

from dissensus.inference.sequential.order import ordered
from dissensus.inference.sequential.stop import Track
from dissensus.inference.sequential.wealth import LabelSequence
from dissensus.studies.audits.stopping_paths import follow, summary
from dissensus.studies.sequential import JUDGES, simulated_contrast
from dissensus.work.seeds import generator


@pytest.mark.parametrize("seed", [1, 2])
def test_a_path_stops_where_the_public_follower_stops(seed):
    contrast = simulated_contrast("honest", seed, documents=200)
    facts = follow(contrast, generator(seed), peek=False)
    order = ordered(contrast.rate, generator(seed).exponential(size=200))
    walk = LabelSequence(contrast.c[order.item], order.rate, contrast.label[order.item], contrast.prior)
    for kind, at in (("asymptotic", facts.ruling_at), ("exact", facts.exact_at)):
        track = Track(walk, ("a", "b"), alpha=0.05, level=0.95, kind=kind)
        track.advance(contrast.gold[order.item])
        assert track.decided_at == at


def test_no_stopping_rule_breaks_the_sets_and_rare_one_sided_errors_break_the_plain_one():
    """The short form of `dissensus experiment sequential`: any look, the deciding one, a random one, the last one."""
    rows = {
        judge: [follow(simulated_contrast(judge, i, 500), generator(i, 5), peek=False) for i in range(50)]
        for judge in JUDGES
    }
    table = {judge: summary(facts) for judge, facts in rows.items()}
    everything = summary([f for facts in rows.values() for f in facts])
    assert everything["exact"] <= 0.05
    assert everything["ruling"] <= 0.05
    assert everything["at the decision"] <= 0.03
    assert everything["at a random label"] <= 0.03
    assert everything["closing, m"] <= 0.04
    assert table["one-sided errors, 0.3 %"]["plain asymptotic"] >= 0.3
    assert table["one-sided errors, 0.3 %"]["ruling"] <= 0.04


def test_an_ordinary_interval_does_not_survive_peeking():
    facts = [follow(simulated_contrast("weak", i, 200), generator(i, 6)) for i in range(40)]
    assert np.mean([f.peeking_failed for f in facts]) > 0.15


def test_a_plan_that_knows_the_gap_needs_fewer_labels_for_a_larger_one():
    contrasts = [simulated_contrast("honest", i) for i in range(6)]
    contrasts.sort(key=lambda c: abs(c.truth))
    assert contrasts[-1].fixed_plan() < contrasts[0].fixed_plan()
    assert all(c.fixed_plan(0.9) > c.fixed_plan(0.8) for c in contrasts)
