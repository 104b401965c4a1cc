"""The section on what grades are worth."""

from __future__ import annotations

import pytest
from reported_study import SAMPLE, full_section, plain_study, table_of
from wording import phrase

import dissensus as ds
from dissensus.report.sections.weights import USERS, build


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
    assert build(plain_study()).missing
