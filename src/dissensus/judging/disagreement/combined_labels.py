"""Two labels of one document as one: (snippet, page) and other combined label sets (S1 §7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from dissensus.errors import Fix, InputError, Option
from dissensus.io.files import find_files
from dissensus.io.options import RoleOptions
from dissensus.io.table import read_table
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale
from dissensus.wording import counted

JOINT = ", "


def paired_labels(first: Judgments, second: Judgments) -> Judgments:
    """Judgments whose labels are pairs "first, second", of the documents an assessor gave both labels.

    Pairs have no order of their own: name the top one, for example `disagreement(pairs, top=("Sure", "Key"))`.

    >>> snippet = Judgments.from_dict({"a": {1: {"x": "Sure"}}}, scale=("No", "Sure"))
    >>> page = Judgments.from_dict({"a": {1: {"x": "Key"}}}, scale=("Non", "Key"))
    >>> paired_labels(snippet, page).to_frame()["grade"].to_list()
    ['Sure, Key']
    """
    on = ["topic", "doc", "assessor"]
    frames = []
    for side in (first, second):
        judged = side.first().judged()
        names = pl.Series("grade", [side.scale.name(int(g)) for g in judged.grade], dtype=pl.String)
        frames.append(judged.to_frame().with_columns(names))
    both = frames[0].join(frames[1], on=on, how="inner", suffix=".second", maintain_order="left")
    if not both.height:
        raise InputError(
            "no assessor gave any document both labels.", "Check that topics, documents and assessors match."
        )
    label = both["grade"] + JOINT + both["grade.second"]
    scale = Scale(tuple(a + JOINT + b for a in first.scale.names for b in second.scale.names), ordered=False)
    pairs = Judgments.from_frame(both.select(*on, grade=label), scale=scale)
    lost = len(first) + len(second) - 2 * both.height
    if not lost:
        return pairs
    return replace(pairs, notes=(*pairs.notes, f"{counted(lost, 'label')} without their counterpart left out"))


def read_label_pairs(
    paths: Sequence[str], columns: Sequence[str], scales: str | None = None, options: RoleOptions | None = None
) -> Judgments:
    """Paired labels from tables that hold both labels of a judgment in two columns; see `read_two_labels`."""
    return paired_labels(*read_two_labels(paths, columns, scales, options))


def read_two_labels(
    paths: Sequence[str],
    columns: Sequence[str],
    scales: str | None = None,
    options: RoleOptions | None = None,
) -> tuple[Judgments, Judgments]:
    """Both label sets of tables that hold them in two columns.

    `scales` may declare both label sets, lowest first, separated by a semicolon: "No,Maybe,Sure;Non,Rel,Key".
    """
    if len(columns) != 2:
        raise InputError(
            f"{len(columns)} label column{'s were' if len(columns) != 1 else ' was'} named; a pair has two.",
            Fix("Name both: ", Option("label", "snippet"), " ", Option("label", "page"), reader="command"),
        )
    declared = [part.strip() for part in scales.split(";")] if scales else [None, None]
    if len(declared) != 2:
        raise InputError(
            f"the scale {scales!r} declares {len(declared)} label set{'s' if len(declared) != 1 else ''}; a "
            "pair has two.",
            "Write both, a semicolon between them: No,Maybe,Sure;Non,Rel,Key",
        )
    parts: tuple[list[Any], list[Any]] = ([], [])
    for path in find_files(paths, "read_judgments"):
        table = read_table(path, options)
        frame = table.frame
        missing = [c for c in columns if c not in frame.columns]
        if missing:
            raise InputError(
                f"{path} has no column {missing[0]!r}; its columns are {', '.join(frame.columns)}.",
                Fix("Name the two label columns with ", Option("label", None), ".", reader="command"),
            )
        keys = {role: table[role] for role in ("topic", "doc", "assessor")}
        for side, column in zip(parts, columns, strict=True):
            side.append(frame.select(grade=column).with_columns(s.alias(role) for role, s in keys.items()))

    first, second = (
        Judgments.from_frame(pl.concat(side, how="diagonal_relaxed"), scale=scale, repeated="first")
        for side, scale in zip(parts, declared, strict=True)
    )
    return first, second
