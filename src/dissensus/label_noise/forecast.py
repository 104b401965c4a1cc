"""How much noise would reach the pairs of *these* labels, and what would make them safer.

For rising dNoise: expected and sampled pNoise of the labels as they are, of every way to merge neighbouring grades, and
of two labellings one could have asked for instead: the same grades in equal shares, and one grade more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import Fix, InputError, Option, ScaleError, Text
from dissensus.judging.confusion.api import Confusion
from dissensus.label_noise.counting import from_tables
from dissensus.label_noise.expected import from_counts, known_matrix
from dissensus.results import Result, Table
from dissensus.tables.judgments import Judgments
from dissensus.wording import counted
from dissensus.work.executor import run_units

Counts = NDArray[np.int64]
AS_THEY_ARE, BALANCED, FINER = "as they are", "equal shares", "one grade more"
LEVELS, LEVELS_OF_A_MATRIX = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5), (0.25, 0.5, 0.75, 1.0)
Row = tuple[str, int, float, float | None, float | None, float | None]
MOST_MERGED = 5  # grades up to which every merging is shown; beyond, only cuts into two


MEANINGS = {
    "labels": "the labels as they are, with grades merged, or as you could ask for",
    "grades": "number of grades",
    "expected": "expected pNoise",
    "sampled": "mean pNoise of the draws",
}


@dataclass(frozen=True, eq=False)
class NoiseForecast(Result):
    """`table`: labels, grades, dnoise, expected, sampled, sampled_se; `advice`: one sentence; `notes`: how.

    `dnoise` is the share of the labels as they are that the noise changes; pNoise is null where no pair is in order.
    """

    table: pl.DataFrame
    advice: str
    notes: tuple[str, ...]

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"forecast": Table.of(self.table, MEANINGS)}

    def __str__(self) -> str:
        return "\n".join((str(self.table), self.advice, *self.notes))


def forecast_noise(
    judgments: Judgments,
    profile: str | Confusion = "uniform",
    levels: Sequence[float] | None = None,
    *,
    replicates: int = 20,
    seed: int = 0,
) -> NoiseForecast:
    """Expected and sampled pNoise against dNoise for labels like these, as they are and otherwise.

    `profile` is "uniform" or "distance", and levels are dNoise: merged labels suffer as much of it as the labels as
    they are. Or it is a Confusion C of the labels' scale: level t then means the noise t·C + (1 − t)·I, level 1 is the
    matrix itself, dNoise follows from it, and merging grades merges C with them (rows weighted by how often the grade
    occurs). Each assessor's labels of a topic are one query.

    >>> j = Judgments.from_dict({"gold": {1: {f"d{i}": int(i > 6) for i in range(8)}}})
    >>> print(forecast_noise(j, levels=(0.1,)).advice.partition(";")[0])
    At dNoise 0.1, 21% of the document pairs point the wrong way (pNoise 0.206)

    A forecast for noise that strikes documents independently of each other and of how hard they are.
    """
    grades, query = _labels(judgments)
    k = int(judgments.scale.top) + 1
    if isinstance(profile, Confusion) and len(profile) != k:
        raise ScaleError(
            f"the labels have {k} grades (scale {judgments.scale}), the profile {len(profile)}.",
            Fix("Declare the scale with ", Option("scale"), " if the labels lack some of its grades."),
        )
    levels = tuple(levels if levels is not None else LEVELS if isinstance(profile, str) else LEVELS_OF_A_MATRIX)
    counts = np.bincount(query * k + grades, minlength=(query[-1] + 1) * k).reshape(-1, k)
    if counts.sum(axis=1).max() < 2:
        raise InputError("no query has two labels: there are no document pairs, and no pNoise.")
    share = counts.sum(axis=0) / counts.sum()
    full = 1.0 if isinstance(profile, str) else float(share @ (1 - np.diag(known_matrix(profile))))
    shared = {"grades": grades, "query": query, "counts": counts, "profile": profile, "samples": replicates}
    units: list[list[Any]] = [[list(mapping), float(level)] for mapping in mergings(k) for level in levels]
    found = run_units(noise_of_merging, units, shared=shared, seed=seed, progress="noise levels")
    rows: list[Row] = [
        (_name(tuple(mapping)), mapping[-1] + 1, level * full, *values)
        for (mapping, level), values in zip(units, found, strict=True)
    ]
    rows += _otherwise(profile, levels, full, counts)
    names = ("labels", "grades", "dnoise", "expected", "sampled", "sampled_se")
    kinds = (pl.String, pl.Int64, pl.Float64, pl.Float64, pl.Float64, pl.Float64)
    frame = pl.DataFrame(rows, orient="row", schema=dict(zip(names, kinds, strict=True)))
    shares = ":".join(f"{100 * s:.3g}" for s in share)
    word = profile if isinstance(profile, str) else f"given matrix, which changes {full:.1%} of these labels"
    labels = f"{counted(int(counts.sum()), 'label')} in {len(counts):,} {'query' if len(counts) == 1 else 'queries'}"
    asked = f"'{BALANCED}' is a labelling"
    if isinstance(profile, str):
        asked = f"'{BALANCED}' and '{FINER}' (the commonest split in two) are labellings"
    notes = [
        f"profile {word}; {labels}, shares of the grades {shares}%",
        f"expected: ratio of expected pairs, from each query's counts; sampled: mean of {replicates}, seed {seed}",
        f"{asked} to ask for: expected values only",
    ]
    if not isinstance(profile, str):
        notes.insert(1, "level t mixes the matrix with labels left alone, t·C + (1 − t)·I; dnoise is what comes of it")
    if frame["expected"].null_count():
        notes.append("no pNoise where no pair is in order: merged labels that are all equal, without noise")
    if frame.filter(pl.col("expected").is_not_null() & ~pl.col("labels").is_in([BALANCED, FINER]))[
        "sampled"
    ].has_nulls():
        notes.append("no sampled value where some draw put no pair in order")
    noisy = [t for t in levels if t > 0] or list(levels)  # a sentence about no noise says nothing
    level = min(noisy, key=lambda t: abs(t - (0.1 if isinstance(profile, str) else 1.0)))
    return NoiseForecast(frame, _advice(frame, level * full), tuple(notes))


def noise_of_merging(
    unit: list[Any],
    rng: np.random.Generator,
    grades: Counts,
    query: Counts,
    counts: Counts,
    profile: str | Confusion,
    samples: int,
) -> tuple[float | None, float | None, float | None]:
    """(expected, sampled, its standard error) of one merging of grades at one level of noise; None where undefined."""
    mapping, level = unit
    table = np.array(mapping)
    by_query = _merge_columns(counts, table, mapping[-1] + 1)
    matrix = _matrix(profile, level, table, counts.sum(axis=0))
    drawn = [_sampled(table[grades], query, matrix, rng) for _ in range(samples)]
    expected = _expected(by_query.astype(np.float64), matrix)
    if np.isnan(drawn).any():
        return expected, None, None
    error = float(np.std(drawn, ddof=1) / np.sqrt(samples)) if samples > 1 else None
    return expected, float(np.mean(drawn)), error


def _expected(counts: NDArray[np.float64], matrix: Confusion) -> float | None:
    """Expected pNoise; None where labels never differ, so that no pair is in order."""
    try:
        return from_counts(counts, matrix)
    except InputError:
        return None


def mergings(grades: int) -> list[tuple[int, ...]]:
    """Ways to merge neighbouring grades, the labels as they are first; never all into one.

    >>> mergings(3)
    [(0, 1, 2), (0, 1, 1), (0, 0, 1)]
    """
    if grades > MOST_MERGED:
        cuts = [tuple(int(g >= c) for g in range(grades)) for c in range(1, grades)]
        return [tuple(range(grades)), *cuts]
    ways = (np.cumsum((0, *steps)).tolist() for steps in product((1, 0), repeat=grades - 1))
    return sorted((tuple(w) for w in ways if w[-1] > 0), key=lambda w: -w[-1])


def _labels(judgments: Judgments) -> tuple[Counts, Counts]:
    """(grade, query) of all first judgments with a grade, sorted by query: an assessor's labels of a topic."""
    if not judgments.scale.ordered:
        raise ScaleError(
            f"the grades {judgments.scale} have no order.",
            Fix("Declare it, lowest grade first, with ", Option("scale"), "."),
        )
    rows = np.flatnonzero((judgments.repeat == 0) & (judgments.grade >= 0))
    if not len(rows):
        raise InputError("there are no labels with a grade.")
    unit = judgments.item_topic[judgments.item[rows]].astype(np.int64) * len(judgments.assessors)
    query = np.unique(unit + judgments.assessor[rows], return_inverse=True)[1]
    order = np.argsort(query, kind="stable")
    return judgments.grade[rows][order].astype(np.int64), query[order]


def _merge_columns(counts: Counts, table: Counts, n: int) -> Counts:
    out = np.zeros((len(counts), n), np.int64)
    np.add.at(out.T, table, counts.T)
    return out


def _matrix(profile: str | Confusion, level: float, table: Counts, share: Counts) -> Confusion:
    n = int(table[-1]) + 1
    if isinstance(profile, str):
        if profile not in ("uniform", "distance"):
            raise InputError(Text(Option("profile", profile), ' is none of "uniform", "distance", or a Confusion.'))
        return Confusion.uniform(n, level) if profile == "uniform" else Confusion.distance(n, level)
    mixed = level * np.asarray(profile.matrix) + (1 - level) * np.eye(len(profile))
    merged, weight = np.zeros((n, n)), np.zeros(n)
    for g, row in enumerate(mixed):
        w = max(float(share[g]), 1e-12)  # a grade that never occurs must not leave its row empty
        np.add.at(merged[table[g]], table, w * row)
        weight[table[g]] += w
    return Confusion(merged / weight[:, None])


def _sampled(grades: Counts, query: Counts, matrix: Confusion, rng: np.random.Generator) -> float:
    k = len(matrix)
    noisy = matrix.sample(grades, rng).astype(np.int64)
    tables = np.bincount((query * k + grades) * k + noisy, minlength=(query[-1] + 1) * k * k).reshape(-1, k, k)
    ordered, inverse, new = (int(x.sum()) for x in from_tables(tables))
    return (inverse + 0.5 * new) / ordered if ordered else float("nan")


def _otherwise(profile: str | Confusion, levels: Sequence[float], full: float, counts: Counts) -> list[Row]:
    """The same grades in equal shares; and, for named profiles, the largest grade split in two."""
    k = counts.shape[1]
    total = counts.sum(axis=0)
    even = np.repeat(counts.sum(axis=1, keepdims=True) / k, k, axis=1)
    rows: list[Row] = [
        (BALANCED, k, t * full, _expected(even, _matrix(profile, t, np.arange(k), total)), None, None) for t in levels
    ]
    if isinstance(profile, str):
        largest = int(total.argmax())
        half = counts[:, largest] / 2
        finer = np.insert(counts.astype(np.float64), largest, half, axis=1)
        finer[:, largest + 1] = half
        rows += [
            (FINER, k + 1, t, _expected(finer, _matrix(profile, t, np.arange(k + 1), total)), None, None)
            for t in levels
        ]
    return rows


def _name(mapping: tuple[int, ...]) -> str:
    if mapping == tuple(range(len(mapping))):
        return AS_THEY_ARE
    groups = ["+".join(str(g) for g, m in enumerate(mapping) if m == new) for new in range(mapping[-1] + 1)]
    return "merged " + " | ".join(groups)


def _advice(frame: pl.DataFrame, dnoise: float) -> str:
    """One sentence about the labels at one level of noise."""
    at = dict(frame.filter(pl.col("dnoise") == dnoise).select("labels", "expected").iter_rows())
    now = at[AS_THEY_ARE]
    if dnoise == 0:
        return "Without noise no pair of documents points the wrong way: give levels above 0."
    if now is None:
        return f"At dNoise {dnoise:.3g} no pair of documents is in order: these labels are all equal."
    merged = {name: v for name, v in at.items() if name.startswith("merged") and v is not None}
    best = min(merged, key=lambda name: merged[name]) if merged else None
    words = [f"At dNoise {dnoise:.3g}, {now:.0%} of the document pairs point the wrong way (pNoise {now:.3f})"]
    if best is not None:
        verb = "would lower it to" if merged[best] < now - 5e-4 else "would not help: at best"
        words.append(f"merging grades {verb} {merged[best]:.3f} ({best.removeprefix('merged ')})")
    for what, name in (("equal shares of the grades", BALANCED), ("one grade more", FINER)):
        then = at.get(name)
        if then is not None:
            words.append(f"{what} would {_change(now, then)}")
    return "; ".join(words) + "."


def _change(now: float, then: float) -> str:
    """
    >>> _change(0.2, 0.1), _change(0.2, 0.2001)
    ('lower it to 0.100', 'leave it at 0.200')
    """
    if abs(then - now) < 5e-4:
        return f"leave it at {then:.3f}"
    return f"{'lower' if then < now else 'raise'} it to {then:.3f}"
