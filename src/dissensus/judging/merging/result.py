"""What merging gives: one label per document, how sure it is, what was learned about the assessors, and how far labels
and posteriors hold against gold: accuracy, log-loss, calibration error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.judging.agreement.flags import Looks
from dissensus.judging.confusion.api import Confusion
from dissensus.judging.merging.em_warnings import Doubt
from dissensus.results import Result, Table, Tables, single_values
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.judging.merging.comparison import MethodComparison

SHOWN = 20  # assessors of a first screen
PEOPLE = {"accuracy": "share of the assessor's labels that equal the merged ones, not gold"}
BINS = 10
FLOOR = 1e-12


@dataclass(frozen=True)
class PosteriorCalibration:
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
) -> PosteriorCalibration | None:
    """Calibration of posteriors (`before`: the same, not tempered); None without gold on merged documents."""
    if truth is None:
        return None
    known = np.flatnonzero((truth >= 0) & (level >= 0))
    if not len(known):
        return None
    right = level[known] == truth[known]
    claim = posterior[known, level[known]]
    return PosteriorCalibration(
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


class Confusions(Mapping[str, Confusion]):
    """Confusion matrix by assessor (per topic: by "topic/assessor"), built when asked for."""

    def __init__(self, names: tuple[str, ...], counts: Floats, scale: Scale, smoothing: float) -> None:
        self._place = {name: i for i, name in enumerate(names)}
        self._counts, self._scale, self._smoothing = counts, scale, smoothing

    @property
    def scale(self) -> Scale:
        """The levels that labels have."""
        return self._scale

    def __getitem__(self, name: str) -> Confusion:
        confusion = Confusion(None, self._counts[self._place[name]], self._scale)
        return confusion.smoothed(self._smoothing) if self._smoothing else confusion

    def __iter__(self) -> Iterator[str]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)

    def to_frame(self) -> pl.DataFrame:
        """Polars frame assessor, reference, observed, probability, count."""
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


@dataclass(frozen=True, eq=False)
class Merged(Result):
    """Merged labels and what they rest on.

    `judgments` holds one assessor, named after the method. `probabilities` (documents × levels, as in `judgments`) are
    vote shares or posteriors, tempered by `exponent` where that is not None, and `posterior` is their table.
    `confusions` are each assessor's, expected counts kept. `skill` is one number per assessor where the method has one.
    `log_likelihood` is per round. `suspects` says who was dropped or weighed. `doubts` are the reasons that were warned
    of, by kind.
    """

    method: str
    judgments: Judgments
    probabilities: Floats
    levels: NDArray[np.int8]  # the grade of each level
    confusions: Confusions
    prior: dict[str, float] | dict[str, dict[str, float]]
    log_likelihood: tuple[float, ...]
    converged: bool
    rounds: int
    n_ties: int
    skill: dict[str, float] = field(default_factory=dict)
    exponent: float | None = None
    suspects: dict[str, Looks] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()
    calibration: PosteriorCalibration | None = None
    remarks: tuple[str, ...] = ()  # what was done to the labels, and who looks odd
    anchored: bool = False  # stopped before a grade became another one
    methods: MethodComparison | None = None  # how well each method predicts labels kept back

    @cached_property
    def posterior(self) -> pl.DataFrame:
        """Polars frame topic, doc, grade, probability: one row per document and grade."""
        n, k = self.probabilities.shape
        documents = self.judgments.to_frame()
        repeated = np.repeat(np.arange(n), k)
        return pl.DataFrame(
            {
                "topic": documents["topic"].gather(repeated),
                "doc": documents["doc"].gather(repeated),
                "grade": pl.Series(list(self.confusions.scale.names)).gather(np.tile(np.arange(k), n))
                if documents["grade"].dtype == pl.String
                else np.tile(self.levels.astype(np.int64), n),
                "probability": self.probabilities.ravel(),
            }
        )

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return f"Merged by {self.method}"

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {
            "labels": Table.of(self.judgments.to_frame()),
            "posterior": Table.of(self.posterior),
            "confusions": Table.of(self.confusions.to_frame()),
            **({} if self.methods is None else self.methods.tables),
        }

    def screen(self, whole: bool = False) -> Result:
        """How often each grade was given, the assessors with most labels, and the methods; all where `whole`."""
        people = self._people()
        tables = {
            "labels": Table.of(self._grades()),
            "assessors": Table.of(people if whole else people.head(SHOWN), PEOPLE),
            **({} if self.methods is None else self.methods.tables),
        }
        return Tables(tables, self.title, self.notes)

    def _grades(self) -> pl.DataFrame:
        """How many documents have each merged grade."""
        grades, number = np.unique(self.judgments.grade, return_counts=True)
        names = [self.judgments.scale.name(int(g)) for g in grades]
        return pl.DataFrame({"grade": names, "documents": number, "share": number / number.sum()})

    def _people(self) -> pl.DataFrame:
        """How often each assessor says what was merged."""
        labels, same = pl.col("count").sum(), pl.col("count").filter(pl.col("reference") == pl.col("observed")).sum()
        found = self.confusions.to_frame().group_by("assessor", maintain_order=True)
        people = found.agg(labels=labels, accuracy=same / labels).filter(pl.col("labels") > 0)
        return people.sort("labels", descending=True).with_columns(pl.col("labels").round(0).cast(pl.Int64))

    @property
    def facts(self) -> dict[str, object]:
        """The single values of the result, every round's log-likelihood, and what was warned of."""
        own = {"log_likelihood": list(self.log_likelihood), "doubts": [d.kind for d in self.doubts]}
        return {**single_values(self), **own}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was merged, how the model came to its end, how sure the posteriors are, and what was done."""
        grades = self._grades()
        shares = ", ".join(f"{g}: {n:,}" for g, n in grades.select("grade", "documents").iter_rows())
        lines = [f"{self.method}: {len(self.judgments):,} documents ({shares})"]
        if self.log_likelihood:
            state = "converged" if self.converged else "stopped" if self.anchored else "not converged"
            lines.append(f"{state} after {self.rounds} rounds, log-likelihood {self.log_likelihood[-1]:,.2f}")
        elif not self.converged and not self.anchored:
            lines.append(f"not converged after {self.rounds} rounds")
        if self.exponent is not None:
            lines.append(f"posteriors tempered by labels kept back: exponent {self.exponent:g}")
        if self.calibration:
            lines.append(str(self.calibration))
        best = () if self.methods is None else self.methods.sentences()
        return tuple(dict.fromkeys((*lines, *self.remarks, *best)))
