"""Learning-to-rank data with the shape of three public sets and a signal that can be learned.

OHSUMED, TD2003 and MSLR-WEB10K may not be copied into a repository. What follows from their shape (queries, documents
per query, features, grades and their proportions; Niu et al. 2015, Table 1) can be studied on generated data: each
document has three hidden qualities; its relevance is a sum of them with one interaction, plus what no feature shows;
labels cut relevance at the quantiles that give the set's proportions. Features show one quality each, through noise
and through straight, skewed or stepped glasses; some show nothing, some are the same for a whole query.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import InputError, Option, Text
from dissensus.tables.features import Features
from dissensus.work.seeds import generator


@dataclass(frozen=True)
class Shape:
    """What a set looks like from outside."""

    queries: int
    documents: float  # mean per query
    features: int
    proportions: tuple[float, ...]  # of the grades, lowest first


SHAPES = {
    "OHSUMED": Shape(106, 152, 45, (0.70, 0.16, 0.14)),
    "TD2003": Shape(50, 981, 64, (0.992, 0.008)),
    "MSLR-WEB10K": Shape(10_000, 120, 136, (0.517, 0.325, 0.133, 0.017, 0.008)),
    "MSLR-WEB30K": Shape(31_531, 120, 136, (0.517, 0.325, 0.133, 0.017, 0.008)),
    # the thesis prints no shares of Istella's grades: these are assumed
    "Istella-S": Shape(33_018, 103, 220, (0.886, 0.03, 0.04, 0.025, 0.019)),
}


def generate(shape: str | Shape, *, queries: int | None = None, seed: int = 0, clarity: float = 0.8) -> Features:
    """Data of a shape: "OHSUMED", "TD2003", "MSLR-WEB10K" or a Shape of your own.

    `queries` makes it smaller or larger; `clarity` in (0, 1] is the share of the variance of relevance that features
    could show. One seed, one set.

    >>> generate("OHSUMED", queries=10)
    Features(1,540 documents, 10 topics, 45 features, labels 0…2)

    For studying methods, not for claims about the sets themselves: their features have structure this does not.
    """
    wanted = _shape(shape)
    n = wanted.queries if queries is None else queries
    if n < 1 or not 0 < clarity <= 1:
        raise InputError(f"generate(queries={queries}, clarity={clarity}): at least one query, clarity in (0, 1].")
    rng = generator(seed)
    sizes = np.maximum(np.rint(rng.normal(wanted.documents, 0.15 * wanted.documents, n)), 5).astype(np.int64)
    query = np.repeat(np.arange(n), sizes)
    quality = rng.normal(size=(len(query), 3))
    signal = quality @ [1.0, 0.7, 0.4] + 0.5 * quality[:, 0] * quality[:, 1]
    signal /= signal.std()
    hidden = rng.normal(size=len(query)) + 0.5 * rng.normal(size=n)[query]  # some queries are luckier than others
    relevance = np.sqrt(clarity) * signal + np.sqrt(1 - clarity) * hidden / np.sqrt(1.25)
    cuts = np.quantile(relevance, np.cumsum(wanted.proportions)[:-1])
    labels = np.searchsorted(cuts, relevance, side="right")
    return Features.from_arrays(_seen(rng, quality, query, wanted.features), labels, sizes)


def _shape(shape: str | Shape) -> Shape:
    if isinstance(shape, Shape):
        if abs(sum(shape.proportions) - 1) > 1e-6 or min(shape.proportions) < 0:
            raise InputError(f"the proportions {shape.proportions} must sum to 1.")
        return shape
    known = {name.lower(): s for name, s in SHAPES.items()}
    if shape.lower() not in known:
        raise InputError(f"there is no shape called {shape!r}.", f"There are: {', '.join(SHAPES)}; or give a Shape.")
    return known[shape.lower()]


def _seen(rng: np.random.Generator, quality: Floats, query: NDArray[np.int64], features: int) -> Floats:
    """The feature matrix: half the features show a quality, a third show nothing, the rest belong to the query."""
    X = np.empty((len(query), features))
    for f in range(features):
        kind = rng.choice(3, p=[0.5, 0.35, 0.15])
        if kind == 0:
            noise = rng.uniform(0.6, 3.0)
            seen = rng.choice([1.0, 1.0, -1.0]) * quality[:, rng.integers(3)] + noise * rng.normal(size=len(query))
            glass = rng.integers(3)
            X[:, f] = seen if glass == 0 else np.exp(0.8 * seen) if glass == 1 else np.maximum(np.floor(seen), 0)
        elif kind == 1:
            X[:, f] = rng.gamma(2.0, size=len(query))
        else:
            X[:, f] = rng.normal(size=int(query[-1]) + 1)[query]
    return X


# ── changing the labels' grain and balance (Niu et al. 2015, §5) ──
def merge_grades(features: Features, mapping: tuple[int, ...]) -> Features:
    """Labels by a table old grade → new grade: (0, 0, 1, 1, 1) makes five grades two."""
    grades = features.grades()
    if len(mapping) <= grades.max(initial=0) or list(mapping) != sorted(mapping) or min(mapping) < 0:
        raise InputError(
            Text(
                Option("mapping", mapping),
                f" must give every grade 0…{grades.max(initial=0)} a grade, in rising order.",
            ),
            "(0, 0, 1, 1, 1) turns grades 0 and 1 into 0, the others into 1.",
        )
    return features.with_labels(np.array(mapping)[grades])


def balance(features: Features, counts: tuple[int, ...], seed: int = 0) -> Features:
    """A fixed number of documents of each grade per topic, drawn at random. Topics that have too few are left out.

    (8, 8) and (14, 2) are the paper's 1:1 and 1:7 at 16 documents per query.
    """
    grades = features.grades()
    rng = generator(seed)
    keep: list[NDArray[np.int64]] = []
    lost = 0
    for a, b in zip(features.bounds[:-1], features.bounds[1:], strict=True):
        here = [np.flatnonzero(grades[a:b] == g) + a for g in range(len(counts))]
        if any(len(rows) < n for rows, n in zip(here, counts, strict=True)):
            lost += 1
            continue
        keep.append(
            np.sort(np.concatenate([rng.choice(r, n, replace=False) for r, n in zip(here, counts, strict=True)]))
        )
    if not keep:
        raise InputError(f"no topic has {' + '.join(map(str, counts))} documents of grades 0, 1, ….")
    note = f"{lost:,} of {len(features.topics):,} topics have too few documents of some grade for {counts}"
    kept = features.rows(np.concatenate(keep))
    return replace(kept, notes=(*kept.notes, note)) if lost else kept
