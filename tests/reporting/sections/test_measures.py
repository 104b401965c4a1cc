"""The sections of the measures and of grades: attention by rank, orders beside each other, what grades are worth."""

from __future__ import annotations

import numpy as np
import pytest
from reported_study import SAMPLE, full_section, full_study, plain_study, table_of
from wording import phrase

import dissensus as ds
from dissensus.measures.scores import aggregated
from dissensus.reporting.sections.measures import USERS, attention_table, grades


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


def test_choices_stand_beside_each_other_scaled_to_the_top():
    frame = table_of(full_section("weights"), "choices")
    found = ds.disagreement(SAMPLE.judgments)
    by_choice = {c: frame.filter(frame["choice"] == c)["weight"].to_list() for c in frame["choice"].unique()}
    assert by_choice["linear"] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert by_choice["exponential"] == pytest.approx([0, 1 / 7, 3 / 7, 1])
    assert by_choice["users' disagreement"] == pytest.approx(list(found.weights(1, USERS).values()))


def test_the_line_is_the_probability_of_saying_top_again():
    found = ds.disagreement(SAMPLE.judgments)
    assert full_section("weights").line.endswith(
        phrase("sections-weights.with-probability", f"{found.p[found.top]:.2f}")
    )


def test_one_assessor_cannot_disagree():
    assert grades(plain_study()).missing
