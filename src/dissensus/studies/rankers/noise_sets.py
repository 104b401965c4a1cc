"""The sets of the noise experiment: generated, or a LETOR folder of the user's, with training labels made coarser.

"OHSUMED", "TD2003" and "MSLR-WEB10K" are generated with the shapes of Niu et al. (2015), Table 1; the paper's endings
change the *training* part only, tests stay as they are:

    …2G     two grades: 0 against the rest (OHSUMED), 0 and 1 against the rest (MSLR-WEB10K)
    …P1 …P7 …P5 …P50   a fixed number of documents per query, relevant to irrelevant 1:1, 1:7 (16 documents), 1:5,
            1:50 (102 documents)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dissensus.errors import InputError, Option, Text
from dissensus.studies.generated.features import SHAPES, balance, generate, merge_grades
from dissensus.tables.features import Features
from dissensus.tables.folds import Fold, read_folds, split_folds

TWO_GRADES = {"OHSUMED": (0, 1, 1), "MSLR-WEB10K": (0, 0, 1, 1, 1), "TD2003": (0, 1)}
BALANCES = {"1": (8, 8), "7": (14, 2), "5": (85, 17), "50": (100, 2)}


def noise_sets(
    names: Sequence[str], *, documents: int = 20_000, folds: int = 5, seed: int = 0
) -> dict[str, tuple[Fold, ...]]:
    """Folds of each named set with at most `documents` documents in all; a name that is a folder is read from there.

    Generated sets have three queries per fold or more, however many documents these have.
    """
    if documents < 1:
        raise InputError(Text(Option("documents", documents), ": how many documents a set has at most, at least 1."))
    return {name: _one(name, documents, folds, seed) for name in names}


def _one(name: str, documents: int, folds: int, seed: int) -> tuple[Fold, ...]:
    if Path(name).is_dir():
        return tuple(_cut(fold, documents) for fold in read_folds(name))
    match = re.fullmatch(rf"({'|'.join(map(re.escape, SHAPES))})(2G)?(?:P(\d+))?", name)
    if match is None or (match[3] and match[3] not in BALANCES):
        raise InputError(
            f"there is no set {name!r}, and no folder of that name.",
            f"Sets: {', '.join(SHAPES)}, also with two grades (OHSUMED2G) and a balance of P1, P7, P5 or P50 "
            "(OHSUMED2GP7); or a LETOR folder.",
        )
    base, two, ratio = match.groups()
    shape = SHAPES[base]
    queries = max(min(shape.queries, int(documents / shape.documents)), 3 * folds)
    made = split_folds(generate(base, queries=queries, seed=seed), folds, seed)
    return tuple(_changed(fold, base, bool(two), ratio, seed) for fold in made)


def _changed(fold: Fold, base: str, two: bool, ratio: str | None, seed: int) -> Fold:
    train = fold.train
    if two:
        train = merge_grades(train, TWO_GRADES[base])
    if ratio is not None:
        if train.y.max() > 1:
            raise InputError(f"{base}P{ratio}: balances are for two grades.", f"Write {base}2GP{ratio}.")
        train = balance(train, BALANCES[ratio], seed)
    return replace(fold, train=train)


def _cut(fold: Fold, documents: int) -> Fold:
    def part(features: Features, share: float) -> Features:
        fits = np.flatnonzero(np.cumsum(features.group) <= max(documents * share, features.group[0]))
        return features.select([features.topics[t] for t in fits])

    return Fold(fold.name, part(fold.train, 0.6), part(fold.validation, 0.2), part(fold.test, 0.2))
