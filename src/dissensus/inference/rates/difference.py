"""The difference of two corrected rates, from counts alone.

    >>> from dissensus import corrected_rate
    >>> a = corrected_rate(0.6260, 10278, relevant=(43, 59), nonrelevant=(67, 84), sd=0.414)
    >>> b = corrected_rate(0.6385, 20604, relevant=(43, 59), nonrelevant=(67, 84), sd=0.402)
    >>> both = compare_rates(a, b)  # one judge served both: its error cancels
    >>> print(f"{both.difference:.4f} ± {both.se:.5f}, p = {both.p_value:.3f}")
    -0.0237 ± 0.00996, p = 0.017
    >>> print(f"p = {compare_rates(a, b, judge='separate').p_value:.3f}")  # as if there had been two judges
    p = 0.854

When not to use it: the judge must err equally on both systems' documents. If it favours one of them, a shared matrix is
wrong however many calibration labels there are; use `ds.correct` with an audit of the scored documents.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from dissensus.aliases import described
from dissensus.errors import Fix, InputError, Note, Option, Text
from dissensus.inference.comparison.engine import check_difference, margin
from dissensus.inference.rates.api import CorrectedRate, out_of
from dissensus.inference.rates.needs import Needs, needs
from dissensus.results import Result, Table
from dissensus.stats.intervals import WEAK, ConfidenceSet, fieller, p_text, quantile, two_sided_p

Judge = Literal["shared", "separate"]


@dataclass(frozen=True)
class RateComparison(Result):
    """The difference of two corrected rates, a − b.

    `p_value` and `interval` are Wald's, or Fieller's where D/se(D) < 5. `method` says which, and both are here.
    Where Fieller's set is two rays or the line, `interval` is its hull (−∞, ∞) and `fieller` the set itself.
    """

    difference: float
    se: float
    interval: tuple[float, float]
    p_value: float
    method: str
    wald: tuple[float, float]
    p_wald: float
    fieller: ConfidenceSet
    p_fieller: float
    judge: Judge
    level: float
    notes: tuple[str, ...]
    parts: tuple[float, float, float] = (math.nan, math.nan, math.nan)  # V(j̄ difference), V_calibration, D
    queries: int = 0
    labels: int = 0
    admissible: bool = True  # may both observed rates come from judges of these accuracies?

    def needed(self, difference: float, power: float = 0.8) -> Needs:
        """Queries (of both together), or gold labels, that find `difference` with `power`, under a shared judge."""
        check_difference(difference)
        if not self.admissible:
            raise InputError(
                "an observed rate lies where a judge of these accuracies cannot put it: no number of labels follows.",
                "Measure the accuracies on documents like the scored ones.",
            )
        observed, calibration, d = self.parts
        if math.isnan(d):
            raise InputError(
                Text("what it takes is known for ", Option("judge", "shared"), " only."),
                "Two calibrations add two errors: ask each rate, rate.needed(half_width).",
            )
        # the calibration's part grows with the difference: what it would be at the one asked about
        scaled = calibration * difference**2
        return needs(
            observed, scaled, d, difference / margin(math.inf, self.level, power), queries=self.queries,
            labels=self.labels,
        )  # fmt: skip

    def __str__(self) -> str:
        known = "no difference can be given"
        if not math.isnan(self.difference):
            known = f"difference {self.difference:.4f} ± {self.se:.4f}"
        shown = str(self.fieller) if self.method == "Fieller" else f"[{self.wald[0]:.4f}, {self.wald[1]:.4f}]"
        head = (
            f"{known}, {self.level:.0%} {self.method} set {shown}, p {p_text(self.p_value, 4)} "
            f"(Wald p {p_text(self.p_wald, 4)}, Fieller p {p_text(self.p_fieller, 4)}), judge {self.judge}"
        )
        return "\n".join((head, *(f"  {note}" for note in self.notes)))

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"difference": Table.of(self._rows(), level=self.level)}

    def _rows(self) -> pl.DataFrame:
        row = {
            "difference": self.difference,
            "se": self.se,
            "low": self.interval[0],
            "high": self.interval[1],
            "p_value": self.p_value,
            "method": self.method,
            "p_wald": self.p_wald,
            "p_fieller": self.p_fieller,
            "judge": self.judge,
            "notes": "; ".join(self.notes),
        }
        return pl.DataFrame([row])


@described
def compare_rates(
    a: CorrectedRate, b: CorrectedRate, judge: Judge = "shared", paired_sd: float | None = None
) -> RateComparison:
    """The difference a − b of two corrected rates.

    With one judge and one calibration, Δ = (j̄_a − j̄_b)/D and the judge's error nearly cancels: Var Δ = [V(j̄_a −
    j̄_b) + Δ²(V_Se + V_Sp)]/D². Adding the two variances, as eq. 10 of the paper does, hides real differences.

    Parameters
    ----------
    a, b
        Rates from `corrected_rate`.
    judge
        shared is one judge with one calibration. With separate, each rate has its own, and the variances add.
    paired_sd
        Standard deviation of the per-query differences, where both were measured on the same queries.

    Returns
    -------
    RateComparison
        `.difference`, `.se`, `.interval`, `.p_value`. Its table:

        - `difference`: difference, se, low, high, p_value, method, p_wald, p_fieller, judge, notes

    Examples
    --------
    >>> import dissensus as ds
    >>> a, b = (ds.corrected_rate(rate, 400, (70, 100), (80, 100)) for rate in (0.62, 0.55))
    >>> round(ds.compare_rates(a, b).difference, 2)
    0.14
    """
    for name, rate in (("a", a), ("b", b)):
        if not isinstance(rate, CorrectedRate):
            raise InputError(f"{name}={rate!r} is not a corrected rate.", "Make both with ds.corrected_rate(…).")
    if judge not in ("shared", "separate"):
        raise InputError(Text(Option("judge", judge), " is neither 'shared' nor 'separate'."))
    if a.level != b.level:
        raise InputError(f"the rates have different levels, {a.level} and {b.level}.", "Compute both at one level.")
    v_n = _variance_difference(a, b, paired_sd)
    if judge == "separate":
        return _separate(a, b, v_n)
    if (a.relevant, a.nonrelevant) != (b.relevant, b.nonrelevant):
        raise InputError(
            Text(
                Option("judge", "shared"),
                f" needs equal calibration counts, but a has {out_of(a.relevant)} and "
                f"{out_of(a.nonrelevant)}, b has {out_of(b.relevant)} and {out_of(b.nonrelevant)}.",
            ),
            Fix("Pool the counts if it was one judge, or say ", Option("judge", "separate"), "."),
        )
    return _shared(a, b, v_n)


@dataclass(frozen=True)
class _Both:
    """Wald's and Fieller's answer about one difference; a weak judge is answered by Fieller's."""

    difference: float
    se: float
    wald: tuple[float, float]
    p_wald: float
    fieller: ConfidenceSet
    p_fieller: float
    weak: bool

    def result(self, judge: Judge, level: float, notes: list[str]) -> RateComparison:
        interval, p, method = (
            (self.fieller.hull, self.p_fieller, "Fieller") if self.weak else (self.wald, self.p_wald, "Wald")
        )
        return RateComparison(
            self.difference, self.se, interval, p, method, self.wald, self.p_wald, self.fieller, self.p_fieller,
            judge, level, tuple(notes),
        )  # fmt: skip


def _shared(a: CorrectedRate, b: CorrectedRate, v_n: float) -> RateComparison:
    z = quantile(a.level)
    d, n = a.discrimination, a.observed - b.observed
    v_d = sum(a.variance_accuracies)
    exact = ConfidenceSet(fieller(n, d, v_n, v_d, level=a.level).pieces)
    p_fieller = two_sided_p(abs(n) / math.sqrt(v_n)) if v_n > 0 else float(n == 0)
    notes = _about_both(a, b)
    if d == 0:
        delta = se = p_wald = math.nan
        wald = (-math.inf, math.inf)
    else:
        delta = n / d
        se = math.sqrt(v_n + delta**2 * v_d) / abs(d)
        wald = (delta - z * se, delta + z * se)
        p_wald = two_sided_p(abs(delta) / se) if se > 0 else float(delta == 0)
    weak = abs(a.discrimination_z) < WEAK
    if weak:
        notes.append(
            f"D/se(D) = {abs(a.discrimination_z):.1f} < {WEAK:g}: Fieller's set is used; it is {_named(exact)}. "
            "Its p-value is that of the bronze rates: a weak judge scales a difference, but does not create one."
        )
    both = _Both(delta, se, wald, p_wald, exact, p_fieller, weak)
    labels = a.relevant[1] + a.nonrelevant[1]
    return replace(
        both.result("shared", a.level, notes), parts=(v_n, v_d, d), queries=a.n + b.n, labels=labels,
        admissible=a.admissible and b.admissible,
    )  # fmt: skip


def _separate(a: CorrectedRate, b: CorrectedRate, v_n: float) -> RateComparison:
    z = quantile(a.level)
    delta = a.estimate - b.estimate
    cov = (a.variance_observed + b.variance_observed - v_n) / 2
    product = a.discrimination * b.discrimination
    se = math.sqrt(a.se**2 + b.se**2 - 2 * cov / product) if product else math.nan
    wald = (delta - z * se, delta + z * se) if product else (-math.inf, math.inf)
    p_wald = math.nan if not product else two_sided_p(abs(delta) / se) if se > 0 else float(delta == 0)
    exact = _apart(a, b, 1 - a.level)
    p_fieller = _smallest_alpha(a, b)
    weak = min(abs(a.discrimination_z), abs(b.discrimination_z)) < WEAK
    notes = _about_both(a, b)
    if weak:
        notes.append(
            "D/se(D) < 5 for a judge: the set is the difference of the two rates' Fieller sets, each at half the error "
            f"rate (conservative); it is {_named(exact)}."
        )
    return _Both(delta, se, wald, p_wald, exact, p_fieller, weak).result("separate", a.level, notes)


def _about_both(a: CorrectedRate, b: CorrectedRate) -> list[str]:
    """What the notes on the rates say about the judge and the calibration, not about the rates' own intervals."""
    said = dict.fromkeys((*a.notes, *b.notes))
    own = ("rate.fieller-trusted", "rate.fieller-shown")
    return [note for note in said if not (isinstance(note, Note) and note.kind in own)]


def _rate_set(rate: CorrectedRate, alpha: float) -> ConfidenceSet:
    v_se, v_sp = rate.variance_accuracies
    numerator, variance = rate.observed - 1 + rate.specificity, rate.variance_observed + v_sp
    found = fieller(numerator, rate.discrimination, variance, v_se + v_sp, covariance=v_sp, level=1 - alpha)
    return ConfidenceSet(found.pieces)


def _apart(a: CorrectedRate, b: CorrectedRate, alpha: float) -> ConfidenceSet:
    """Differences of the two Fieller sets at error rate alpha/2 each: covers at least 1 − alpha (Bonferroni)."""
    left, right = _rate_set(a, alpha / 2), _rate_set(b, alpha / 2)
    if left.kind != "interval" or right.kind != "interval":
        return ConfidenceSet(((-math.inf, math.inf),))
    (a_low, a_high), (b_low, b_high) = left.hull, right.hull
    return ConfidenceSet(((a_low - b_high, a_high - b_low),))


def _smallest_alpha(a: CorrectedRate, b: CorrectedRate) -> float:
    """The p-value that belongs to `_apart`: the smallest error rate at which 0 is excluded."""
    low, high = 1e-12, 1.0 - 1e-12
    if 0.0 in _apart(a, b, high):
        return 1.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if 0.0 in _apart(a, b, middle) else (low, middle)
    return high


def _variance_difference(a: CorrectedRate, b: CorrectedRate, paired_sd: float | None) -> float:
    if paired_sd is None:
        return a.variance_observed + b.variance_observed
    if not (math.isfinite(paired_sd) and paired_sd >= 0):
        raise InputError(Text(Option("paired_sd", paired_sd), " is not a standard deviation."))
    if a.n != b.n:
        raise InputError(
            Text(Option("paired_sd", None), f" needs the same queries in both, but n is {a.n:,} and {b.n:,}.")
        )
    sd_a, sd_b = math.sqrt(a.n * a.variance_observed), math.sqrt(b.n * b.variance_observed)
    least, most = abs(sd_a - sd_b), sd_a + sd_b
    if not 0.99 * least <= paired_sd <= 1.01 * most:  # numbers may have been rounded
        raise InputError(
            Text(
                Option("paired_sd", paired_sd),
                f" is impossible: per-query values with standard deviations {sd_a:.4f} and {sd_b:.4f} differ by one "
                f"between {least:.4f} and {most:.4f}.",
            ),
            "Give the standard deviation of per-query differences.",
        )
    return paired_sd**2 / a.n


def _named(found: ConfidenceSet) -> str:
    return {"interval": f"the interval {found}", "line": "the whole line: the data do not bound the difference"}.get(
        found.kind, f"{found.kind} {found}: the judge's D is not separated from 0"
    )
