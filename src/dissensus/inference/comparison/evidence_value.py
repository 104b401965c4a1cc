"""What an outcome is concluded from, as one value. `comparison.evidence` gathers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol

from dissensus.arrays import Values
from dissensus.inference.comparison.claims import where_of
from dissensus.inference.comparison.decision import Belief
from dissensus.inference.comparison.difference import Difference, Standing

if TYPE_CHECKING:
    from dissensus.inference.comparison.outcome import Outcome

Kind = Literal["pooled", "corrected", "naive"]
Interval = tuple[float, float, float]  # a score and the ends of its interval


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is concluded from.

    `pairs` are the tested differences that decide, `pooled` those of pooled scores. `scores` has each kind of score by
    system, with its interval. `level_known` is False after an audit for differences: scores then order, and are not
    shown. `doubted` are systems whose pooled score the audit contradicts. `belief` is what a recommendation is drawn
    from. `elsewhere` gives the outcome for the other target.
    """

    measure: str
    judge: str
    systems: tuple[str, ...]
    pairs: tuple[Difference, ...]
    scores: Mapping[str, Mapping[str, Interval]]
    topics: int
    audited: bool = False
    target: str = "population"
    higher_is_better: bool = True
    pooled: tuple[Difference, ...] = ()
    level_known: bool = True
    doubted: frozenset[str] = frozenset()
    of_scores: bool = False
    negligible: float | None = None
    in_use: str | None = None
    belief: Callable[[Mapping[str, Kind]], Belief | None] = field(default=lambda kinds: None)
    facts: Callable[[], JudgeSentences | None] = field(default=lambda: None)
    elsewhere: Callable[[], Outcome | None] = field(default=lambda: None)
    seed: int = 0

    @cached_property
    def standing(self) -> Standing:
        """The verdicts on all pairs as matrices."""
        return Standing.as_compared(self.pairs, self.measure)

    @property
    def where(self) -> str:
        """The target in words."""
        return where_of(self.target, self.topics)


class JudgeSentences(Protocol):
    """What an audit says of its judge, in two sentences: how often it agrees with the experts, whom it favours."""

    @property
    def agreement(self) -> str: ...
    @property
    def favour(self) -> str: ...
    def to_dict(self) -> Values: ...
