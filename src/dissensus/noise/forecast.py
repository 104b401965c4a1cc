"""How much noise would reach the pairs of *these* labels, and what would make them safer.

For rising dNoise: expected and sampled pNoise of the labels as they are, of every way to merge neighbouring grades, and
of two labellings one could have asked for instead: the same grades in equal shares, and one grade more.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dissensus.data.judgments import Judgments
from dissensus.errors import InputError, ScaleError
from dissensus.judges.confusion import Confusion
from dissensus.noise.counting import from_tables
from dissensus.noise.expected import expected_pair_noise, from_counts
from dissensus.work.executor import run_units

if TYPE_CHECKING:
    import polars as pl

Counts = NDArray[np.int64]
AS_THEY_ARE, BALANCED, FINER = "as they are", "equal shares", "one grade more"
MOST_MERGED = 5  # grades up to which every merging is shown; beyond, only cuts into two


@dataclass(frozen=True, eq=False)
class NoiseForecast:
    """`table`: labels, grades, dnoise, expected, sampled, sampled_se; `advice`: one sentence; `notes`: how."""

    table: pl.DataFrame
    advice: str
    notes: tuple[str, ...]

    def to_frame(self) -> pl.DataFrame:
        return self.table

    def to_json(self) -> str:
        return json.dumps({"table": self.table.to_dicts(), "advice": self.advice, "notes": self.notes})

    def __str__(self) -> str:
        return "\n".join((str(self.table), self.advice, *self.notes))


def forecast_noise(
    judgments: Judgments,
    profile: str | Confusion = "uniform",
    levels: Sequence[float] = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
    *,
    samples: int = 20,
    seed: int = 0,
) -> NoiseForecast:
    """Expected and sampled pNoise against dNoise for labels like these, as they are and otherwise.

    `profile` is "uniform", "distance", or a Confusion C of the labels' scale: level t then means t·C + (1 − t)·I, and
    merging grades merges C with them (rows weighted by how often the grade occurs). For the two named profiles the
    merged labels suffer the same dNoise as the labels as they are. Each assessor's labels of a topic are one query.

    >>> j = Judgments.from_dict({"gold": {1: {f"d{i}": int(i > 6) for i in range(8)}}})
    >>> print(forecast_noise(j, levels=(0.1,)).advice.partition(";")[0])
    At dNoise 0.1, 21% of the document pairs point the wrong way (pNoise 0.206)

    A forecast for noise that strikes documents independently of each other and of how hard they are.
    """
    import polars as pl

    grades, query = _labels(judgments)
    k = int(judgments.scale.top) + 1
    if isinstance(profile, Confusion) and len(profile) != k:
        raise ScaleError(
            f"the labels have {k} grades (scale {judgments.scale}), the profile {len(profile)}.",
            "Declare the scale with scale=… if the labels lack some of its grades.",
        )
    counts = np.bincount(query * k + grades, minlength=(query[-1] + 1) * k).reshape(-1, k)
    shared = {"grades": grades, "query": query, "counts": counts, "profile": profile, "samples": samples}
    units: list[list[Any]] = [[list(mapping), float(level)] for mapping in mergings(k) for level in levels]
    found = run_units(noise_of_merging, units, shared=shared, seed=seed, progress="noise levels")
    rows: list[tuple[str, int, float, float, float | None, float | None]] = [
        (_name(tuple(mapping)), mapping[-1] + 1, level, *values)
        for (mapping, level), values in zip(units, found, strict=True)
    ]
    rows += _otherwise(profile, levels, counts)
    names = ("labels", "grades", "dnoise", "expected", "sampled", "sampled_se")
    kinds = (pl.String, pl.Int64, pl.Float64, pl.Float64, pl.Float64, pl.Float64)
    frame = pl.DataFrame(rows, orient="row", schema=dict(zip(names, kinds, strict=True)))
    share = ":".join(f"{100 * s:.3g}" for s in counts.sum(axis=0) / counts.sum())
    word = profile if isinstance(profile, str) else "given matrix"
    notes = (
        f"profile {word}; {counts.sum():,} labels in {len(counts):,} queries, shares of the grades {share} %",
        f"expected: ratio of expected pairs, from each query's counts; sampled: mean of {samples} draws, seed {seed}",
        f"'{BALANCED}' and '{FINER}' (the commonest split in two) are labellings to ask for: expected values only",
    )
    return NoiseForecast(frame, _advice(frame), notes)


def noise_of_merging(
    unit: list[Any],
    rng: np.random.Generator,
    grades: Counts,
    query: Counts,
    counts: Counts,
    profile: str | Confusion,
    samples: int,
) -> tuple[float, float, float | None]:
    """(expected, sampled, its standard error) of one merging of grades at one level of noise."""
    mapping, level = unit
    table = np.array(mapping)
    by_query = _merge_columns(counts, table, mapping[-1] + 1)
    matrix = _matrix(profile, level, table, counts.sum(axis=0))
    drawn = [_sampled(table[grades], query, matrix, rng) for _ in range(samples)]
    error = float(np.std(drawn, ddof=1) / np.sqrt(samples)) if samples > 1 else None
    return expected_pair_noise(by_query, matrix), float(np.mean(drawn)), error


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
            f"the grades {judgments.scale} have no order.", "Declare it, lowest grade first, with scale=…."
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
            raise InputError(f'profile={profile!r} is none of "uniform", "distance", or a Confusion.')
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


def _otherwise(
    profile: str | Confusion, levels: Sequence[float], counts: Counts
) -> list[tuple[str, int, float, float, float | None, float | None]]:
    """The same grades in equal shares; and, for named profiles, the largest grade split in two."""
    k = counts.shape[1]
    total = counts.sum(axis=0)
    even = np.repeat(counts.sum(axis=1, keepdims=True) / k, k, axis=1)
    rows: list[tuple[str, int, float, float, float | None, float | None]] = [
        (BALANCED, k, t, from_counts(even, _matrix(profile, t, np.arange(k), total)), None, None) for t in levels
    ]
    if isinstance(profile, str):
        largest = int(total.argmax())
        half = counts[:, largest] / 2
        finer = np.insert(counts.astype(np.float64), largest, half, axis=1)
        finer[:, largest + 1] = half
        rows += [
            (FINER, k + 1, t, from_counts(finer, _matrix(profile, t, np.arange(k + 1), total)), None, None)
            for t in levels
        ]
    return rows


def _name(mapping: tuple[int, ...]) -> str:
    if mapping == tuple(range(len(mapping))):
        return AS_THEY_ARE
    groups = ["+".join(str(g) for g, m in enumerate(mapping) if m == new) for new in range(mapping[-1] + 1)]
    return "merged " + " | ".join(groups)


def _advice(frame: pl.DataFrame) -> str:
    import polars as pl

    level = min(frame["dnoise"].unique().to_list(), key=lambda t: abs(t - 0.1))
    at = dict(frame.filter(pl.col("dnoise") == level).select("labels", "expected").iter_rows())
    now = at[AS_THEY_ARE]
    merged = {name: v for name, v in at.items() if name.startswith("merged")}
    best = min(merged, key=lambda name: merged[name]) if merged else None
    words = [f"At dNoise {level:g}, {now:.0%} of the document pairs point the wrong way (pNoise {now:.3f})"]
    if best is not None:
        verb = "would lower it to" if merged[best] < now - 5e-4 else "would not help: at best"
        words.append(f"merging grades {verb} {merged[best]:.3f} ({best.removeprefix('merged ')})")
    change = "lower" if at[BALANCED] < now else "raise"
    words.append(f"equal shares of the grades would {change} it to {at[BALANCED]:.3f}")
    if FINER in at:
        change = "lower" if at[FINER] < now else "raise"
        words.append(f"one grade more would {change} it to {at[FINER]:.3f}")
    return "; ".join(words) + "."
