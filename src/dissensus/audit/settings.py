"""What is fixed before the first label: the question, the stop rule, the scale, who judges."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Literal, cast

from dissensus.errors import Fix, InputError, Option, Text
from dissensus.tables.scale import Scale
from dissensus.wording import counted

StopKind = Literal["decided", "margin", "width", "budget"]
GUIDELINE = (
    "Read the topic first, then the document. Grade how well the document answers the topic, not how well it is "
    "written. If it cannot be judged (broken, in another language, no text), say so and why."
)
SECOND_SHARE, REPEAT_SHARE = 0.15, 0.05
EXPERTS = ("expert-1", "expert-2")


@dataclass(frozen=True)
class Stop:
    """When a study is over: decided, equivalent within a margin, an interval this narrow, or a number of labels.

    >>> Stop.parse("margin:0.02")
    Stop(kind='margin', value=0.02)
    >>> str(Stop.parse("budget:300"))
    'budget:300'
    """

    kind: StopKind
    value: float | None = None

    @classmethod
    def parse(cls, text: str) -> Stop:
        kind, colon, number = text.partition(":")
        if kind == "decided" and not colon:
            return cls("decided")
        if kind in ("margin", "width", "budget"):
            try:
                value = float(number)
            except ValueError:
                value = math.nan
            if kind == "budget" and value >= 1 and value == int(value):
                return cls("budget", int(value))
            if kind != "budget" and 0 < value < math.inf:
                return cls(cast("StopKind", kind), value)
        raise InputError(
            Text(Option("stop", text), " is not a valid stop rule."),
            "Use decided, margin:0.02, width:0.05 or budget:300.",
        )

    def __str__(self) -> str:
        return self.kind if self.value is None else f"{self.kind}:{self.value:g}"

    @property
    def budget(self) -> int | None:
        return int(self.value) if self.kind == "budget" and self.value is not None else None

    def half_width(self, scores: bool) -> float | None:
        """What the sequence is asked for: the margin of equivalence, or how exactly scores are to be known."""
        if self.value is not None and scores and self.kind == "width":
            return self.value / 2
        return self.value if self.kind == "margin" else None

    def sentence(self) -> str:
        """The rule in words."""
        decided = "until it is decided which system is better"
        if self.value is None:
            return decided
        return {
            "margin": f"{decided}, or that they differ by less than {self.value:g}",
            "width": f"until the interval is at most {self.value:g} wide",
            "budget": f"after {counted(int(self.value), 'label')}",
        }[self.kind]


@dataclass(frozen=True)
class StudySettings:
    """Everything that `audit new` fixes, apart from the files."""

    measure: str
    systems: tuple[str, str] | None = None  # two to tell apart; None: all pairs
    stop: Stop = field(default_factory=lambda: Stop("decided"))
    level: float = 0.95
    seed: int = 0
    scale: Scale | None = None  # the experts' scale, where it is not the judge's
    names: tuple[str, ...] = ()  # what the grades are called on the buttons
    experts: tuple[str, ...] = EXPERTS
    title: str = ""
    guideline: str = GUIDELINE
    mark_query: bool = False
    second_share: float = SECOND_SHARE
    repeat_share: float = REPEAT_SHARE
    target: Literal["these_topics", "population"] = "these_topics"
    scores: bool = False  # follow the score of each system, not their differences

    def __post_init__(self) -> None:
        if self.scores and self.stop.kind in ("decided", "margin"):
            raise InputError(
                Text("single scores cannot be stopped by ", Option("stop", str(self.stop)), ": no system wins."),
                Fix("Stop when every interval is narrow enough, with ", Option("stop", "width:0.05"), "."),
                Fix("Stop after a number of labels, with ", Option("stop", "budget:300"), "."),
            )
        for share, what in ((self.second_share, "a second assessor"), (self.repeat_share, "the same assessor again")):
            if not 0 <= share <= 1:
                raise InputError(f"the share of documents for {what}, {share:g}, must be between 0 and 1.")
        if not self.experts:
            raise InputError("a study needs at least one expert.")
        if len(set(self.experts)) < len(self.experts):
            raise InputError(f"two experts have one name: {', '.join(self.experts)}.", "Name them apart.")
        for name in self.experts:
            if not name.strip() or name == "owner" or len(name) > 100:
                raise InputError(
                    f"{name!r} is not a valid name for an expert.", "Use 1 to 100 characters, not 'owner'."
                )


def scale_to_json(scale: Scale) -> str:
    return json.dumps({"names": scale.names, "low": scale.low}, ensure_ascii=False)


def scale_from_json(text: str) -> Scale:
    value = json.loads(text)
    return Scale(tuple(value["names"]), value["low"])
