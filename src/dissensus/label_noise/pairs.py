"""pNoise: the share of document pairs that noisy labels put in the wrong order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.errors import Fix, InputError, Option, ScaleError
from dissensus.io.options import ReadKeywords
from dissensus.label_noise.counting import count_pairs, from_tables
from dissensus.results import Result, Table
from dissensus.tables.coercion import coerced
from dissensus.tables.judgments import Judgments
from dissensus.wording import counted

CELLS = 4_000_000  # size of the block of contingency tables counted at once
Labels = NDArray[np.int16]


@dataclass(frozen=True)
class PairNoise(Result):
    """pNoise of one labelling against another: pooled over queries, and per query.

    `float(result)` is the pooled value (inverse + ½·new) / ordered. Queries whose noisy labels put no pair in order
    have none of their own (null in `per_topic`).
    """

    value: float
    documents: int
    ordered: int
    inverse: int
    new: int
    changed: float  # dNoise: the share of documents whose label differs
    per_topic: pl.DataFrame
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"topics": Table.of(self.per_topic)}

    @property
    def facts(self) -> Values:
        """The single values of the result."""
        counts = {"documents": self.documents, "ordered": self.ordered, "inverse": self.inverse, "new": self.new}
        return {"pnoise": self.value, "dnoise": self.changed, **counts}

    @property
    def claims(self) -> tuple[str, ...]:
        """The pooled value and what it is made of."""
        return (self.sentence(),)

    def __str__(self) -> str:
        return "\n".join((self.sentence(), *self.notes))

    def sentence(self) -> str:
        """The pooled value and what it is made of, in words."""
        pnoise = f"pNoise {self.value:.4f}" if self.ordered else "pNoise undefined"
        return (
            f"{pnoise}: of {counted(self.ordered, 'ordered document pair')} {self.inverse:,} are inverse and "
            f"{self.new:,} new, half of which count; {self.changed:.1%} of {counted(self.documents, 'label')} differ "
            "(dNoise)"
        )


@coerced
def pair_noise(original: Judgments, noisy: Judgments, **reading: Unpack[ReadKeywords]) -> PairNoise:
    """pNoise: the share of ordered document pairs that noise in the labels puts in the wrong order.

    pNoise = (inverse + ½·new) / ordered over pairs of documents of one query that the noisy labels put in order.
    Inverse: ordered the other way in the original. New: tied there (Niu et al. 2015, §4.2). It says nothing about ties
    that the noise made: labels all equal have no ordered pair, hence no pNoise.

    Parameters
    ----------
    original
        The labels without noise.
    noisy
        The labels with it. Only documents with a grade in both count, and only first judgments. One assessor on
        each side are compared whatever their names.

    Returns
    -------
    PairNoise
        `float(result)` is pooled over topics. Its table:

        - `topics`: topic, assessor, documents, dnoise, ordered, inverse, new, pnoise

    Examples
    --------
    >>> gold = Judgments.from_dict({"gold": {1: {"a": 2, "b": 1, "c": 1, "d": 0}}})
    >>> crowd = Judgments.from_dict({"crowd": {1: {"a": 2, "b": 2, "c": 0, "d": 1}}})
    >>> float(pair_noise(gold, crowd))
    0.3
    """
    for labels, side in ((original, "original"), (noisy, "noisy")):
        if not isinstance(labels, Judgments):
            raise InputError(
                f"{side} is a {type(labels).__name__}; pair_noise compares two sets of judgments.",
                "Read them with read_judgments, or make them: Judgments.from_dict({assessor: {topic: {doc: grade}}}).",
            )
        if not labels.scale.ordered:
            raise ScaleError(
                f"the grades of {side} ({labels.scale}) have no order.",
                Fix("Declare the scale, lowest grade first, with ", Option("scale"), "."),
            )
    before, after, unit, names, notes = _side_by_side(original, noisy)
    n = np.bincount(unit, minlength=len(names))
    changed = np.bincount(unit, before != after, minlength=len(names))
    ordered, inverse, new = _per_unit(before, after, unit, len(names))
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (inverse + 0.5 * new) / ordered
        share = changed / n
    none = int(np.count_nonzero(ordered == 0))
    if none:
        notes = (*notes, f"{none:,} of {len(names):,} queries have no ordered pair in the noisy labels")
    table = pl.DataFrame(
        {
            "topic": [t for t, _ in names],
            "assessor": [a for _, a in names],
            "documents": n,
            "dnoise": share,
            "ordered": ordered,
            "inverse": inverse,
            "new": new,
            "pnoise": pl.Series(value).fill_nan(None),
        }
    )
    total = int(ordered.sum())
    pooled = float((inverse.sum() + 0.5 * new.sum()) / total) if total else float("nan")
    return PairNoise(
        pooled,
        len(before),
        total,
        int(inverse.sum()),
        int(new.sum()),
        float(changed.sum() / len(before)),
        table,
        tuple(notes),
    )


def _per_unit(before: Labels, after: Labels, unit: NDArray[np.int64], units: int) -> tuple[NDArray[np.int64], ...]:
    """(ordered, inverse, new) per query."""
    k = int(before.max()) + 1, int(after.max()) + 1
    cells = k[0] * k[1]
    out = np.zeros((3, units), np.int64)
    bounds = np.searchsorted(unit, np.arange(units + 1))
    if cells * units > CELLS and cells > 4 * len(before) / units:  # many grades, few documents: total orders
        for u in range(units):
            rows = slice(bounds[u], bounds[u + 1])
            counts = count_pairs(before[rows], after[rows])
            out[:, u] = counts.ordered, counts.inverse, counts.new
        return tuple(out)
    step = max(CELLS // cells, 1)
    for first in range(0, units, step):
        last = min(first + step, units)
        rows = slice(bounds[first], bounds[last])
        cell = ((unit[rows] - first) * k[0] + before[rows]) * k[1] + after[rows]
        table = np.bincount(cell, minlength=(last - first) * cells).reshape(last - first, *k)
        out[:, first:last] = from_tables(table)
    return tuple(out)


def _side_by_side(
    original: Judgments, noisy: Judgments
) -> tuple[Labels, Labels, NDArray[np.int64], list[tuple[str, str]], tuple[str, ...]]:
    """Labels of both sides, document by document, sorted by query; names of the queries (topic, assessor)."""
    names: list[tuple[str, str]] = []
    parts: list[tuple[Labels, Labels]] = []
    unit: list[NDArray[np.int64]] = []
    lost = [0, 0]
    matched = _matched_assessors(original, noisy)
    for one, other in matched:
        left, right = _labels_of(original, one), _labels_of(noisy, other)
        both = left.join(right, on=["topic", "doc"], suffix="_noisy", maintain_order="left")
        lost[0] += left.height - both.height
        lost[1] += right.height - both.height
        topics = both["topic"].unique(maintain_order=True).to_list()
        position = {t: len(names) + i for i, t in enumerate(topics)}
        unit.append(both["topic"].replace_strict(position, return_dtype=pl.Int64).to_numpy())
        names += [(t, other) for t in topics]
        parts.append((both["grade"].to_numpy().astype(np.int16), both["grade_noisy"].to_numpy().astype(np.int16)))
    if not names:
        raise InputError(
            "the two sets of judgments share no document with a grade.", "Topics and documents are matched by name."
        )
    notes = _left_out(original, noisy, matched)
    notes += tuple(
        f"{counted(count, 'label')} of {side} without a partner left out"
        for count, side in zip(lost, ("original", "noisy"), strict=True)
        if count
    ) + tuple(
        f"{counted(labels.n_repeats(), 'repeated judgment')} of {side} left out"
        for labels, side in ((original, "original"), (noisy, "noisy"))
        if labels.n_repeats()
    )
    before, after = (np.concatenate([p[i] for p in parts]) for i in (0, 1))
    return before, after, np.concatenate(unit), names, notes


def _matched_assessors(original: Judgments, noisy: Judgments) -> list[tuple[str, str]]:
    if len(original.assessors) == 1:
        return [(original.assessors[0], other) for other in noisy.assessors]
    shared = [a for a in original.assessors if a in noisy.assessors]
    if not shared:
        raise InputError(
            f"no assessor is on both sides: original has {', '.join(original.assessors[:5])}, "
            f"noisy {', '.join(noisy.assessors[:5])}.",
            "Give one original assessor, or the same names on both sides.",
            Fix("Pick one with judgments.select(assessors=[…]).", reader="python"),
        )
    return [(a, a) for a in shared]


def _left_out(original: Judgments, noisy: Judgments, matched: list[tuple[str, str]]) -> tuple[str, ...]:
    """Assessors that are on one side only."""
    out = []
    for labels, side, used in (
        (original, "original", [a for a, _ in matched]),
        (noisy, "noisy", [b for _, b in matched]),
    ):
        alone = [a for a in labels.assessors if a not in used]
        if alone:
            shown = ", ".join(alone[:5]) + (" …" if len(alone) > 5 else "")
            out.append(f"{counted(len(alone), 'assessor')} of {side} not on the other side and left out: {shown}")
    return tuple(out)


def _labels_of(judgments: Judgments, assessor: str) -> pl.DataFrame:
    """Frame topic, doc, grade of one assessor's first judgments, sorted by topic."""
    rows = np.flatnonzero(
        (judgments.assessor == judgments.assessors.index(assessor)) & (judgments.repeat == 0) & (judgments.grade >= 0)
    )
    item = judgments.item[rows]
    topics = np.array(judgments.topics, dtype=object)[judgments.item_topic[item]]
    return pl.DataFrame(
        {
            "topic": pl.Series(topics, dtype=pl.String),
            "doc": pl.Series(judgments.doc_ids(item), dtype=pl.String),
            "grade": judgments.grade[rows],
        }
    )
