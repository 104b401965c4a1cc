"""Parameters of measures, declared as data: type, range and one sentence each.

    p: float = number(0.8, "probability to go on to the next document", above=0, below=1)

`Measure.__post_init__` checks every declared parameter against its declaration, so all of them are refused in the same
words, and `dissensus measures` lists what was declared. Gains per grade are given as a table {grade: gain} by grade
number or name, and kept as a hashable tuple.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import MeasureError, Option, Text
from dissensus.measures.gain_files import read_gains
from dissensus.tables.scale import HIGHEST, JOINT, Scale

Gains = tuple[tuple[int | str, float], ...]
GivenGains = Gains | str  # a table, or the file that holds one
Kind = Literal["number", "whole number", "choice", "flag", "table", "name", "file", "list", "list or file"]
KEY = "parameter"  # where the metadata of a dataclass field holds the declaration


@dataclass(frozen=True)
class Parameter:
    """What a parameter may be. `least` and `most` are allowed themselves, `above` and `below` are not."""

    kind: Kind
    text: str
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    required: bool = False

    def rule(self) -> str:
        """What a value must be.

        >>> Parameter("number", "", above=0, below=1).rule()
        'a number strictly between 0 and 1'
        """
        if self.kind == "choice":
            return "one of " + ", ".join(map(repr, self.choices))
        if self.kind == "flag":
            return "True or False"
        if self.kind not in ("number", "whole number"):
            sayings = {
                "table": "a table {grade: gain} or its file",
                "file": "the path of a file",
                "list": "a list of numbers",
            }
            return sayings.get(self.kind, f"a {self.kind}")
        words = f"a {self.kind}"
        if self.above is not None and self.below is not None:
            return f"{words} strictly between {self.above:g} and {self.below:g}"
        if self.least is not None and self.most is not None:
            between = "from {} to {}" if self.kind == "whole number" else "between {} and {}"
            return f"{words} {between.format(f'{self.least:g}', f'{self.most:g}')}"
        limits = (("above", self.above), ("below", self.below), ("at least", self.least), ("at most", self.most))
        return ", ".join([words, *(f"{word} {limit:g}" for word, limit in limits if limit is not None)])

    def checked(self, owner: str, name: str, value: Any) -> Any:
        """The value in its proper type; an error names the measure, the parameter, the value and the rule."""
        if value is None and self.required:
            raise MeasureError(f"{owner} needs {name}, {self.text}.", f"Write {owner}({name}=…).")
        if value is None and self.optional:
            return None
        if self.kind == "table":
            return freeze_gains(value)
        if self._allows(value):
            if self.kind == "number":
                return float(value)
            if self.kind == "list":
                return tuple(float(x) for x in value)
            return int(value) if self.kind == "whole number" else value
        raise MeasureError(f"{owner}({name}={value!r}): {name} must be {self.rule()}.")

    def _allows(self, value: object) -> bool:
        if self.kind == "choice":
            return isinstance(value, str) and value in self.choices
        if self.kind == "flag":
            return isinstance(value, bool)
        if self.kind == "list":
            single = Parameter("number", "", self.least, self.most)
            return isinstance(value, list | tuple) and len(value) > 0 and all(single._allows(x) for x in value)
        if self.kind in ("name", "file"):
            return isinstance(value, str)
        if self.kind not in ("number", "whole number"):
            return True  # a list or a file: checked where it is read
        types = (int, np.integer) if self.kind == "whole number" else (int, float, np.integer, np.floating)
        if isinstance(value, bool) or not isinstance(value, types):
            return False
        if (isinstance(value, int) and abs(value) > 10**300) or not isfinite(value):  # beyond what a double holds
            return False
        return bool(
            (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )


def _declared(default: object, parameter: Parameter) -> object:
    return field(default=default, metadata={KEY: parameter})


def number(default: float | None, text: str, *, optional: bool = False, **limits: float) -> Any:
    """A field for a finite number within limits."""
    return _declared(default, Parameter("number", text, optional=optional, **limits))  # type: ignore[arg-type]


def whole(default: int | None, text: str, *, optional: bool = False, required: bool = False, **limits: float) -> Any:
    """A field for a whole number within limits; `required`: a measure cannot be without it."""
    return _declared(default, Parameter("whole number", text, optional=optional, required=required, **limits))  # type: ignore[arg-type]


def relevance(default: int = 1) -> Any:
    """The field `rel`: the lowest grade that counts as relevant."""
    return whole(default, "lowest grade that counts as relevant", least=0, most=HIGHEST)


def choice(default: str, text: str, *choices: str) -> Any:
    """A field for one of several words."""
    return _declared(default, Parameter("choice", text, choices=choices))


def flag(default: bool, text: str) -> Any:
    """A field for True or False."""
    return _declared(default, Parameter("flag", text))


def table(text: str) -> Any:
    """The field `gains`: a table {grade: gain}, or None."""
    return _declared(None, Parameter("table", text, optional=True))


def file(text: str, *, required: bool = False) -> Any:
    """A field for the path of a file, or None; `required`: a measure cannot be without it."""
    return _declared(None, Parameter("file", text, optional=True, required=required))


def numbers(default: tuple[float, ...], text: str, **limits: float) -> Any:
    """A field for a list of numbers, each within limits."""
    return _declared(default, Parameter("list", text, **limits))  # type: ignore[arg-type]


def name(text: str) -> Any:
    """A field for a name, or None."""
    return _declared(None, Parameter("name", text, optional=True))


def list_or_file(text: str) -> Any:
    """A field for a list of numbers or the path of a file that holds them, or None."""
    return _declared(None, Parameter("list or file", text, optional=True))


def freeze_gains(gains: Mapping[Any, float] | GivenGains | None) -> GivenGains | None:
    """Gains as a hashable, sorted tuple of (grade, gain); the name of a file stays one, and is read.

    >>> freeze_gains({"2": 5, 0: 0, 1: 1})
    ((0, 0.0), (1, 1.0), (2, 5.0))
    """
    if gains is None:
        return None
    if isinstance(gains, str):
        gains_of(gains)
        return gains
    if not isinstance(gains, Mapping | tuple):
        raise MeasureError(
            Text(Option("gains", gains), " is not a table."),
            "Write a gain for every grade: gains={0: 0, 1: 1, 2: 5}, or the name of a file that holds them.",
        )
    pairs = [(_grade_key(g), v) for g, v in (gains.items() if isinstance(gains, Mapping) else gains)]
    for g, v in pairs:
        if isinstance(v, bool) or not isinstance(v, int | float | np.integer | np.floating) or not np.isfinite(v):
            raise MeasureError(f"the gain of grade {g!r} is {v!r}; gains must be finite numbers.")
    return tuple(sorted(((g, float(v)) for g, v in pairs), key=lambda p: (isinstance(p[0], str), p[0])))


def gains_of(gains: GivenGains) -> Gains:
    """The table of gains, from its file where there is one."""
    if not isinstance(gains, str):
        return gains
    return _from_file(gains, os.stat(gains).st_mtime_ns if os.path.isfile(gains) else 0)


@lru_cache(maxsize=64)
def _from_file(path: str, changed: int) -> Gains:
    table = freeze_gains(read_gains(path))
    assert isinstance(table, tuple)
    return table


def _grade_key(grade: object) -> int | str:
    if isinstance(grade, tuple):
        return JOINT.join(str(part).strip() for part in grade)
    if isinstance(grade, int | np.integer) and not isinstance(grade, bool):
        return int(grade)
    text = str(grade).strip()
    return int(text) if text.isascii() and text.isdigit() else text


def gain_table(gains: GivenGains, scale: Scale, measure: object) -> NDArray[np.float64]:
    """Gain of each grade of the scale, lowest first, from a table keyed by grade number or name.

    Labels without an order are those that were given: a table may have gains of others, too.
    """
    known = [(g, v) for g, v in gains_of(gains) if scale.ordered or str(g) in scale.names]
    table = {scale.grade(g): v for g, v in known if not (isinstance(g, int) and g < 0)}
    missing = [scale.name(int(g)) for g in scale.grades if int(g) not in table]
    if missing:
        without = ("; " if scale.facets else ", ").join(missing)
        raise MeasureError(
            f"{measure} has no gain for the grade {without} of the scale {scale}.",
            "Give every grade of the scale a gain, 0 if nobody found it top.",
        )
    return np.array([table[int(g)] for g in scale.grades])
