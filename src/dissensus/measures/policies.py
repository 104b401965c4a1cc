"""Policies: what happens to tied, missing, unjudged and empty things, with each default written down once.

- `ties`: "trec" (score descending, then document id descending) or "expected" (the mean over orders of tied documents).
- `topics`: "judged" (every topic the assessor judged; a topic missing from a run is an empty ranking, listed), "shared"
  (only topics that every system has) or "own" (NaN where a system has no ranking for a topic: each system is averaged
  over its own topics).
- `unjudged`: "nonrelevant", "condense" (taken out of the rankings) or "bounds" (further variables, see `bounds`).
- `empty`: topics without relevant documents are NaN where a measure divides by them and "skip" leaves them so. "zero"
  makes them 0, as trec_eval does.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, get_args

from dissensus.arrays import Values
from dissensus.errors import Fix, InputError, Option, Text

Ties = Literal["trec", "expected"]
Topics = Literal["judged", "shared", "own"]
Unjudged = Literal["nonrelevant", "condense", "bounds"]
Empty = Literal["skip", "zero"]
CHOICES: dict[str, tuple[str, ...]] = {
    "topics": get_args(Topics),
    "unjudged": get_args(Unjudged),
    "ties": get_args(Ties),
    "empty": get_args(Empty),
}


# of every command that is asked for none: tables show all three, commands about one measure take the first; plans and
# sequential audits need a linear one, and take the first that is
DEFAULT_MEASURES = ("nDCG@10", "P@10", "AP")
DEFAULT_MEASURE, DEFAULT_LINEAR = DEFAULT_MEASURES[0], DEFAULT_MEASURES[1]


@dataclass(frozen=True)
class Policies:
    """One choice of each policy. The defaults of every verb and every command are these.

    >>> Policies(topics="own")
    Policies(topics='own', unjudged='nonrelevant', ties='trec', empty='skip')
    """

    topics: Topics = "judged"
    unjudged: Unjudged = "nonrelevant"
    ties: Ties = "trec"
    empty: Empty = "skip"

    def __post_init__(self) -> None:
        for policy, value in asdict(self).items():
            if value not in CHOICES[policy]:
                raise InputError(Text(Option(policy, value), f" is none of {', '.join(map(repr, CHOICES[policy]))}."))
        if self.ties == "expected" and self.unjudged != "nonrelevant":
            raise InputError(
                Text(Option("ties", "expected"), " and ", Option("unjudged", self.unjudged), " cannot be combined."),
                "Choose one of them.",
            )

    def only(self, why: str, **possible: tuple[str, ...]) -> None:
        """Refuse a choice that the caller cannot follow; `why` says what stands in its way."""
        for policy, values in possible.items():
            value = getattr(self, policy)
            if value not in values:
                others = [part for v in values for part in (" or ", Option(policy, v))][1:]
                raise InputError(
                    Text(Option(policy, value), f" cannot be used here: {why}."), Fix("Use ", *others, ".")
                )

    def line(self, topics: str) -> str:
        """The choices under a table, `topics` counted by the caller; unjudged and empty where they are not the usual.

        >>> Policies(topics="shared", empty="zero").line("25")
        'ties=trec  topics=shared (25)  empty=zero'
        """
        usual = Policies()
        others = [f"{n}={getattr(self, n)}" for n in ("unjudged", "empty") if getattr(self, n) != getattr(usual, n)]
        return "  ".join([f"ties={self.ties}", f"topics={self.topics} ({topics})", *others])

    def to_dict(self) -> Values:
        """The choices by name, as score tables carry them in `attrs`."""
        return asdict(self)
