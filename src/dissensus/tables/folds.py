"""Folds: training, validation and test parts of learning-to-rank data, from LETOR folders or made by topic."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dissensus.errors import FileError, Fix, InputError, Option, Text
from dissensus.tables.features import Features, read_features

_PARTS = {
    "train": ("train.txt", "trainingset.txt", "train"),
    "validation": ("vali.txt", "validationset.txt", "validation.txt", "valid.txt", "vali"),
    "test": ("test.txt", "testset.txt", "test"),
}


@dataclass(frozen=True, eq=False)
class Fold:
    """One split: learn from `train`, stop early on `validation`, report on `test`. No topic is in two parts."""

    name: str
    train: Features
    validation: Features
    test: Features


def read_folds(folder: str | Path) -> tuple[Fold, ...]:
    """The folds of a LETOR folder: Fold1/train.txt, vali.txt, test.txt (or trainingset.txt …), plain or gzipped.

    All parts of all folds get the same number of features, the largest that occurs.
    """
    root = Path(folder)
    folders = sorted(p for p in root.glob("*") if p.is_dir() and p.name.lower().startswith("fold"))
    if not folders:
        raise FileError(
            f"{root} has no folders Fold1, Fold2, …",
            Fix("Read a single file with read_features(path).", reader="python"),
            Fix("Name a single file, or the folder that holds Fold1.", reader="command"),
        )
    parts = [{part: read_features(_find(f, part)) for part in _PARTS} for f in folders]
    lowest = {p.first for fold in parts for p in fold.values()}
    if len(lowest) > 1:
        raise FileError(f"the files of {root} number their features from 0 in some files and from 1 in others.")
    width = max(p.X.shape[1] for fold in parts for p in fold.values())
    return tuple(
        Fold(f.name, *(_widened(fold[part], width) for part in ("train", "validation", "test")))
        for f, fold in zip(folders, parts, strict=True)
    )


def split_folds(features: Features, folds: int = 5, seed: int = 0) -> tuple[Fold, ...]:
    """Topics dealt at random into `folds` parts; in turn one part tests, the next validates, the rest train.

    >>> data = Features.from_arrays(np.eye(6), [1, 0, 1, 0, 1, 0], group=[1] * 6)
    >>> [fold.test.topics for fold in split_folds(data, 3)]
    [('4', '5'), ('1', '3'), ('2', '6')]
    """
    if not 3 <= folds <= len(features.topics):
        raise InputError(
            Text(Option("folds", folds), f": at least 3, and at most one per topic ({len(features.topics):,}).")
        )
    order = np.random.default_rng(seed).permutation(len(features.topics))
    part = np.empty(len(order), np.int64)
    part[order] = np.arange(len(order)) % folds
    names = np.array(features.topics, dtype=object)

    def those(*parts: int) -> Features:
        return features.select(names[np.isin(part, parts)].tolist())

    out = []
    for i in range(folds):
        validation = (i + 1) % folds
        train = [p for p in range(folds) if p not in (i, validation)]
        out.append(Fold(f"fold {i + 1}", those(*train), those(validation), those(i)))
    return tuple(out)


def _find(folder: Path, part: str) -> Path:
    for name in _PARTS[part]:
        for ending in ("", ".gz"):
            if (folder / (name + ending)).is_file():
                return folder / (name + ending)
    raise FileError(f"{folder} has no {part} file.", "Understood: " + ", ".join(_PARTS[part]) + ", each also with .gz")


def _widened(features: Features, width: int) -> Features:
    missing = width - features.X.shape[1]
    return replace(features, X=np.pad(features.X, ((0, 0), (0, missing)))) if missing else features


def digest(sets: Mapping[str, Sequence[Fold]]) -> str:
    """A fingerprint of features and labels: a workspace is for these data only, also when a folder's files change."""
    out = hashlib.blake2b(digest_size=16)
    for fold in (f for folds in sets.values() for f in folds):
        for part in (fold.train, fold.validation, fold.test):
            for array in (part.X, part.y, part.bounds):
                out.update(np.ascontiguousarray(array).tobytes())
    return out.hexdigest()
