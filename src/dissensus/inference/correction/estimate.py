"""Corrected scores of one measure by one method: per-topic scores, their means, and the means' joint covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.inference.correction.matrix import Solved
from dissensus.inference.correction.rectified import Rectified
from dissensus.inference.correction.weights import Floats, Ints
from dissensus.measures.measure import Measure
from dissensus.stats.intervals import quantiles


@dataclass(frozen=True, eq=False)
class Estimate:
    """Corrected scores of one measure by one method; `theta` is NaN where `why_not` refuses them."""

    method: str
    assumption: str
    scores: Floats  # systems × topics
    theta: Floats
    covariance: Floats
    df: float
    why_not: str = ""
    notes: tuple[str, ...] = ()
    rectified: Rectified | None = None
    solved: Solved | None = None
    mass: Floats | None = None  # corrected weight per gold class, systems × classes
    calibration_part: Floats | None = None  # the part of the covariance that the calibration brings
    by_label: Floats | None = None  # weight per bronze label, systems × topics × labels
    floor: Floats | None = None  # the part of the covariance that auditing only some documents brings, at least
    df_part: float = np.nan  # degrees of freedom behind the gold labels' part
    parts: tuple[Estimate, ...] = ()  # one per calibration, where systems have calibrations of their own
    part_of: tuple[tuple[int, int], ...] = ()  # then, by system: which part, and which row of it

    def together(self, a: int, b: int) -> tuple[Estimate, int, int] | None:
        """The estimate in which one calibration served both systems, and their rows; None if each had its own."""
        if not self.parts:
            return self, a, b
        (part, i), (other, j) = self.part_of[a], self.part_of[b]
        return (self.parts[part], i, j) if part == other else None

    def why_not_of(self, system: int) -> str:
        """Why this system has no corrected score; empty where it has one."""
        if self.why_not or not self.parts:
            return self.why_not
        return self.parts[self.part_of[system][0]].why_not

    @property
    def se(self) -> Floats:
        """Standard errors of the means."""
        variance = np.diag(self.covariance)
        return np.sqrt(variance if self.floor is None else np.maximum(variance, np.diag(self.floor)))

    def se_between(self, a: Ints, b: Ints) -> Floats:
        """Standard errors of θ_a − θ_b, element by element."""
        out = contrast(self.covariance, a, b)
        if self.floor is not None:
            out = np.maximum(out, contrast(self.floor, a, b))
        return np.sqrt(np.maximum(out, 0.0))

    def df_between(self, a: Ints, b: Ints) -> Floats:
        """Degrees of freedom of θ_a − θ_b, after Satterthwaite: topics and gold labels are counted apart.

        With few topics but many gold labels, most of the variance may come from the labels and is well known.
        """
        part = self._labels_part()
        whole = self.se_between(a, b) ** 2
        return np.full(whole.shape, self.df) if part is None else self._df(whole, contrast(part, a, b))

    def half_between(self, a: Ints, b: Ints, level: float) -> Floats:
        """Half widths of the intervals of θ_a − θ_b."""
        return quantiles(level, self.df_between(a, b)) * self.se_between(a, b)

    def df_of(self) -> Floats:
        """The same for every system's mean."""
        part = self._labels_part()
        return np.full(len(self.theta), self.df) if part is None else self._df(self.se**2, np.diag(part))

    def _labels_part(self) -> Floats | None:
        part = self.floor if self.floor is not None else self.calibration_part
        return part if np.isfinite(self.df) and self.df > 0 and self.df_part > 0 else None

    def _df(self, whole: Floats, labels: Floats) -> Floats:
        topics = np.maximum(whole - labels, 0.0)
        if self.floor is not None:  # the topics' part is what is left of a variance that held the labels' part, too
            topics = topics + labels / 2
        below = topics**2 / self.df + labels**2 / self.df_part
        found = np.divide(whole**2, below, out=np.full(whole.shape, self.df), where=below > 0)
        return np.asarray(np.where(below > 0, np.maximum(found, min(self.df, self.df_part)), self.df), np.float64)


def contrast(covariance: Floats, a: Ints, b: Ints) -> Floats:
    """Var(θ_a − θ_b), element by element."""
    return np.asarray(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b], np.float64)


def undefined(measure: Measure, shape: tuple[int, ...], method: str) -> Estimate:
    """No estimate, in words: bronze or gold labels leave the measure undefined."""
    return refused(
        method,
        shape,
        f"{measure} is undefined on almost every topic: nothing is relevant to it in the bronze or in the gold labels",
    )


def refused(
    method: str, shape: tuple[int, ...], why: str, *, assumption: str = "", solved: Solved | None = None
) -> Estimate:
    """No estimate, and the sentence that says why; `shape` is systems × topics."""
    s = shape[0]
    return Estimate(
        method, assumption, np.full(shape, np.nan), np.full(s, np.nan), np.full((s, s), np.nan), np.nan, why,
        solved=solved,
    )  # fmt: skip
