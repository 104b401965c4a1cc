"""An outcome in brief: three cards and what it cannot say, for the first screen of a page, a slide, a mail.

A card is a question, its answer in a few words, and a sentence that bears the answer. Everything is made from the
values of the outcome, so that a card cannot say more than the claims:

    Decision               what to take now, with its chance and its expected loss by the model of `decision`
    Can you trust the judge?   what the experts say of the judge's own first place, and whom the judge favours
    How often is it right?     the weighted share of the experts' grades that the judge gave, with its interval

    >>> from dissensus.inference.comparison.evidence_value import Evidence
    >>> from dissensus.inference.comparison.outcome import conclude
    >>> alone = conclude(Evidence("AP", "llm", ("A",), (), {"naive": {"A": (0.5, 0.4, 0.6)}}, topics=9))
    >>> [card.value for card in cards(alone)]
    ['Nothing to compare', 'Not checked', 'Not known']
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dissensus.inference.comparison.claims import chance_text, names, size_text

if TYPE_CHECKING:
    from dissensus.inference.comparison.outcome import Outcome

Tone = Literal["plain", "good", "worry"]
NO_ANSWER = "Undecided"
SHORT = {
    "alone": "Nothing to compare",
    "identical": "All are identical",
    "equal": "Identical",
    "no-winner": "No winner yet",
    **dict.fromkeys(("no-answer", "undecided", "unanswered", "between", "differ"), NO_ANSWER),
}
OF_THE_JUDGE: dict[str, tuple[str, Tone]] = {
    "refuted": ("Not for the order", "worry"),
    "confirmed": ("For the first place", "good"),
    "left-open": ("Not known yet", "plain"),
}


@dataclass(frozen=True)
class Card:
    """A question, its answer in a few words, and what bears it. `tone` is for colour alone."""

    question: str
    value: str
    text: str
    tone: Tone = "plain"


def cards(found: Outcome) -> tuple[Card, Card, Card]:
    """Decision, trust in the judge, and how often it is right."""
    return decision_card(found), trust_card(found), right_card(found)


def decision_card(found: Outcome) -> Card:
    """What to take now, else what the headline says."""
    question, kind = "Decision", found.headline.kind
    d = found.decision
    if d is None or found.recommendation is None:
        value = SHORT.get(kind) or names(found.best, "or")
        return Card(question, value, "There is no recommendation." if len(found.order) > 1 else str(found.headline))
    _, within, loss = d.of(d.choice)
    verb = "Take" if d.kept is None else "Keep"
    model = f"By this model, and if {_what(found)} are right, it" if found.headline.premise else "By this model it"
    text = (
        f"{model} has a chance of {chance_text(within)} to be within {d.negligible:g} of the best. "
        f"Its expected loss is {size_text(loss)}."
    )
    sure = found.audited and kind in ("best", "few", "better")
    return Card(question, f"{verb} {d.choice}", text, "good" if sure else "plain")


def trust_card(found: Outcome) -> Card:
    """Whether the judge's order may be taken as it is."""
    question = "Can you trust the judge?"
    if not found.audited:
        return Card(question, "Not checked", f"No expert checked {_what(found)}.", "worry")
    facts = found.judge_facts
    favour = facts.favour if facts is not None else ""
    favoured = bool(facts is not None and facts.to_dict().get("favourites"))
    if found.alone is None:
        return Card(question, "It has favourites" if favoured else "Not known yet", favour, _tone(favoured))
    value, tone = OF_THE_JUDGE[found.alone.kind]
    if favoured and found.alone.kind != "refuted":
        value, tone = "It has favourites", "worry"
    return Card(question, value, favour or str(found.alone), tone)


def right_card(found: Outcome) -> Card:
    """How often the judge gave the experts' grade."""
    question = "How often is it right?"
    facts = found.judge_facts
    if facts is None:
        why = "That takes expert labels." if not found.audited else "Its grades and the experts' cannot be compared."
        return Card(question, "Not known", why)
    same = facts.to_dict()["same"]["value"]
    return Card(question, f"{same:.0%} of documents", facts.agreement)


def limits(found: Outcome) -> tuple[str, ...]:
    """What the outcome cannot say, whatever its numbers are."""
    out = []
    if found.target == "population":
        out.append(f"Whether topics unlike these {found.topics:,} would agree.")
    else:
        out.append(f"Whether other topics than these {found.topics:,} would agree.")
    if not found.audited:
        out.append(f"How much {_what(found)} err: they are taken as right.")
    elif found.evidence.of_scores:
        out.append("How good the gold scores are: they count as the truth.")
    else:
        out.append("How good the experts are: their grades count as the truth.")
    if found.pairs:
        out.append("The exact places: the page shows the places that the data leave open.")
    if found.kind == "pooled":
        out.append("Whether the model behind pooled scores is true: the judge's bias varies randomly between systems.")
    return tuple(out)


def _what(found: Outcome) -> str:
    return "these scores" if found.evidence.of_scores else f"the labels of {found.judge}"


def _tone(worry: bool) -> Tone:
    return "worry" if worry else "plain"
