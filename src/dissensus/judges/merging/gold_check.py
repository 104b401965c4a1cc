"""Merged labels and posteriors held against gold: accuracy, log-loss, calibration error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BINS = 10
FLOOR = 1e-12


@dataclass(frozen=True)
class Calibration:
    """`accuracy` of the merged labels, `claimed` the mean posterior of the labels chosen, on `n` documents with gold.

    `log_loss` is minus the mean logarithm of the posterior of gold's grade; `ece` the expected calibration error, the
    mean distance of claimed and reached accuracy over ten bins of the claim. `untempered_ece` is that before tempering.
    """

    accuracy: float
    claimed: float
    n: int
    log_loss: float = float("nan")
    ece: float = float("nan")
    untempered_ece: float = float("nan")

    def __str__(self) -> str:
        text = f"against gold: {self.accuracy:.1%} of {self.n:,} documents right, {self.claimed:.1%} claimed"
        if np.isnan(self.ece):
            return text
        before = "" if np.isnan(self.untempered_ece) else f" ({self.untempered_ece:.3f} before tempering)"
        return f"{text}; log-loss {self.log_loss:.3f}, calibration error {self.ece:.3f}{before}"


def check_with_gold(
    posterior: Floats, level: NDArray[np.int64], truth: NDArray[np.int64] | None, before: Floats | None = None
) -> Calibration | None:
    """Calibration of posteriors (`before`: the same, not tempered); None without gold on merged documents."""
    if truth is None:
        return None
    known = np.flatnonzero((truth >= 0) & (level >= 0))
    if not len(known):
        return None
    right = level[known] == truth[known]
    claim = posterior[known, level[known]]
    return Calibration(
        float(right.mean()),
        float(claim.mean()),
        len(known),
        float(-np.log(np.maximum(posterior[known, truth[known]], FLOOR)).mean()),
        calibration_error(claim, right),
        float("nan") if before is None else calibration_error(before[known, level[known]], right),
    )


def calibration_error(claim: Floats, right: NDArray[np.bool_]) -> float:
    """Σ over ten equal bins of the claim of (share of documents) · |share right − mean claim|.

    >>> calibration_error(np.array([0.95, 0.95, 0.55, 0.55]), np.array([True, True, True, False]))
    0.05
    """
    place = np.minimum((claim * BINS).astype(np.int64), BINS - 1)
    gap = np.abs(np.bincount(place, right, BINS) - np.bincount(place, claim, BINS))
    return round(float(gap.sum() / max(len(claim), 1)), 12)
