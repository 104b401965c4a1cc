"""What merging gives: one label per document, how sure it is, and what was learned about the assessors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.scale import Scale
from dissensus.judges.confusion.api import Confusion
from dissensus.results import Result

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]


class Confusions(Mapping[str, Confusion]):
    """Confusion matrix by assessor (per topic: by "topic/assessor"), built when asked for."""

    def __init__(self, names: tuple[str, ...], counts: Floats, scale: Scale, smoothing: float) -> None:
        self._place = {name: i for i, name in enumerate(names)}
        self._counts, self._scale, self._smoothing = counts, scale, smoothing

    def __getitem__(self, name: str) -> Confusion:
        confusion = Confusion(None, self._counts[self._place[name]], self._scale)
        return confusion.smoothed(self._smoothing) if self._smoothing else confusion

    def __iter__(self) -> Iterator[str]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)

    def to_frame(self) -> pl.DataFrame:
        """Polars frame assessor, reference, observed, probability, count."""
        import polars as pl

        k, names = self._counts.shape[1], self._scale.names
        smoothed = self._counts + self._smoothing
        total = smoothed.sum(axis=2, keepdims=True)
        share = np.divide(smoothed, total, out=np.full_like(smoothed, np.nan), where=total > 0)
        n = len(self)
        return pl.DataFrame(
            {
                "assessor": pl.Series([name for name in self._place for _ in range(k * k)], dtype=pl.String),
                "reference": pl.Series([r for r in names for _ in names] * n, dtype=pl.String),
                "observed": pl.Series(list(names) * (k * n), dtype=pl.String),
                "probability": share.ravel(),
                "count": self._counts.ravel(),
            }
        )


@dataclass(frozen=True)
class Calibration:
    """Merged labels against gold: `accuracy` reached, `claimed` the mean posterior of the labels chosen."""

    accuracy: float
    claimed: float
    n: int

    def __str__(self) -> str:
        return f"against gold: {self.accuracy:.1%} of {self.n:,} documents right, {self.claimed:.1%} claimed"


@dataclass(frozen=True, eq=False)
class Merged(Result):
    """Merged labels and what stands behind them.

    `judgments` holds one assessor, named after the method; `posterior` has one row per document and grade
    (vote shares, for majority); `confusions` are each assessor's, expected counts kept; `log_likelihood` is per round.
    """

    method: str
    judgments: Judgments
    posterior: pl.DataFrame
    confusions: Confusions
    prior: dict[str, float] | dict[str, dict[str, float]]
    log_likelihood: tuple[float, ...]
    converged: bool
    rounds: int
    n_ties: int
    calibration: Calibration | None = None
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """Polars frame topic, doc, assessor, grade: the merged labels."""
        return self.judgments.to_frame()

    def to_json(self) -> str:
        """Labels, prior, likelihood and notes as JSON."""
        return json.dumps(
            {
                "method": self.method,
                "converged": self.converged,
                "rounds": self.rounds,
                "log_likelihood": list(self.log_likelihood),
                "prior": self.prior,
                "ties": self.n_ties,
                "labels": self.to_frame().to_dicts(),
                "notes": list(self.notes),
            },
            ensure_ascii=False,
        )

    def __str__(self) -> str:
        grades, number = np.unique(self.judgments.grade, return_counts=True)
        scale = self.judgments.scale
        shares = ", ".join(f"{scale.name(int(g))}: {n:,}" for g, n in zip(grades, number, strict=True))
        lines = [f"{self.method}: {len(self.judgments):,} documents ({shares})"]
        if self.log_likelihood:
            state = "converged" if self.converged else "not converged"
            lines.append(f"{state} after {self.rounds} rounds, log-likelihood {self.log_likelihood[-1]:,.2f}")
        if self.calibration:
            lines.append(str(self.calibration))
        return "\n".join((*lines, *self.notes))
