"""The court: sixteen kinds of nonsense, each answered with a refusal or a warning that names the cause."""

from __future__ import annotations

import pytest
from nonsense import Answer, trials_of_nonsense

from dissensus.studies.audits.small_world import generated


@pytest.fixture(scope="module")
def answers() -> list[Answer]:
    return trials_of_nonsense(generated(0))


def test_no_nonsense_gets_a_verdict(answers: list[Answer]) -> None:
    assert [a for a in answers if a.answer not in ("refused", "warned")] == []
    assert all(a.said for a in answers)


def test_all_sixteen_kinds_are_tried(answers: list[Answer]) -> None:
    kinds = {a.nonsense for a in answers}
    assert len(kinds) == 16
    assert sum(k.startswith("judge: ") for k in kinds) == sum(k.startswith("audit: ") for k in kinds) == 6


def test_what_cannot_be_told_from_sense_is_refused(answers: list[Answer]) -> None:
    """Another scale, reversed and shifted grades, half a file and made-up probabilities are errors, not remarks."""
    hard = {"judge: another scale", "audit: reversed", "audit: shifted by one row", "audit: cut in half",
            "audit: a made-up probability", "means instead of topics", "labels of another collection"}  # fmt: skip
    assert {a.answer for a in answers if a.nonsense in hard} == {"refused"}
