"""The grades a judge may give, in order.

A grade is a whole number from `low` (usually 0) to `top`; a scale may name them. Grades below zero are no grades: in
TREC files they mark documents that were in the pool but could not be judged (spam, broken links), and every part of
dissensus treats them as "in the pool, unjudged".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import Fix, Option, ScaleError
from dissensus.windows.notebook import summary_html

UNJUDGED = np.int8(-128)  # the reserved label: not in the pool at all
HIGHEST = 126  # labels are int8
JOINT = ", "  # between the labels of several columns that make one


@dataclass(frozen=True)
class Scale:
    """Ordered grade names, lowest first.

    `declared` is False where the scale was read off the data (then ERR and friends depend on the labels present, and
    outputs say so); `ordered` is False where labels are names of unknown order: good for agreement and merging, refused
    by measures, unless gains say what each is `worth`. `binned` is True where the grades are bins of a judge's scores:
    what is relevant takes a threshold. `facets` are the columns that a label was put together from (snippet,
    page), each with its own scale.

    >>> Scale(("Non", "Rel", "HRel")).grade("HRel")
    2
    >>> Scale.range(0, 4).top
    4
    """

    names: tuple[str, ...]
    low: int = 0
    declared: bool = field(default=True, compare=False)
    ordered: bool = True
    binned: bool = False
    worth: tuple[float, ...] | None = field(default=None, compare=False)
    facets: tuple[tuple[str, Scale], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(str(n) for n in self.names))
        if not self.names:
            raise ScaleError("a scale needs at least one grade.")
        if len(set(self.names)) < len(self.names):
            twice = next(n for n in self.names if self.names.count(n) > 1)
            raise ScaleError(f"the grade name {twice!r} stands twice in the scale {', '.join(self.names)}.")
        if self.low < 0 or self.top > HIGHEST:
            raise ScaleError(
                f"a scale runs from 0 or above to at most {HIGHEST}, not from {self.low} to {self.top}.",
                "Grades below zero mean 'in the pool, unjudged' and need not be declared.",
            )

    @classmethod
    def range(cls, low: int, high: int, *, declared: bool = True) -> Scale:
        """The whole numbers from `low` to `high`, both included."""
        if high < low:
            raise ScaleError(f"a scale from {low} to {high} is empty: the second number is the highest grade.")
        return cls(tuple(str(g) for g in range(low, high + 1)), low, declared)

    @property
    def top(self) -> int:
        return self.low + len(self.names) - 1

    @property
    def grades(self) -> NDArray[np.int64]:
        """All grades as numbers, lowest first."""
        return np.arange(self.low, self.top + 1)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, grade: object) -> bool:
        return isinstance(grade, int | np.integer) and bool(self.low <= grade <= self.top)

    def grade(self, label: object) -> int:
        """The number of a label: a grade name, or the number itself."""
        text = str(label).strip()
        if text in self.names:
            return self.low + self.names.index(text)
        if text.isascii() and text.isdigit() and int(text) in self:
            return int(text)
        raise ScaleError(
            f"{label!r} is not a grade of the scale {self}.", "Grades of this scale: " + ", ".join(self.names)
        )

    def name(self, grade: int) -> str:
        """The name of a grade; negative grades are named by their number."""
        return self.names[grade - self.low] if self.low <= grade <= self.top else str(grade)

    def _repr_html_(self) -> str:
        declared = "declared" if self.declared else "read off the data"
        order = "ordered" if self.ordered else "without an order"
        return summary_html("Scale", [("grades, lowest first", ", ".join(self.names)), ("", f"{declared}, {order}")])

    def __str__(self) -> str:
        numeric = self.names == tuple(str(g) for g in range(self.low, self.top + 1))
        text = f"{self.low}…{self.top}" if numeric else (" < " if self.ordered else ", ").join(self.names)
        if self.facets:
            text = f"{len(self)} labels of {' and '.join(name for name, _ in self.facets)}"
        return text if self.declared else f"{text} (read off the data)"


def refuse_unordered(scale: Scale) -> None:
    """Refuse grades that are names without an order, and of which no gains say what they are worth."""
    if not scale.ordered and scale.worth is None:
        raise unordered(scale)


def unordered(scale: Scale, what: str = "") -> ScaleError:
    """The error for labels that are names without an order, where something needs one."""
    declare = Fix("Declare the scale, lowest grade first: ", Option("scale", ",".join(scale.names)), ".")
    combined = any("," in name for name in scale.names)
    names = "; ".join(scale.names) if combined else ", ".join(scale.names)
    return ScaleError(
        f"the grades are names whose order is not known: {names}." + (f" {what}" if what else ""),
        *(() if combined else (declare,)),
        Fix("Or say what each is worth with measure.with_gains({name: gain}).", reader="python"),
        Fix(
            "Or say what each is worth: dissensus evaluate --gains FILE, as dissensus weights -o writes it.",
            reader="command",
        ),
    )


def as_scale(scale: Scale | Sequence[str] | str | None) -> Scale | None:
    """A scale from what users write: a Scale, names in order, or the text "0..4" or "Non,Rel,HRel".

    >>> as_scale("0..3").top
    3
    """
    if scale is None or isinstance(scale, Scale):
        return scale
    if isinstance(scale, str):
        low, dots, high = scale.replace("…", "..").partition("..")
        if dots and low.strip().isdigit() and high.strip().isdigit():
            return Scale.range(int(low), int(high))
        scale = [name.strip() for name in scale.split(",")]
    return Scale(tuple(scale))
