"""Rates corrected for a judge's errors, from counts alone.

A judge who finds a relevant document with probability Se and rejects a non-relevant one with probability Sp turns a
true rate g into j = g·Se + (1 − g)(1 − Sp). Solved for g (Rogan & Gladen 1978; eqs. 5 and 7 of the correction paper):

    ĝ = (j̄ − 1 + Sp)/D,   D = Se + Sp − 1,   σ² = [V(j̄) + ĝ²·V(Se) + (1 − ĝ)²·V(Sp)]/D²

    >>> a = corrected_rate(0.6260, 10278, relevant=(43, 59), nonrelevant=(67, 84), sd=0.414)
    >>> b = corrected_rate(0.6385, 20604, relevant=(43, 59), nonrelevant=(67, 84), sd=0.402)
    >>> print(f"{a.estimate:.4f} ± {a.se:.4f}, {b.estimate:.4f} ± {b.se:.4f}")
    0.8047 ± 0.0903, 0.8284 ± 0.0923

When not to use it: the calibration documents must be judged like the scored ones (same judge, same kind of documents).
If they are part of the scored documents, `ds.correct` with an audit is both safer and sharper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from dissensus.aliases import described
from dissensus.errors import InputError, Note, Option, Text
from dissensus.inference.rates.needs import Needs, needs
from dissensus.results import Result, Table
from dissensus.stats.intervals import WEAK, ConfidenceSet, fieller, lang_reiczigel, p_text, quantile, two_sided_p
from dissensus.stats.resampling import parametric_bootstrap
from dissensus.wording import counted


@dataclass(frozen=True)
class RectifiedRate:
    """The rate as the gold judge would have seen it, if the gold labels are a random sample of the scored documents."""

    estimate: float
    se: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class CorrectedRate(Result):
    """A rate as the gold judge would have seen it. Never clipped: an estimate outside [0, 1] is a finding."""

    estimate: float
    se: float
    interval: tuple[float, float]  # Lang–Reiczigel; the hull of Fieller's set where that does not exist
    wald: tuple[float, float]
    fieller: ConfidenceSet
    level: float
    observed: float
    n: int
    sd: float | None
    relevant: tuple[int, int]
    nonrelevant: tuple[int, int]
    sensitivity: float
    specificity: float
    discrimination: float  # D = Se + Sp − 1
    discrimination_z: float  # D/se(D)
    admissible: bool
    notes: tuple[str, ...]
    rectified: RectifiedRate | None = None  # where the gold labels are of the scored documents (`inside=True`)

    @property
    def variance_accuracies(self) -> tuple[float, float]:
        """V(Se), V(Sp)."""
        se, sp = self.sensitivity, self.specificity
        return se * (1 - se) / self.relevant[1], sp * (1 - sp) / self.nonrelevant[1]

    @property
    def variance_calibration(self) -> float:
        """ĝ²·V(Se) + (1 − ĝ)²·V(Sp)."""
        v_se, v_sp = self.variance_accuracies
        return self.estimate**2 * v_se + (1 - self.estimate) ** 2 * v_sp

    def needed(self, half_width: float) -> Needs:
        """Queries, or gold labels, that bring the half width of the Wald interval to `half_width`."""
        if not (math.isfinite(half_width) and half_width > 0):
            raise InputError(Text(Option("half_width", half_width), ": it must be above 0."))
        if not self.admissible:
            raise InputError(
                f"the observed rate {self.observed:g} lies outside {1 - self.specificity:.3f} to {self.sensitivity:.3f}"
                ", where a judge of these accuracies must put it: no number of labels follows from such counts.",
                "Measure the accuracies on documents like the scored ones.",
            )
        return needs(
            self.variance_observed, self.variance_calibration, self.discrimination, half_width / quantile(self.level),
            queries=self.n, labels=self.relevant[1] + self.nonrelevant[1],
        )  # fmt: skip

    @property
    def variance_observed(self) -> float:
        """V(j̄)."""
        return _variance(self.observed, self.n, self.sd)

    def bootstrap_se(self, replicates: int = 10_000, seed: int = 0) -> float:
        """Standard error by the parametric bootstrap (Algorithm 1 of the paper); eq. 7 is its first order.

        Few calibration labels make it larger than `se`: 0.097 against 0.090 in the paper's example.
        """
        (h1, n1), (h0, n0) = self.relevant, self.nonrelevant

        def draw(rng: np.random.Generator, size: int) -> object:
            if self.sd is None:
                rate = rng.binomial(self.n, self.observed, size) / self.n
            else:
                rate = rng.normal(self.observed, self.sd / math.sqrt(self.n), size)
            se_, sp = rng.binomial(n1, h1 / n1, size) / n1, rng.binomial(n0, h0 / n0, size) / n0
            d = se_ + sp - 1
            return np.divide(rate - 1 + sp, d, out=np.full(size, np.nan), where=d != 0)

        values = parametric_bootstrap(draw, replicates=replicates, seed=seed).values
        return float(np.nanstd(values, ddof=1))

    def __str__(self) -> str:
        low, high = self.interval
        known = (
            "no corrected rate" if math.isnan(self.estimate) else f"corrected rate {self.estimate:.4f} ± {self.se:.4f}"
        )
        whose = "Fieller" if self.interval == self.fieller.hull else "Lang–Reiczigel"
        shown = str(self.fieller) if whose == "Fieller" else f"[{low:.4f}, {high:.4f}]"
        accuracies = (
            f"Se {self.sensitivity:.3f} ({out_of(self.relevant)}), Sp {self.specificity:.3f} "
            f"({out_of(self.nonrelevant)}), D {self.discrimination:.3f}"
        )
        head = f"{known}, {self.level:.0%} interval {shown} ({whose}); observed {self.observed:.4f}, {accuracies}"
        return "\n".join((head, *(f"  {note}" for note in self.notes)))

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"rate": Table.of(self._rows(), level=self.level)}

    def _rows(self) -> pl.DataFrame:
        low, high = self.interval
        return pl.DataFrame(
            {
                "observed": [self.observed],
                "n": [self.n],
                "estimate": [self.estimate],
                "se": [self.se],
                "low": [low],
                "high": [high],
                "wald_low": [self.wald[0]],
                "wald_high": [self.wald[1]],
                "D": [self.discrimination],
                "admissible": [self.admissible],
                "notes": ["; ".join(self.notes)],
            }
        )


# ── one rate ─────────────────────────────────────────────────────────────────────────────────────────────────────────
@described
def corrected_rate(
    observed: float,
    n: int,
    relevant: tuple[int, int],
    nonrelevant: tuple[int, int],
    sd: float | None = None,
    *,
    level: float = 0.95,
    inside: bool = False,
) -> CorrectedRate:
    """The rate that a gold judge would have observed, from the observed rate and the judge's accuracies.

    `.interval` is Lang & Reiczigel's (2014), `.wald` the plain one, `.fieller` stays right for weak judges.
    `.needed(half_width)` says how many queries or gold labels an interval of that size takes.

    Parameters
    ----------
    observed
        The rate by the judge's labels: P@1, or mean P@k over `n` queries.
    n
        Number of queries.
    relevant
        (hits, n): of n documents that are relevant, the judge called so many relevant.
    nonrelevant
        (hits, n): of n documents that are not relevant, the judge rejected so many.
    sd
        Standard deviation of the per-query values, where `observed` is a mean.
    inside
        The gold labels are of a random sample of the scored documents themselves. Then take `.rectified`: it
        divides by no accuracy, and its interval is far shorter.

    Returns
    -------
    CorrectedRate
        `.estimate`, `.se`, `.interval`, `.needed(half_width)`. Its table:

        - `rate`: observed, n, estimate, se, low, high, wald_low, wald_high, D, admissible, notes

    Examples
    --------
    >>> low, high = corrected_rate(0.6260, 10278, (43, 59), (67, 84), sd=0.414).interval
    >>> print(f"{low:.3f} to {high:.3f}")
    0.649 to 1.014
    """
    rate, size = _check_rate(observed, n, sd)
    (h1, n1), (h0, n0) = _check_hits(relevant, "relevant"), _check_hits(nonrelevant, "nonrelevant")
    z = quantile(level)
    se_, sp = h1 / n1, h0 / n0
    v_se, v_sp, v_j = se_ * (1 - se_) / n1, sp * (1 - sp) / n0, _variance(rate, size, sd)
    d = se_ + sp - 1
    if d == 0:
        estimate = se = math.nan
        wald = (-math.inf, math.inf)
    else:
        estimate = (rate - 1 + sp) / d
        se = math.sqrt(v_j + estimate**2 * v_se + (1 - estimate) ** 2 * v_sp) / abs(d)
        wald = (estimate - z * se, estimate + z * se)
    exact = ConfidenceSet(fieller(rate - 1 + sp, d, v_j + v_sp, v_se + v_sp, covariance=v_sp, level=level).pieces)
    spread = math.sqrt(v_se + v_sp)
    d_z = d / spread if spread > 0 else math.copysign(math.inf, d) if d else 0.0
    interval: tuple[float, float] | None = None
    if (h1 + 1) / (n1 + 2) + (h0 + 1) / (n0 + 2) > 1:  # else the shrunken judge is not better than a coin
        effective = rate * (1 - rate) / v_j if v_j > 0 else float(size)
        found = lang_reiczigel(rate, effective or float(size), (h1, n1), (h0, n0), level=level)
        interval = (found.low, found.high)
    made = CorrectedRate(
        estimate, se, interval or exact.hull, wald, exact, level, rate, size, sd, (h1, n1), (h0, n0), se_, sp, d, d_z,
        min(1 - sp, se_) <= rate <= max(1 - sp, se_), (),
        rectified_rate(rate, v_j, (h1, n1), (h0, n0), level) if inside else None,
    )  # fmt: skip
    notes = _rate_notes(made)
    if interval is None:
        notes.append(Note("rate.fieller-shown", set=exact))
    if made.rectified is not None:
        low, high = made.rectified.interval
        times = (made.interval[1] - made.interval[0]) / (high - low) if high > low else math.inf
        notes.append(
            f"the gold labels are of the scored documents: take the rectified rate {made.rectified.estimate:.4f} "
            f"[{low:.4f}, {high:.4f}], whose interval is {times:.1f} times shorter."
        )
    return replace(made, notes=tuple(notes))


def _rate_notes(made: CorrectedRate) -> list[str]:
    """What a reader must know, each with its number."""
    notes: list[str] = []
    rate, se_, sp, d = made.observed, made.sensitivity, made.specificity, made.discrimination
    if d == 0:
        notes.append(
            "the judge is not better than a coin on the calibration documents (Se + Sp = 1): the rate cannot be "
            "corrected, and no number is given."
        )
    elif d < 0:
        notes.append(f"the judge is worse than a coin (D = {d:.3f}): are the grades reversed?")
    if not made.admissible and d != 0:
        v_se, v_sp = made.variance_accuracies
        edge, name, v_edge = (1 - sp, "1 − Sp", v_sp) if rate < 1 - sp else (se_, "Se", v_se)
        spread = math.sqrt(made.variance_observed + v_edge)
        z = abs(rate - edge) / spread if spread > 0 else math.inf
        p = two_sided_p(z) / 2
        side = "below" if rate < edge else "above"
        verdict = (
            "more than chance allows: the calibration documents are not like the scored ones"
            if p < 0.05
            else "which chance allows"
        )
        notes.append(
            f"the observed rate {rate:.4f} lies {side} {name} = {edge:.4f}, impossible for such a judge "
            f"(z = {z:.2f}, p {p_text(p)}), {verdict}; the estimate {made.estimate:.4f} is outside [0, 1] "
            "and is not clipped."
        )
    if d != 0 and abs(made.discrimination_z) < WEAK:
        notes.append(Note("rate.fieller-trusted", d=d, z=abs(made.discrimination_z), set=made.fieller))
    fewest = min(made.relevant[1], made.nonrelevant[1])
    if fewest < 10:
        few = counted(fewest, "calibration document")
        notes.append(f"only {few} of one kind: too few for any normal approximation.")
    return notes


def rectified_rate(
    observed: float, variance: float, relevant: tuple[int, int], nonrelevant: tuple[int, int], level: float
) -> RectifiedRate:
    """The rate from gold labels of a random sample of the scored documents themselves; `variance` is V(j̄).

    With f₁ the share of gold-relevant documents among those that the judge called relevant, f₀ among the others (both
    shrunk by half a label of either kind),

        ĝ = j̄·f₁ + (1 − j̄)·f₀,   σ² = j̄²V(f₁) + (1 − j̄)²V(f₀) + (f₁ − f₀)²·V(j̄).

    No accuracy is divided by, so nothing is inflated by a weak judge: about 2.4 times shorter intervals than through
    Se and Sp. Not for gold labels from elsewhere, or chosen by their gold grade: they say nothing of f₁ and f₀ here.

    >>> rate = rectified_rate(0.6, 0.0002, (90, 100), (80, 100), 0.95)
    >>> round(rate.estimate, 4), round(rate.se, 4)
    (0.5353, 0.0277)
    """
    (h1, n1), (h0, n0) = relevant, nonrelevant
    called, rejected = h1 + (n0 - h0), (n1 - h1) + h0  # what the judge called relevant, and not
    f1, f0 = (h1 + 0.5) / (called + 1), (n1 - h1 + 0.5) / (rejected + 1)
    estimate = observed * f1 + (1 - observed) * f0
    v1, v0 = f1 * (1 - f1) / (called + 1), f0 * (1 - f0) / (rejected + 1)
    se = math.sqrt(observed**2 * v1 + (1 - observed) ** 2 * v0 + (f1 - f0) ** 2 * variance)
    half = quantile(level) * se
    return RectifiedRate(estimate, se, (estimate - half, estimate + half))


# ── checks and pieces ────────────────────────────────────────────────────────────────────────────────────────────────
def _check_rate(observed: float, n: int, sd: float | None) -> tuple[float, int]:
    rate = float(observed) if isinstance(observed, int | float | np.integer | np.floating) else math.nan
    if not 0.0 <= rate <= 1.0:
        raise InputError(
            Text(Option("observed", observed), " is not a rate."), "Give the mean of bronze judgments, between 0 and 1."
        )
    size = _whole(n, "n")
    if size < 1:
        raise InputError(Text(Option("n", n), ": a rate needs at least one query."))
    if sd is None:
        return rate, size
    if not (math.isfinite(sd) and sd >= 0):
        raise InputError(
            Text(Option("sd", sd), " is not a standard deviation."), "Give the standard deviation of per-query values."
        )
    if size < 2:
        raise InputError(
            Text(Option("sd", sd), " of one query: a standard deviation needs two."), "Leave sd out for P@1."
        )
    most = math.sqrt(rate * (1 - rate) * size / (size - 1))
    if sd > 1.01 * most:  # both numbers may have been rounded
        raise InputError(
            Text(
                Option("sd", sd), f" is impossible: values between 0 and 1 with mean {rate:g} have at most {most:.4f}."
            ),
            "Give the standard deviation of per-query values (not in per cent, not of their sum).",
        )
    return rate, size


def _check_hits(pair: tuple[int, int], name: str) -> tuple[int, int]:
    try:
        hits, n = pair
    except (TypeError, ValueError):
        raise InputError(
            Text(Option(name, pair), " is not (hits, n)."), f"Write {name}=(43, 59), for example."
        ) from None
    h, size = _whole(hits, f"{name} hits"), _whole(n, f"{name} n")
    if size < 1:
        raise InputError(
            Text(Option(name, pair), ": no calibration document of this kind."),
            "The judge's accuracy on them is unknown.",
        )
    if not 0 <= h <= size:
        raise InputError(Text(Option(name, pair), ": hits must lie between 0 and n."))
    return h, size


def _whole(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(Text(Option(name, value), " is not a whole number."))
    if not math.isfinite(value) or value != int(value):
        counts = ("Hits are counts of documents; a rate such as 0.73 is not enough.",) if " " in name else ()
        raise InputError(Text(Option(name, value), " is not a whole number."), *counts)
    return int(value)


def _variance(rate: float, n: int, sd: float | None) -> float:
    return rate * (1 - rate) / n if sd is None else sd**2 / n


def out_of(pair: tuple[int, int]) -> str:
    return f"{pair[0]} of {pair[1]}"
