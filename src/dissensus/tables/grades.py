"""From labels to grades: one scale for all judges, declared, mapped, or read off the data.

`scale=` takes

- a `Scale`, grade names in order, or a text like "0..3" or "Non,Rel,HRel": one scale for everybody;
- {label: grade}: what everybody's labels are worth;
- {assessor: any of these}: judges on different scales, each mapped to grades; the common scale is then the one that
  holds them all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import Fix, JudgmentError, Option, ScaleError, Text
from dissensus.tables.columns import Place
from dissensus.tables.ids import HIDDEN
from dissensus.tables.scale import HIGHEST, JOINT, Scale, as_scale

ScaleLike = Scale | Sequence[str] | str | Mapping[Any, Any] | None
MAP = Fix("Map labels to grades with scale={label: grade, …}.", reader="python")
SKIP = Fix("Leave labels that are no grade of the scale out with ", Option("missing", "skip"), ".")
APART = (
    Fix("Map assessors on different scales: scale={assessor: {label: grade, …}, …}.", reader="python"),
    Fix("If assessors are on different scales, write their labels on one.", reader="command"),
)
MANY = 10  # different fractions from which on a column holds scores rather than grades with a slip in them
_FEW = 1000  # different whole numbers that are counted rather than looked up
_NOTHING = frozenset({"na", "n/a", "nan", "null"})
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER_LIKE = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)


def grades_of(
    labels: pl.Series, assessor: NDArray[np.int32], assessors: Sequence[str], scale: ScaleLike, place: Place
) -> tuple[NDArray[np.int8], Scale]:
    """The grade of every row, and the scale they are on."""
    if isinstance(scale, Mapping):
        if not scale:
            raise ScaleError("scale={} maps nothing.", "Give {label: grade}, or {assessor: scale}.")
        if all(_is_grade(g) for g in scale.values()):
            table, common = _label_table(scale, "scale")
            return _by_table(labels, {None: table}, None, assessors, common, place), common
        return _by_assessor(labels, assessor, assessors, scale, place)
    return parse_grades(labels, as_scale(scale), place)


def _is_grade(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _label_table(mapping: Mapping[Any, Any], what: str) -> tuple[dict[str, int], Scale]:
    """{label: grade} as texts and numbers; the scale keeps the labels' names where they are one per grade."""
    for label, grade in mapping.items():
        if not _is_grade(grade) or not -127 <= grade <= HIGHEST:
            raise ScaleError(
                f"{what} maps the label {label!r} to {grade!r}.",
                f"Grades are whole numbers from 0 to {HIGHEST}; below zero means 'in the pool, unjudged'.",
            )
    table = {grade_text(label): int(grade) for label, grade in mapping.items()}
    grades = sorted({g for g in table.values() if g >= 0})
    names = {g: [n for n, h in table.items() if h == g] for g in grades}
    if grades and grades == list(range(grades[0], grades[-1] + 1)) and all(len(n) == 1 for n in names.values()):
        return table, Scale(tuple(names[g][0] for g in grades), low=grades[0])
    return table, Scale.range(0, max([1, *grades]))


def _by_assessor(
    labels: pl.Series, assessor: NDArray[np.int32], assessors: Sequence[str], scale: Mapping[Any, Any], place: Place
) -> tuple[NDArray[np.int8], Scale]:
    given = {str(name): value for name, value in scale.items()}
    missing = [name for name in assessors if name not in given]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise ScaleError(
            Text(
                Option("scale", None),
                f" gives no scale for the assessor {', '.join(map(repr, missing[:3]))}{more}.",
            ),
            "Give one for every assessor: scale={'ann': {'no': 0, 'yes': 1}, 'bob': '0..3'}.",
        )
    tables: dict[int | None, dict[str, int]] = {}
    scales = []
    for number, name in enumerate(assessors):
        value = given[name]
        if isinstance(value, Mapping):
            tables[number], one = _label_table(value, f"scale[{name!r}]")
        else:
            one = as_scale(value) or Scale.range(0, 1)
            tables[number] = {n: one.low + i for i, n in enumerate(one.names)}
            tables[number] |= {str(g): int(g) for g in one.grades if str(g) not in tables[number]}
        scales.append(one)
    first = scales[0]
    common = (
        first
        if all(s == first for s in scales)
        else Scale.range(min(s.low for s in scales), max(s.top for s in scales))
    )
    return _by_table(labels, tables, assessor, assessors, common, place), common


def _by_table(
    labels: pl.Series,
    tables: Mapping[int | None, dict[str, int]],
    assessor: NDArray[np.int32] | None,
    assessors: Sequence[str],
    common: Scale,
    place: Place,
) -> NDArray[np.int8]:
    _refuse_missing(labels, place, {label for table in tables.values() for label in table})
    values, position = distinct(labels)
    unique = [grade_text(v) for v in values]
    grades = np.empty(len(labels), np.int8)
    for number, table in tables.items():
        rows = np.arange(len(labels)) if number is None or assessor is None else np.flatnonzero(assessor == number)
        present = np.unique(position[rows])
        worth = np.zeros(len(unique), np.int16)
        for p in present:
            text = unique[p]
            whole = whole_number(text)
            if text not in table and (whole is None or not -127 <= whole < 0):
                row = int(rows[np.flatnonzero(position[rows] == p)[0]])
                who = "" if number is None else f" of assessor {assessors[number]}"
                raise ScaleError(
                    Text(
                        f"{place(row)}: the grade {labels[row]!r}{who} is not among those that ",
                        Option("scale", None),
                        f" maps: {', '.join(table)}.",
                    ),
                    "Map every label, or correct the file.",
                )
            worth[p] = table.get(text, whole or 0)
        grades[rows] = worth[position[rows]]
    return grades


def parse_grades(labels: pl.Series, scale: Scale | None, place: Place) -> tuple[NDArray[np.int8], Scale]:
    """Grades of every row, and the scale they are on (read off the data if none is declared)."""
    if not len(labels):
        return np.empty(0, np.int8), scale or Scale.range(0, 1, declared=False)
    _refuse_missing(labels, place, scale.names if scale else ())
    values, position = distinct(labels)
    written = [grade_text(v) for v in values]
    numbers = {t: whole_number(t) for t in written}
    scale = scale or _read_off(numbers, labels, place)
    table, outside = _worth(numbers, scale)
    if outside:
        rule = f"is not a grade of the scale {scale}"
        fix = Fix("Declare the scale with ", Option("scale"), ", lowest grade first, or correct the file.")
        raise _first_bad(labels, outside, place, rule, fix, SKIP, error=ScaleError)
    return np.array([table[w] for w in written], np.int8)[position], scale


def _worth(numbers: Mapping[str, int | None], scale: Scale) -> tuple[dict[str, int], set[str]]:
    """({text: grade}, texts that are no grade of the scale); below zero is in the pool, unjudged."""
    table: dict[str, int] = {}
    outside: set[str] = set()
    for text, number in numbers.items():
        if text in scale.names:
            table[text] = scale.grade(text)
        elif number is not None and (-127 <= number < 0 or number in scale):
            table[text] = number
        else:
            outside.add(text)
    return table, outside


def strays(labels: pl.Series, scale: ScaleLike) -> NDArray[np.bool_]:
    """Labels that are no grade of a declared scale: answers that could not be read, slips.

    >>> strays(pl.Series(["2", "Invalid", "-1", "7"]), "0..3").tolist()
    [False, True, False, True]
    """
    declared = None if isinstance(scale, Mapping) else as_scale(scale)
    if declared is None:
        return np.zeros(len(labels), bool)
    values, position = distinct(labels)
    written = [grade_text(v) for v in values]
    outside = _worth({t: whole_number(t) for t in written}, declared)[1]
    return np.array([t in outside for t in written], bool)[position]


def distinct(labels: pl.Series) -> tuple[list[Any], NDArray[np.int64]]:
    """(the distinct labels, the position of each row's among them)"""
    if labels.dtype == pl.Object:
        labels = pl.Series([grade_text(v) for v in labels.to_list()], dtype=pl.String)
    if labels.dtype.is_integer() and len(labels) and not labels.null_count():
        low, high = int(labels.min()), int(labels.max())  # type: ignore[arg-type]
        if high - low < _FEW and abs(low) < 2**62:  # a table of all numbers between them
            shifted = labels.to_numpy().astype(np.int64) - low
            there = np.bincount(shifted) > 0
            return (np.flatnonzero(there) + low).tolist(), (np.cumsum(there) - 1)[shifted]
    values = labels.unique()
    rows = labels.replace_strict(values, np.arange(len(values)), return_dtype=pl.Int64)
    return values.to_list(), rows.to_numpy()


def _read_off(numbers: Mapping[str, int | None], labels: pl.Series, place: Place) -> Scale:
    words = {t for t, n in numbers.items() if n is None}
    if hidden := {t for t in words if HIDDEN.search(t)}:
        rule = "holds a character that nobody sees"
        raise _first_bad(labels, hidden, place, rule, "Take the character out of the file.", error=ScaleError)
    fractions = {t for t in words if _NUMBER_LIKE.fullmatch(t)}
    if fractions:
        rule = "is neither a whole number nor a name"
        raise _first_bad(labels, fractions, place, rule, _named(numbers), MAP)
    if words and len(words) < len(numbers):
        rule = "is not a whole number, although other grades are"
        whole = Option("scale", f"0..{max(1, *(n for n in numbers.values() if n is not None))}")
        skip = Fix("If it is no grade, leave it out with ", whole, " and ", Option("missing", "skip"), ".")
        raise _first_bad(labels, words, place, rule, _named(numbers), skip, *APART, error=ScaleError)
    if words:
        if len(words) > HIGHEST + 1:
            rule = f"is one of {len(words):,} different labels; a scale has at most 127"
            raise _first_bad(labels, words, place, rule, "Write fewer grades into the file.", MAP)
        return Scale(tuple(sorted(words)), declared=False, ordered=False)
    top = max(n for n in numbers.values() if n is not None)
    if top > HIGHEST:
        rule, highest = f"is above the highest possible grade, {HIGHEST}", {t for t, n in numbers.items() if n == top}
        raise _first_bad(labels, highest, place, rule, "Write lower grades into the file.", MAP, error=ScaleError)
    return Scale.range(0, max(top, 1), declared=False)


def missing_values(labels: pl.Series, names: Collection[str] = ()) -> NDArray[np.bool_]:
    """Where a column holds nothing, NaN, or a word that says so (NA, n/a, nan, null), unless a grade has that name."""
    gone = labels.is_null()
    if labels.dtype == pl.String:
        text = labels.str.strip_chars()
        word = text.str.to_lowercase().is_in(list(_NOTHING)) & ~text.is_in([str(n) for n in names])
        gone = gone | (text == "") | word
    elif labels.dtype.is_float():
        gone = gone | labels.is_nan()
    elif labels.dtype == pl.Object:
        return np.array([v is None or (isinstance(v, float) and v != v) or str(v).strip() == "" for v in labels])
    return gone.fill_null(True).to_numpy()


def _refuse_missing(labels: pl.Series, place: Place, names: Collection[str] = ()) -> None:
    rows = np.flatnonzero(missing_values(labels, names))
    if len(rows):
        row = int(rows[0])
        value = "" if labels[row] is None or not str(labels[row]).strip() else f" ({labels[row]!r})"
        raise JudgmentError(
            f"{place(row)}: the grade is missing{value}{f'; {len(rows):,} are' if len(rows) > 1 else ''}.",
            Fix(
                "Leave rows without a grade out with ",
                Option("missing", "skip"),
                "; a grade below zero says that a document was in the pool and not judged.",
            ),
        )


def grade_text(value: object) -> str:
    """A label as it is looked up: 2, 2.0, " 2" and "+2" are all "2"; several labels are one, ("Sure", 2) "Sure, 2"."""
    if isinstance(value, tuple | list):
        return JOINT.join(map(grade_text, value))
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if isinstance(value, float | np.floating) and np.isfinite(value) and float(value).is_integer():
        return str(int(value))
    text = str(value).strip()
    if re.fullmatch(r"[+-]?[0-9]{1,18}\.0*", text):
        text = text.partition(".")[0]
    return str(int(text)) if _WHOLE.fullmatch(text) else text


def whole_number(text: str) -> int | None:
    """The whole number a text writes with plain digits, or None."""
    return int(text) if _WHOLE.fullmatch(text) else None


def _first_bad(
    labels: pl.Series,
    bad: set[str],
    place: Place,
    rule: str,
    *fixes: str,
    error: type[JudgmentError] = JudgmentError,
) -> JudgmentError:
    row = next(i for i, v in enumerate(labels) if grade_text(v) in bad)
    return error(f"{place(row)}: the grade {labels[row]!r} {rule}.", *fixes)


def _named(numbers: Mapping[str, int | None]) -> Fix:
    """The fix for labels that are names on one scale."""
    written = sorted(numbers, key=lambda t: (float(t) if _NUMBER_LIKE.fullmatch(t) else np.inf, t))
    few = ",".join(written[:6]) + (",…" if len(written) > 6 else "")
    return Fix("If all are grades of one scale, name them, lowest first: ", Option("scale", few), ".")
