"""Confusion: how a judge's labels go astray, c_ij = P(observed j | reference i).

Rows are the reference and sum to 1. The counts behind the matrix stay with it: every interval built on a confusion
matrix needs to know from how many documents each row was learned. How they are counted is in `counting`; the rules that
a matrix must keep are at the end, each with the sentence that is said when it is broken.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from dissensus.arrays import Floats, Values
from dissensus.errors import ConfusionError, DissensusError, FileError, Fix, Option, Text
from dissensus.results import Result, Table, Tables
from dissensus.tables.scale import Scale, as_scale
from dissensus.work.seeds import generator

MEANINGS = {
    "reference": "grade that the reference gave",
    "observed": "grade that the judge gave",
    "probability": "chance that the judge gives it to a document of this reference grade",
    "count": "number of documents with these two grades",
}
ROUNDING = 1e-6  # how far a row may be from summing to 1 before it is an error


@dataclass(frozen=True, eq=False)
class Confusion(Result):
    """A confusion matrix with its counts and its scale.

    `Confusion(matrix)` takes probabilities; `Confusion(None, counts)` divides counts by their row sums. A row without
    counts is unknown: it holds NaN, and whatever needs it says so instead of inventing it.

    >>> c = Confusion([[0.9, 0.1], [0.3, 0.7]])
    >>> c.matrix[1, 0]
    np.float64(0.3)
    >>> c.sample([0, 0, 1, 1], seed=4).tolist()
    [1, 0, 1, 0]
    >>> print(Confusion(None, counts=[[67, 17], [16, 43]]))
    P(the judge says | reference says)
    reference      →0      →1   n  n→0  n→1
    ─────────  ──────  ──────  ──  ───  ───
    0          0.7976  0.2024  84   67   17
    1          0.2712  0.7288  59   16   43

    Not for rankings: a matrix says nothing about *where* in a ranking errors fall.
    """

    matrix: Floats
    counts: NDArray[np.float64] | None = None
    scale: Scale = None  # type: ignore[assignment]  # 0…K−1 unless given
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        matrix: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        scale: Scale | str | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        number = None if counts is None else square(counts, "counts")
        if matrix is None:
            if number is None:
                raise ConfusionError("Confusion() got neither a matrix nor counts.", "Give one of the two.")
            probability = shares(number)
        else:
            probability = square(matrix, "matrix")
        if number is not None:
            check_counts(number, probability)
        known = as_scale(scale) or Scale.range(0, len(probability) - 1, declared=False)
        if len(known) != len(probability):
            raise ConfusionError(
                f"the matrix has {len(probability)} rows but the scale {known} has {len(known)} grades.",
                "One row and one column per grade of the scale, lowest grade first.",
            )
        check_rows(probability, number, known)
        for array in (probability, number):
            if array is not None:
                array.setflags(write=False)
        for name, value in (("matrix", probability), ("counts", number), ("scale", known), ("notes", tuple(notes))):
            object.__setattr__(self, name, value)

    # ── noise profiles (METHODS §11) ──
    @classmethod
    def uniform(cls, grades: int | Scale, noise: float) -> Confusion:
        """Each label kept with probability 1 − noise, else changed to every other grade with the same probability.

        >>> Confusion.uniform(3, 0.2).matrix[0].tolist()
        [0.8, 0.1, 0.1]
        """
        scale = noise_grades(grades, noise, "uniform")
        k = len(scale)
        matrix = np.full((k, k), noise / (k - 1))
        np.fill_diagonal(matrix, 1 - noise)
        return cls(matrix, scale=scale)

    @classmethod
    def distance(cls, grades: int | Scale, noise: float) -> Confusion:
        """Each label kept with probability 1 − noise, else changed to grade j with probability ∝ 1/|i − j|.

        >>> Confusion.distance(3, 0.3).matrix[0].round(3).tolist()
        [0.7, 0.2, 0.1]
        """
        scale = noise_grades(grades, noise, "distance")
        gap = np.abs(np.subtract.outer(np.arange(len(scale)), np.arange(len(scale)))).astype(np.float64)
        near = np.divide(1.0, gap, out=np.zeros_like(gap), where=gap > 0)
        matrix = noise * near / near.sum(axis=1, keepdims=True)
        np.fill_diagonal(matrix, 1 - noise)
        return cls(matrix, scale=scale)

    # ── use ──
    @property
    def n(self) -> NDArray[np.float64] | None:
        """How many reference labels each row rests on; None for a matrix without counts."""
        return None if self.counts is None else self.counts.sum(axis=1)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Names of the reference grades whose row is not known."""
        return tuple(name for name, row in zip(self.scale.names, self.matrix, strict=True) if np.isnan(row[0]))

    def sample(self, labels: ArrayLike, seed: int | np.random.Generator = 0) -> NDArray[np.int8]:
        """One observed grade for every reference grade; labels below zero (unjudged) stay as they are."""
        grades = np.asarray(labels)
        if grades.size and not np.issubdtype(grades.dtype, np.integer):
            raise ConfusionError(f"labels are whole-number grades, not {grades.dtype}.")
        judged = grades >= 0
        level = grades[judged].astype(np.int64) - self.scale.low
        if level.size and (level.min() < 0 or level.max() >= len(self.scale)):
            wrong = int(grades[judged][(level < 0) | (level >= len(self.scale))][0])
            raise ConfusionError(f"the label {wrong} is not a grade of the matrix's scale {self.scale}.")
        if self.unknown and np.isnan(self.matrix[np.unique(level), 0]).any():
            raise ConfusionError(
                f"no observed labels are known for the reference grade {', '.join(self.unknown)}.",
                "Smooth the matrix first: confusion.smoothed(1).",
            )
        draw = (seed if isinstance(seed, np.random.Generator) else generator(seed)).random(level.shape)
        reached = np.cumsum(np.nan_to_num(self.matrix), axis=1)
        new = np.zeros(level.shape, np.int8)
        for step in range(len(self.scale) - 1):
            new += draw >= reached[level, step]
        out = grades.astype(np.int8)
        out[judged] = new + np.int8(self.scale.low)
        return out

    def smoothed(self, alpha: float) -> Confusion:
        """Rows estimated with a pseudo-count `alpha` in every cell (the mean of a Dirichlet posterior).

        >>> Confusion(None, counts=[[9, 1], [0, 0]]).smoothed(1).matrix.round(3).tolist()
        [[0.833, 0.167], [0.5, 0.5]]
        """
        if self.counts is None:
            raise ConfusionError("a matrix without counts cannot be smoothed.", "Give the counts it was computed from.")
        if not np.isfinite(alpha) or alpha < 0:
            raise ConfusionError(Text(Option("smoothing", alpha), ": a pseudo-count must be at least 0."))
        note = (f"{alpha:g} added to every cell",) if alpha else ()
        return Confusion(shares(self.counts + alpha), self.counts, self.scale, (*self.notes, *note))

    def __len__(self) -> int:
        return len(self.matrix)

    # ── going to ──
    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"confusion": Table.of(self._rows(), MEANINGS)}

    def screen(self, whole: bool = False) -> Tables:
        """The matrix, a row per grade of the reference."""
        return self.across()

    def across(self, reference: str = "reference", observed: str = "the judge") -> Tables:
        """The matrix with its counts, a row per grade of the reference, under these names."""
        grades = self.scale.names
        columns: Values = {reference: list(grades)}
        columns |= {f"→{g}": self.matrix[:, j] for j, g in enumerate(grades)}
        meanings = {reference: f"grade that {reference} gave"}
        meanings |= {f"→{g}": f"chance that {observed} then says {g}" for g in grades}
        if self.counts is not None:
            whole = (self.counts == np.round(self.counts)).all()
            counts = self.counts.astype(int) if whole else self.counts
            columns |= {"n": counts.sum(axis=1), **{f"n→{g}": counts[:, j] for j, g in enumerate(grades)}}
            meanings |= {"n": f"documents with this grade of {reference}"}
            meanings |= {f"n→{g}": f"those that {observed} graded {g}" for g in grades}
        table = Table.of(pl.DataFrame(columns), meanings, titles={name: name for name in columns})
        return Tables({"confusion": table}, f"P({observed} says | {reference} says)", self.notes)

    def _rows(self) -> pl.DataFrame:
        """Polars frame reference, observed, probability, count."""
        k, names = len(self), self.scale.names
        return pl.DataFrame(
            {
                "reference": [names[i] for i in range(k) for _ in range(k)],
                "observed": list(names) * k,
                "probability": self.matrix.ravel(),
                "count": pl.Series([None] * k * k if self.counts is None else self.counts.ravel(), dtype=pl.Float64),
            }
        )

    def to_json(self) -> str:
        """The text that `Confusion.from_json` reads back."""
        return json.dumps(
            {
                "kind": "confusion",
                "scale": {"names": list(self.scale.names), "low": self.scale.low, "ordered": self.scale.ordered},
                "matrix": [[None if np.isnan(p) else p for p in row] for row in self.matrix.tolist()],
                "counts": None if self.counts is None else self.counts.tolist(),
                "notes": list(self.notes),
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> Confusion:
        """A confusion from the text of `to_json`, or from {"matrix": …} or {"counts": …} written by hand.

        >>> Confusion.from_json('{"matrix": [[1, 0], [0.5, 0.5]]}').matrix[1, 0]
        np.float64(0.5)
        """
        try:
            content: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ConfusionError(f"this is not JSON: {error}.") from error
        if not isinstance(content, dict) or not (content.get("matrix") or content.get("counts")):
            raise ConfusionError(
                "a confusion in JSON is an object with 'matrix' or 'counts', a list of rows.",
                'For example {"matrix": [[0.9, 0.1], [0.3, 0.7]], "scale": ["no", "yes"]}.',
            )
        try:
            return cls._from_content(content)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, DissensusError):
                raise
            raise ConfusionError(
                f"a confusion in JSON has rows of numbers, and a scale of names ({type(error).__name__}: {error})."
            ) from error

    @classmethod
    def _from_content(cls, content: Values) -> Confusion:
        scale = content.get("scale")
        if isinstance(scale, dict):
            scale = Scale(tuple(scale["names"]), int(scale.get("low", 0)), ordered=bool(scale.get("ordered", True)))
        elif isinstance(scale, list):
            scale = Scale(tuple(scale))
        matrix = content.get("matrix")
        if matrix is not None:
            matrix = [[np.nan if p is None else p for p in row] for row in matrix]
        return cls(matrix, content.get("counts"), scale, tuple(content.get("notes", ())))

    @classmethod
    def read(cls, path: str | Path) -> Confusion:
        """A confusion from a JSON file."""
        try:
            text = Path(path).read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"{path} cannot be read as text: {getattr(error, 'strerror', None) or error}.") from error
        try:
            return cls.from_json(text)
        except DissensusError as error:
            raise ConfusionError(f"{path}: {error.what}", *error.fixes) from error


def as_confusion(given: Confusion | ArrayLike) -> Confusion:
    """A confusion as it is, or made of a plain matrix."""
    return given if isinstance(given, Confusion) else Confusion(given)


# ── the rules ──
def square(values: ArrayLike, what: str) -> Floats:
    """A square table of numbers from what users write."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfusionError(f"the {what} is not a table of numbers: {error}.") from error
    if array.ndim != 2 or array.shape[0] != array.shape[1] or len(array) < 1:
        raise ConfusionError(f"the {what} has shape {array.shape}; a confusion is square, one row per grade.")
    return array


def shares(counts: Floats) -> Floats:
    """Rows divided by their sums; NaN for a row without counts."""
    total = counts.sum(axis=1, keepdims=True)
    out: Floats = np.divide(counts, total, out=np.full_like(counts, np.nan), where=total > 0)
    return out


def check_counts(counts: Floats, matrix: Floats) -> None:
    """Counts are finite, not negative, and as many as the matrix has cells."""
    if counts.shape != matrix.shape:
        raise ConfusionError(f"the counts have shape {counts.shape}, the matrix {matrix.shape}.")
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise ConfusionError("counts must be finite numbers, at least 0.")


def check_rows(matrix: Floats, counts: Floats | None, scale: Scale) -> None:
    """Every row is a distribution, or unknown for want of counts."""
    for i, row in enumerate(matrix):
        name = scale.names[i]
        if np.isnan(row).all() and counts is not None and not counts[i].any():
            continue  # nothing is known of this grade
        if not np.isfinite(row).all() or (row < 0).any() or (row > 1 + ROUNDING).any():
            raise ConfusionError(f"row {name} of the matrix holds {row.tolist()}; probabilities lie between 0 and 1.")
        if abs(row.sum() - 1) > ROUNDING:
            raise ConfusionError(
                f"row {name} of the matrix sums to {row.sum():.6g}, not 1.",
                "Rows are the reference: row i holds P(observed j | reference i). Is the matrix transposed?",
                Fix("Counts are Confusion(None, counts=…).", reader="python"),
                'In a file, counts are {"counts": [[160, 40], [30, 170]]}.',
            )


def noise_grades(grades: int | Scale, noise: float, profile: str) -> Scale:
    """The scale of a noise profile, its arguments checked."""
    if not isinstance(noise, int | float | np.floating) or not 0 <= noise <= 1:
        raise ConfusionError(f"Confusion.{profile}(noise={noise!r}): the noise is a share between 0 and 1.")
    if isinstance(grades, bool) or not isinstance(grades, int | np.integer | Scale):
        raise ConfusionError(f"Confusion.{profile}(grades={grades!r}): give the number of grades, or a Scale.")
    n = len(grades) if isinstance(grades, Scale) else int(grades)
    if n < 2:
        raise ConfusionError(f"Confusion.{profile} needs at least 2 grades, not {n}.")
    return grades if isinstance(grades, Scale) else Scale.range(0, n - 1)
