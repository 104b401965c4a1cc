"""The section of the measures: attention by rank, and orders beside each other."""

from __future__ import annotations

import numpy as np
import pytest
from reported_study import full_section, full_study, table_of
from wording import phrase

import dissensus as ds
from dissensus.measures.scores import aggregated
from dissensus.report.sections.measures import attention_table


def test_attention_is_the_share_of_the_weight():
    frame = attention_table((ds.measure("P@4"), ds.measure("RBP(p=0.5)"), ds.measure("AP")))
    shares = {m: frame.filter(frame["measure"] == m)["share"].to_list() for m in frame["measure"].unique()}
    assert shares["P@4"] == [0.25] * 4 + [0.0] * 16
    assert shares["RBP(p=0.5)"][:3] == pytest.approx([0.5, 0.25, 0.125])
    assert "AP" not in shares


def test_orders_of_systems_are_compared_with_the_first_measure():
    study = full_study()
    (row,) = table_of(full_section("measures"), "tau").rows(named=True)
    first, other = (aggregated(study.judge_scores.values[str(m)][0]) for m in study.measures)
    assert row["tau"] == pytest.approx(ds.stats.kendall_tau(first, other))
    assert f"τ = {row['tau']:.2f}" in full_section("measures").line


def test_every_measure_has_its_user():
    frame = table_of(full_section("measures"), "list")
    assert frame["measure"].to_list() == [str(m) for m in full_study().measures]
    assert all(user.startswith(phrase("sections-measures.the-user")) for user in frame["its user"])
    assert np.all(frame["kind"].str.len_chars().to_numpy() > 0)
