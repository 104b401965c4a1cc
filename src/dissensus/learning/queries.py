"""What a ranker learns from, checked once: features, labels, and where each query begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Array, Floats
from dissensus.errors import Fix, InputError
from dissensus.tables.features import Features


@dataclass(frozen=True, eq=False)
class Queries:
    """Rows `bounds[q]:bounds[q + 1]` are the documents of query q, called `topics[q]` where names are known."""

    X: Floats
    y: Floats
    bounds: NDArray[np.int64]
    topics: tuple[str, ...] | None = None

    @property
    def query(self) -> NDArray[np.int64]:
        """The query of each row."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    @property
    def group(self) -> NDArray[np.int64]:
        return np.diff(self.bounds)

    @property
    def graded(self) -> bool:
        """True if all labels are whole numbers."""
        return bool((self.y == np.floor(self.y)).all())

    def pairs(self) -> int:
        """Number of pairs of documents of one query with different labels."""
        total = 0
        for a, b in zip(self.bounds[:-1], self.bounds[1:], strict=True):
            same = np.unique(self.y[a:b], return_counts=True)[1]
            total += (int(b - a) ** 2 - int((same**2).sum())) // 2
        return total


def as_matrix(X: object, n_features: int | None = None) -> Floats:
    """X as a float matrix; anything but finite numbers is refused."""
    try:
        matrix = np.ascontiguousarray(X.X if isinstance(X, Features) else X, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"X must be a matrix of numbers, documents × features ({error}).") from error
    if matrix.ndim != 2:
        raise InputError(f"X has shape {matrix.shape}; it must be a matrix, documents × features.")
    if n_features is not None and matrix.shape[1] != n_features:
        raise InputError(
            f"X has {matrix.shape[1]:,} features, the ranker was trained on {n_features:,}.",
            Fix("Read the file with read_features(path, n_features=…) to give it the same columns.", reader="python"),
        )
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise InputError(f"X[{row}, {column}] is {matrix[row, column]}; features are finite numbers.")
    return matrix


def as_queries(
    X: object, y: object = None, group: object = None, *, what: str = "fit", n_features: int | None = None
) -> Queries:
    """Check what `fit` was given: Features, or X, y and the number of documents of each query in turn."""
    topics = X.topics if isinstance(X, Features) and group is None else None
    if isinstance(X, Features):
        y, group = (X.y if y is None else y), (X.group if group is None else group)
    matrix = as_matrix(X, n_features)
    if y is None or group is None:
        missing = "labels" if y is None else "group, the number of documents of each query in turn"
        raise InputError(f"{what} got no {missing}.", "Write fit(X, y, group), or fit(features).")
    if not len(matrix) or not matrix.shape[1]:
        raise InputError(f"{what} got no data: X has shape {matrix.shape}.")
    try:
        labels, sizes = np.asarray(y, np.float64), np.asarray(group)
    except (TypeError, ValueError) as error:
        raise InputError(f"y holds something other than numbers ({error}).") from error
    if labels.shape != (len(matrix),):
        raise InputError(f"y has shape {labels.shape}, X has {len(matrix):,} rows.")
    wrong = np.flatnonzero(~(np.isfinite(labels) & (labels >= 0)))
    if len(wrong):
        raise InputError(
            f"y[{wrong[0]}] is {labels[wrong[0]]:g}; labels are finite numbers of at least 0.",
            "Leave out documents without a judgment.",
        )
    _check_group(sizes, len(matrix))
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes.astype(np.int64))])
    return Queries(matrix, labels, bounds, topics)


def _check_group(sizes: Array, rows: int) -> None:
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu":
        what = "group is not a list of whole numbers"
    elif (sizes < 1).any():
        place = int(np.flatnonzero(sizes < 1)[0])
        what = f"group[{place}] is {sizes[place]}: a query without documents has no place in it"
    elif sizes.sum() != rows:
        what = f"group sums to {int(sizes.sum()):,}, and X has {rows:,} rows"
    else:
        return
    raise InputError(f"{what}.", "group=[3, 2] says: the first three rows are one query, the next two another.")
