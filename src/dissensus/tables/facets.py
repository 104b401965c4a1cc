"""Labels of several columns as one class: a snippet that promises and a page that delivers are "Sure, Key".

A judge who fills in two columns says one thing about a document, and two users agree only where both columns do. The
class is the labels in the order of the columns, written with ", " between them. Classes have no order: what each is
worth, gains must say (Demeester et al., WSDM 2014, §7). A scale holds the classes that were given.

    >>> columns = [pl.Series(["Sure", "No", "Sure"]), pl.Series([2, 0, 1])]
    >>> text, scale = classes(columns, ("snippet", "page"), None, lambda row: f"row {row}")
    >>> text.to_list(), scale.names
    (['Sure, 2', 'No, 0', 'Sure, 1'], ('No, 0', 'Sure, 1', 'Sure, 2'))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from dissensus.errors import FileError, Fix, InputError, Option, ScaleError, Text
from dissensus.tables.columns import Place
from dissensus.tables.grades import missing_values, parse_grades
from dissensus.tables.scale import HIGHEST, JOINT, Scale, as_scale

if TYPE_CHECKING:
    from dissensus.tables.judgments import Judgments

CLASS = "label of several columns"  # what a table calls it


def classes(columns: Sequence[pl.Series], names: Sequence[str], scale: Any, place: Place) -> tuple[pl.Series, Scale]:
    """(the class of every row, their scale); `scale` may declare the labels of each column (`scales_of`)."""
    written: list[list[str]] = []
    place_of: dict[str, tuple[int, ...]] = {}
    levels, parts = [], []
    for column, name, declared in zip(columns, names, scales_of(scale, names), strict=True):
        grade, found = parse_grades(column, declared, place)
        if (grade < 0).any():
            row = int(np.flatnonzero(grade < 0)[0])
            raise ScaleError(
                f"{place(row)}: the label {column[row]!r} of {name!r} is below zero.",
                "Leave documents that could not be judged out of the table.",
            )
        if joint := next((n for n in found.names if JOINT in n), None):
            raise ScaleError(
                f"the label {joint!r} of {name!r} holds {JOINT!r}, which stands between the labels of a class.",
                "Write it without a comma.",
            )
        levels.append(grade)
        parts.append((name, found))
        written.append([found.name(int(g)) for g in grade])
    text = [JOINT.join(row) for row in zip(*written, strict=True)]
    for row, label in enumerate(text):
        place_of.setdefault(label, tuple(int(level[row]) for level in levels))
    if len(place_of) > HIGHEST + 1:
        raise ScaleError(
            f"{' and '.join(names)} make {len(place_of):,} different labels together, and a scale has at most "
            f"{HIGHEST + 1}.",
            "Name fewer columns, or write fewer labels into them.",
        )
    ordered = tuple(sorted(place_of, key=lambda label: place_of[label]))
    own = Scale(ordered, declared=scale is not None, ordered=False, facets=tuple(parts))
    return pl.Series("grade", text, dtype=pl.String), own


def with_classes(
    frame: pl.DataFrame, names: Sequence[str], scale: Any, place: Place, source: str = "the table"
) -> tuple[pl.DataFrame, Scale]:
    """A frame with a column `CLASS`, empty where one of the columns of labels is; and the scale of that column."""
    columns = label_columns(frame, names, source)
    rows = np.flatnonzero(~np.any([missing_values(column) for column in columns], axis=0))
    text, own = classes([c.gather(rows) for c in columns], names, scale, lambda row: place(int(rows[row])))
    whole = np.full(frame.height, None, dtype=object)
    whole[rows] = text.to_list()
    return frame.with_columns(pl.Series(CLASS, whole.tolist(), dtype=pl.String)), own


def label_columns(frame: pl.DataFrame, names: Sequence[str], source: str) -> list[pl.Series]:
    """The columns of labels of a table; one that is not there is an error."""
    absent = next((name for name in names if name not in frame.columns), None)
    if absent is not None:
        raise FileError(
            f"{source} has no column {absent!r}. Its columns are {', '.join(frame.columns)}.",
            Fix("Name the columns of labels with ", Option("labels", None), ".", reader="python"),
            Fix("Name the columns of labels with --label.", reader="command"),
        )
    return [frame[name] for name in names]


def scales_of(scale: Any, names: Sequence[str]) -> list[Scale | None]:
    """The scale of each column, lowest label first: "No,Maybe,Sure;Non,Rel,Key", a list of two, or {column: scale}.

    >>> [len(s) for s in scales_of("No,Maybe,Sure;0..3", ("snippet", "page"))]
    [3, 4]
    """
    if scale is None:
        return [None] * len(names)
    if isinstance(scale, Mapping):
        if stranger := next((name for name in scale if name not in names), None):
            raise ScaleError(
                Text(Option("scale", None), f" names {stranger!r}, which is no column of labels."),
                f"The columns are {', '.join(names)}.",
            )
        return [as_scale(scale.get(name)) for name in names]
    parts = scale.split(";") if isinstance(scale, str) else list(scale)
    if len(parts) != len(names) or (not isinstance(scale, str) and all(isinstance(p, str) for p in parts)):
        sets = len(parts) if isinstance(scale, str) else 1
        raise ScaleError(
            f"the scale {scale!r} declares {sets} label set{'s' if sets != 1 else ''}, for {len(names)} columns.",
            Fix("Declare one for each: ", Option("scale", "No,Maybe,Sure;Non,Rel,Key"), "."),
        )
    return [as_scale(part) for part in parts]


def facet(judgments: Judgments, name: str) -> Judgments:
    """The labels of one column alone, of judgments whose labels were put together from several."""
    scale = judgments.scale
    parts = dict(scale.facets)
    if name not in parts:
        known = f"They are {', '.join(parts)}." if parts else "Read them with labels=[…]."
        raise InputError(f"{name!r} is not among the columns that the labels were put together from.", known)
    at, own = list(parts).index(name), parts[name]
    part = [label.split(JOINT)[at] for label in scale.names]
    if not set(part) <= set(own.names):  # the classes of several judges were put together
        _, own = parse_grades(pl.Series(part, dtype=pl.String), None, lambda row: f"the label {scale.names[row]!r}")
    code = np.array([own.grade(label) for label in part], np.int16)
    grade = judgments.grade.astype(np.int16)
    new = np.where(grade < 0, grade, code[np.maximum(grade - scale.low, 0)])
    return replace(judgments, grade=new.astype(np.int8), scale=own, value=None, intents=None)


def on_classes(judgments: Judgments, scale: Scale) -> Judgments:
    """The same labels on a scale that holds all their names."""
    code = np.array([scale.grade(name) for name in judgments.scale.names], np.int16)
    grade = judgments.grade.astype(np.int16)
    new = np.where(grade < 0, grade, code[np.maximum(grade - judgments.scale.low, 0)])
    return replace(judgments, grade=new.astype(np.int8), scale=scale)
