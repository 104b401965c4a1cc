"""How much of the noise in labels reaches document pairs, in expectation.

Two documents of a query are relabelled independently, each by its row of the confusion matrix C. A pair of grades
l < j is inverted with probability Σ_{a>b} c_la·c_jb; a pair of equal grades becomes a new pair when the labels differ,
and then points the wrong way half of the time. With grade proportions r,

    noisy   = Σ_{l<j} r_l r_j P(inverse) + ½ Σ_l r_l² · ½P(differ)
    ordered = Σ_{l<j} r_l r_j P(differ)  + ½ Σ_l r_l² P(differ)         pNoise = noisy / ordered

Reference: Niu, Lan, Guo, Wan & Cheng, "Which noise affects algorithm robustness for learning to rank", Information
Retrieval Journal 18 (2015), 215–245, eq. 1. Nine of the 90 matrix entries printed there are wrong; here
all are derived.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dissensus.aliases import described
from dissensus.arrays import Floats
from dissensus.errors import ConfusionError, InputError
from dissensus.judging.confusion.api import Confusion, as_confusion


def pair_matrices(confusion: Confusion) -> tuple[Floats, Floats]:
    """(D, A): weight of a pair of original grades l ≤ j among the noisy pairs, and among all ordered pairs.

    Upper triangles; the diagonals hold the ½ of a pair of equal documents (and D's another ½: half of the new pairs
    point the wrong way), so that pNoise = Σ_{l≤j} D_lj r_l r_j / Σ_{l≤j} A_lj r_l r_j.

    >>> D, A = pair_matrices(Confusion.uniform(2, 0.1))
    >>> D.round(3).tolist(), A.round(3).tolist()
    ([[0.045, 0.01], [0.0, 0.045]], [[0.09, 0.82], [0.0, 0.09]])
    """
    c = known_matrix(confusion)
    differ = 1.0 - c @ c.T
    above = np.zeros_like(c)  # above[j, b]: P(the noisy grade of j is below b)
    above[:, 1:] = np.cumsum(c, axis=1)[:, :-1]
    inverse = c @ above.T  # inverse[l, j] = P(noisy l > noisy j)
    D, A = np.triu(inverse, 1), np.triu(differ, 1)
    same = np.diag(differ)
    np.fill_diagonal(D, same / 4)
    np.fill_diagonal(A, same / 2)
    return D, A


@described
def expected_pair_noise(proportions_or_counts: ArrayLike, confusion: Confusion | ArrayLike) -> float:
    """Expected pNoise of labels with these grade proportions or counts under a noise profile.

    Counts give the value for that many documents per query: n_l(n_l−1)/2 pairs of equal grades instead of r_l²/2. Do
    not use it for noise that depends on the document (two judges misled by the same title).

    Parameters
    ----------
    proportions_or_counts
        Shares of the grades (floats), or whole numbers of documents. A table of counts, queries × grades, pools
        the pairs of all queries.
    confusion
        The noise: a Confusion or its matrix.

    Returns
    -------
    float
        A ratio of expected numbers of pairs.

    Examples
    --------
    >>> round(expected_pair_noise([8, 8], Confusion.uniform(2, 0.1)), 4)
    0.0908
    >>> round(expected_pair_noise([0.992, 0.008], [[0.9, 0.1], [0.1, 0.9]]), 3)
    0.467
    """
    confusion = as_confusion(confusion)
    share = np.asarray(proportions_or_counts)
    if share.ndim not in (1, 2) or share.shape[-1] != len(confusion):
        raise InputError(
            f"proportions_or_counts has shape {share.shape}, the matrix {len(confusion)} grades.",
            "Give one number per grade, lowest first, or counts as queries × grades.",
        )
    if share.dtype.kind not in "iuf" or not np.isfinite(share).all() or (share < 0).any():
        raise InputError(
            "proportions_or_counts must be numbers of at least 0: floats for proportions, integers for counts."
        )
    if share.dtype.kind != "f":
        return from_counts(np.atleast_2d(share).astype(np.float64), confusion)
    if share.ndim == 2 or abs(share.sum() - 1) > 1e-6:
        raise InputError(
            f"the proportions {np.round(share, 4).tolist()} sum to {share.sum():.6g}, not to 1.",
            "Divide by their sum, or give whole numbers, which are counts.",
        )
    return _ratio(np.outer(share, share), confusion)


def from_counts(counts: Floats, confusion: Confusion) -> float:
    """Expected pNoise of queries with `counts` (queries × grades), which may be fractions: labellings as imagined."""
    weight = counts.T @ counts
    np.fill_diagonal(weight, (counts * (counts - 1)).sum(axis=0))
    return _ratio(weight, confusion)


def _ratio(weight: Floats, confusion: Confusion) -> float:
    D, A = pair_matrices(confusion)
    ordered = float((A * weight).sum())
    if ordered == 0:
        raise InputError("no two documents ever differ in label: no pair is in order, and pNoise is undefined.")
    return float((D * weight).sum()) / ordered


def known_matrix(confusion: Confusion) -> Floats:
    """The probabilities of a noise profile; refused where a row is unknown."""
    if np.isnan(confusion.matrix).any():
        raise ConfusionError(
            f"no observed labels are known for the reference grade {', '.join(confusion.unknown)}.",
            "Smooth the matrix first: confusion.smoothed(1).",
        )
    return np.asarray(confusion.matrix, np.float64)
