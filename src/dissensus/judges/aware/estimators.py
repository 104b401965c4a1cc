"""The thirty estimators of an assessor's accuracy, and how gaps become weights.

`sgl_rmse_msd` reads: a single weight per assessor (or `tpc`, one per topic), from the gap `rmse`, by the minimal
squared dissimilarity:

    md    min over {und, uni, ovr} of the gap
    msd   min of the squared gaps
    med   sum of the gaps

`uni` gives every assessor the same weight.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError, Option, ReliabilityWarning, Text
from dissensus.judges.aware.distances import GAPS

Floats = NDArray[np.float64]
Gaps = Mapping[tuple[str, str], Floats]  # (granularity, gap) → class × assessor, or class × assessor × topic
GRANULARITIES, WEIGHTS = ("sgl", "tpc"), ("md", "msd", "med")
ESTIMATORS = tuple(f"{g}_{d}_{w}" for g in GRANULARITIES for d in GAPS for w in WEIGHTS)


@dataclass(frozen=True)
class Estimator:
    """An estimator's three parts; `Estimator.named("uni")` has none.

    >>> Estimator.named("tpc_kld_med").gap
    'kld'
    """

    granularity: str
    gap: str
    weight: str

    @classmethod
    def named(cls, name: str) -> Estimator:
        """The estimator of a name such as "sgl_rmse_msd", or "uni"."""
        if name == "uni":
            return cls("sgl", "", "")
        if name not in ESTIMATORS:
            raise InputError(
                Text(Option("estimator", name), " is not known."),
                "An estimator is sgl or tpc, then fro, rmse, kld, tau or apc, then md, msd or med, as in sgl_rmse_msd; "
                "or uni.",
            )
        return cls(*name.split("_"))

    def __str__(self) -> str:
        return f"{self.granularity}_{self.gap}_{self.weight}" if self.gap else "uni"


def weights(gaps: Gaps, estimator: Estimator, judged: NDArray[np.bool_], *, quiet: bool = False) -> Floats:
    """Weights (assessor, topic) that sum to 1 over the assessors who judged the topic; 0 for those who did not.

    Where every weight of a topic is zero, assessors count equally, and a ReliabilityWarning says so.
    """
    raw = judged.astype(np.float64)
    if estimator.gap:
        found = gaps[estimator.granularity, estimator.gap]
        combined = found.sum(axis=0) if estimator.weight == "med" else found.min(axis=0)  # gaps are not negative,
        combined = combined**2 if estimator.weight == "msd" else combined  # so the least square is the least's square
        raw = raw * np.nan_to_num(combined if combined.ndim == 2 else combined[:, None])
    return normalised(raw, judged, str(estimator), quiet=quiet)


def normalised(raw: Floats, judged: NDArray[np.bool_], name: str, *, quiet: bool = False) -> Floats:
    """Raw weights (assessor, topic) divided by their sums over assessors; equal ones where all are zero."""
    raw = np.where(judged, raw, 0.0)
    total = raw.sum(axis=0)
    empty = (total <= 0) & judged.any(axis=0)
    if empty.any() and not quiet:
        warnings.warn(
            f"{name}: every assessor has weight 0 in {int(empty.sum())} topics (all look like random judges there); "
            "they count equally in these topics.",
            ReliabilityWarning,
            stacklevel=4,
        )
    raw = np.where(empty[None, :], judged.astype(np.float64), raw)
    share: Floats = np.divide(raw, raw.sum(axis=0), out=np.zeros_like(raw), where=raw.sum(axis=0) > 0)
    return share
