"""The cards of an outcome say no more than its claims, and say what is not known."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from compared_pairs import pair
from wording import phrase

from dissensus.inference.comparison.claims import Claim
from dissensus.inference.comparison.evidence_value import Evidence
from dissensus.inference.comparison.outcome import Outcome, conclude


@dataclass(frozen=True)
class Facts:
    """What an audit might say of a judge."""

    favourites: tuple[str, ...] = ()
    agreement: str = "llm gave the experts' grade to 55% of all documents."
    favour: str = "No favourite was found."

    def to_dict(self) -> dict[str, object]:
        return {"same": {"value": 0.55}, "favourites": list(self.favourites)}


def concluded(*, audited: bool, facts: Facts | None = None) -> Outcome:
    pairs = (pair("A", "B", 0.09, 0.001), pair("A", "C", 0.02, 0.9), pair("B", "C", -0.07, 0.002))
    scores = {"naive": {"A": (0.5, 0.4, 0.6), "B": (0.6, 0.5, 0.7), "C": (0.4, 0.3, 0.5)}}
    if audited:
        scores["corrected"] = {"A": (0.5, 0.4, 0.6), "B": (0.41, 0.3, 0.5), "C": (0.48, 0.4, 0.6)}
    return conclude(Evidence("AP", "llm", tuple("ABC"), pairs, scores, 30, audited, facts=lambda: facts))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("favourites", "kind", "tone"),
    [((), "refuted", "worry"), ((), "confirmed", "good"), ((), "left-open", "plain"), (("B",), "confirmed", "worry")],
)
def test_trust_follows_the_audit_and_a_favourite_outweighs_a_confirmed_first_place(
    favourites: tuple[str, ...], kind: str, tone: str
) -> None:
    found = replace(concluded(audited=True, facts=Facts(favourites)), alone=Claim(kind, ("B",), ("A",)))  # type: ignore[arg-type]
    assert found.cards[1].tone == tone
    assert found.cards[1].text == Facts().favour


def test_the_judge_is_not_trusted_and_its_errors_are_not_known_without_an_audit() -> None:
    found = concluded(audited=False)
    decision, trust, right = found.cards
    assert decision.tone == "plain"
    assert trust.tone == "worry"
    assert "55%" not in right.value
    assert any("llm" in line for line in found.limits)


def test_the_share_is_that_of_the_audit() -> None:
    decision, _, right = concluded(audited=True, facts=Facts()).cards
    assert right.value.startswith("55%")
    assert right.text == Facts().agreement
    assert decision.value == "A or C"  # nothing can be drawn from these: the best set itself


def test_a_heading_is_how_the_claim_begins() -> None:
    few = Claim("few", ("v1. x", "B"), ("C",), where="for topics like these")
    assert few.lead == phrase("claims.lead-of-few", "v1. x or B")
    assert str(few).startswith(few.lead)
    none = Claim("no-winner", ("A", "B"), ("C",), premise="llm")
    assert str(none).startswith(none.lead)
    assert none.lead.endswith(phrase("claims.could-still", 2, 3))
    assert Claim("between", ("A", "B")).lead == str(Claim("between", ("A", "B")))
