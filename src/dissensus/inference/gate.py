"""Is the new version worse? A gate for continuous integration: pass, fail, or cannot tell.

    >>> import dissensus as ds
    >>> runs = {s: {f"q{q}": {"a": 2.0, "b": 1.0} for q in range(20)} for s in ("old", "new")}
    >>> labels = ds.Judgments.from_dict({"nist": {f"q{q}": {"a": q % 2, "b": 1} for q in range(20)}})
    >>> result = ds.gate(ds.Runs.from_dict({"old": runs["old"]}), ds.Runs.from_dict({"new": runs["new"]}), labels,
    ...                  "nDCG@10", tolerance=0.01)
    >>> print(result.decision)
    pass

With Δ = new − base, counted so that more is better, and a tolerance δ ≥ 0 that you must name:

    pass          the interval's lower end is at or above −δ (identical rankings pass); with must_improve, above 0
    fail          its upper end is below −δ
    cannot tell   otherwise

By one measure this is the two-sided interval of `level`. Several measures: Holm's adjustment of the one-sided p-values
of "Δ ≤ −δ" and "Δ ≥ −δ", at half of 1 − level, decides. The gate passes if every measure does and fails if one does.
The intervals shown are Bonferroni's. With an audit, Δ is corrected for the judge's errors. Without one the labels are
taken as true, which the result says.

When not to use it: to find out whether the new version is *better*, compare the two with `ds.compare`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.inference.comparison.api import COMPARED
from dissensus.inference.comparison.outcome import Outcome
from dissensus.inference.correction.questions import CorrectionOptions
from dissensus.inference.gate_differences import (
    GateDifference,
    as_scored,
    both_runs,
    concluded,
    corrected_by_audit,
    corrected_by_gold,
    evaluated,
)
from dissensus.io.options import LabelKeywords, Missing
from dissensus.measures.catalog import lower_is_better
from dissensus.measures.policies import Empty, Policies, Ties, Topics, Unjudged
from dissensus.results import Result, Table, Tables, single_values
from dissensus.stats.intervals import check_level, p_text, quantile
from dissensus.stats.multiplicity import holm
from dissensus.tables.coercion import coerced

if TYPE_CHECKING:
    from dissensus.measures.scores import How

Decided = Literal["pass", "fail", "cannot tell"]
EXIT: dict[str, int] = {"pass": 0, "fail": 1, "cannot tell": 3}


@dataclass(frozen=True)
class Check:
    """One measure: scores (NaN where only the difference is known), new − base, and what follows.

    `p_worse` is the adjusted one-sided p of "not worse by more than the tolerance": small, and the gate fails;
    `p_good` that of "worse by the tolerance or more" (with must_improve: "not better"): small, and it passes.
    """

    measure: str
    base_score: float
    new_score: float
    difference: float
    se: float
    df: float
    low: float
    high: float
    p_worse: float
    p_good: float
    decision: Decided
    identical: bool = False
    remark: str = ""
    how: How = "mean"

    def sentence(self, tolerance: float, must_improve: bool) -> str:
        """The measure's verdict in words."""
        if self.identical:
            return f"{self.measure}: {self.decision}; base and new have the same score on every topic"
        if math.isnan(self.difference):
            return f"{self.measure}: {self.decision}; {self.remark}"
        shown = (
            f"{self.measure}: {self.decision}; new − base = {self.difference:+.4f} [{self.low:.4f}, {self.high:.4f}]"
        )
        limit = "0, for it must improve" if must_improve else f"the tolerance of {tolerance:g}"
        p = self.p_worse if self.decision == "fail" else self.p_good
        return f"{shown} against {limit} (one-sided p {p_text(p)})"


@dataclass(frozen=True)
class Gate(Result):
    """`.decision` is "pass", "fail" or "cannot tell"; `.checks` one `Check` per measure; `.exit_code` 0, 1 or 3."""

    decision: Decided
    checks: tuple[Check, ...]
    base: str
    new: str
    tolerance: float
    must_improve: bool
    level: float
    corrected: bool
    topics: int
    notes: tuple[str, ...] = ()
    conclude: Callable[[], Outcome] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def outcome(self) -> Outcome:
        """What is concluded of the two runs by the first measure; the base is the system in use."""
        if self.conclude is None:
            raise InputError("this gate was made without the scores behind it: it has a decision and no outcome.")
        return self.conclude()

    @property
    def exit_code(self) -> int:
        return EXIT[self.decision]

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        if self.must_improve and self.decision == "pass":
            return f"pass: {self.new} is better than {self.base}"
        worse = f"worse than {self.base} by more than {self.tolerance:g}"
        if self.decision == "cannot tell":
            what = f"better than {self.base}" if self.must_improve else worse
            return f"cannot tell: the data do not show whether {self.new} is {what}"
        return f"{self.decision}: {self.new} is {'not ' if self.decision == 'pass' else ''}{worse}"

    @property
    def claims(self) -> list[object]:
        """The verdict first, then a line per measure and what is concluded."""
        return [
            self.headline,
            *(f"  {c.sentence(self.tolerance, self.must_improve)}" for c in self.checks),
            *([] if self.conclude is None else self.outcome.claims[:3]),
        ]

    def screen(self, whole: bool = False) -> Tables:
        """The claims alone: they hold every number that decides."""
        return Tables({}, notes=self.notes, claims=self.claims)

    @property
    def facts(self) -> dict[str, object]:
        """The single values of the result."""
        return {**single_values(self), "exit_code": self.exit_code, "headline": self.headline}

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"checks": Table.of(self._rows(), level=self.level)}

    def _rows(self) -> pl.DataFrame:
        columns = ("measure", "base_score", "new_score", "difference", "se", "low", "high", "p_worse", "p_good")
        rows = [{**{k: getattr(c, k) for k in columns}, "decision": c.decision} for c in self.checks]
        return pl.DataFrame(rows)


@coerced
def gate(
    base: Any,
    new: Any,
    judgments: Any,
    measures: str | Sequence[str],
    *,
    tolerance: float,
    audit: Any = None,
    scores: Any = None,
    gold: str | None = None,
    missing: Missing | None = None,
    must_improve: bool = False,
    assessor: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    topics: Topics = Policies.topics,
    unjudged: Unjudged = Policies.unjudged,
    ties: Ties = Policies.ties,
    empty: Empty = Policies.empty,
    **reading: Unpack[LabelKeywords],
) -> Gate:
    """Is `new` worse than `base` by more than `tolerance`? Pass, fail or cannot tell.

    Sums over topics are held against the tolerance as sums, geometric means as mean logarithms.

    Parameters
    ----------
    base, new
        Runs of one system each (Runs, a file, a frame, {topic: {doc: score}}). With `scores`, names of two of
        its systems.
    judgments
        The labels. None with `scores`.
    measures
        A measure or several. All must pass, and Holm's adjustment decides.
    tolerance
        The largest loss that does not matter. There is no default.
    audit
        Expert labels of some scored documents. The difference is corrected for the judge's errors.
    scores
        Scores of `evaluate` or a table of scores, instead of runs and labels.
    gold
        In a table of scores, the judge whose scores on some of the topics correct the others.
    missing
        With gold: skip leaves topics out on which gold lacks some systems.
    must_improve
        Pass only if the new run is shown to be better.

    Returns
    -------
    Gate
        `.decision` (pass, fail or cannot tell), `.exit_code`, `.headline`, `.outcome`. Its table:

        - `checks`: measure, base_score, new_score, difference, se, low, high, p_worse, p_good,
          decision

    Examples
    --------
    >>> import dissensus as ds
    >>> base = {f"q{q}": {"x": 2.0 - q % 2, "y": 1.5} for q in range(12)}
    >>> labels = {"ann": {f"q{q}": {"x": 1, "y": 0} for q in range(12)}}
    >>> ds.gate(base, base, labels, "P@1", tolerance=0.01).decision
    'pass'
    """
    check_level(level)
    if not (isinstance(tolerance, int | float) and math.isfinite(tolerance) and tolerance >= 0):
        raise InputError(
            Text(Option("tolerance", tolerance), ": the largest loss that does not matter is a number of at least 0.")
        )
    wanted = [measures] if isinstance(measures, str) else [str(m) for m in measures]
    if not wanted:
        raise InputError("no measure was named.", Fix("Name one: ", Option("measures", "nDCG@10"), "."))
    if gold is not None and scores is None:
        raise InputError(
            Text(Option("gold", gold), " names a judge of a table of scores, and there is none."),
            Fix("Give the table, or correct labels with ", Option("audit"), "."),
        )
    options: Values = {"assessor": assessor, "level": level, "negligible": tolerance or None, "seed": seed}
    if scores is not None:
        if audit is not None:
            raise InputError("an audit corrects labels, and a table of scores holds none.", "Give runs and judgments.")
        names = (str(base), str(new))
        n_topics, notes = int(scores.sizes["topic"]), ["scores from a table, uncorrected"]
        conclude = partial(concluded, scores, names, wanted[0], gold=gold, missing=missing, **options)
        if gold is None:
            differences = as_scored(scores, names, wanted, assessor)
        else:
            differences, notes = corrected_by_gold(scores, names, wanted, assessor, gold, missing)
    else:
        runs, names = both_runs(base, new)
        policies = Policies(topics, unjudged, ties, empty)
        if audit is None:
            mine = judgments if assessor is None else judgments.select(assessors=[assessor])
            table, notes = evaluated(runs, mine, wanted, policies, seed)
            differences, n_topics = as_scored(table, names, wanted, assessor), len(table.topics)
            conclude = partial(concluded, table, names, wanted[0], **options)
        else:
            result, differences, notes = corrected_by_audit(
                runs,
                judgments,
                audit,
                names,
                wanted,
                CorrectionOptions(policies, assessor=assessor, level=level, seed=seed),
            )
            n_topics = len(result.topics)
            conclude = partial(result.conclude, negligible=tolerance or None, in_use=names[0])
    checks = _decided(differences, float(tolerance), must_improve, level)
    corrected = audit is not None or gold is not None
    bar = 0.0 if must_improve else -float(tolerance)
    notes = [*_settled(checks, differences, bar), *_compared(checks), *notes]
    if len(checks) > 1:
        how = "Holm's adjustment of one-sided p-values decides; intervals are Bonferroni's"
        notes.insert(0, f"{len(checks)} measures: {how}")
    kinds = {c.decision for c in checks}
    decision: Decided = "fail" if "fail" in kinds else "pass" if kinds == {"pass"} else "cannot tell"
    said = tuple(filter(None, notes))
    return Gate(
        decision, tuple(checks), *names, float(tolerance), must_improve, level, corrected, n_topics, said, conclude
    )


# ── the decision ─────────────────────────────────────────────────────────────────────────────────────────────────────
def _decided(found: list[GateDifference], tolerance: float, must_improve: bool, level: float) -> list[Check]:
    """One check per measure; Holm over measures on one-sided p-values."""
    alpha, m = (1 - level) / 2, len(found)
    bar = 0.0 if must_improve else -tolerance
    sign = [-1.0 if lower_is_better(d.measure) else 1.0 for d in found]
    worse = [_one_sided(-(s * d.difference + tolerance), d) for s, d in zip(sign, found, strict=True)]
    good = [_one_sided(s * d.difference - bar, d) for s, d in zip(sign, found, strict=True)]
    adjusted = [[float(p) for p in holm(np.nan_to_num(each, nan=1.0))] for each in (worse, good)]
    out = []
    for d, p_worse, p_good in zip(found, *adjusted, strict=True):
        low, high = _interval(d, 1 - (1 - level) / m)
        same = d.difference == d.se == 0
        decision: Decided = "cannot tell"
        if p_worse < alpha:
            decision = "fail"
        elif p_good < alpha or (same and not must_improve):
            decision = "pass"
        out.append(
            Check(d.measure, d.base, d.new, d.difference, d.se, d.df, low, high, p_worse, p_good, decision, same,
                  d.remark, d.how)
        )  # fmt: skip
    return out


def _settled(checks: list[Check], found: list[GateDifference], bar: float) -> list[str]:
    """What it would take to tell, where the gate cannot: the distance of the difference from the bar."""
    out = []
    for check, d in zip(checks, found, strict=True):
        sign = -1.0 if lower_is_better(d.measure) else 1.0
        distance = abs(sign * d.difference - bar)
        if check.decision == "cannot tell" and d.needs is not None and distance > 0 and math.isfinite(distance):
            out.append(f"{d.measure}: new − base lies {distance:.3g} from the limit; {d.needs(distance)}")
    return out


def _compared(checks: list[Check]) -> list[str]:
    """What the tolerance is about where the mean over topics is not a measure's aggregate."""
    return [f"{c.measure}: {COMPARED[c.how]}" for c in checks if c.how != "mean"]


def _one_sided(distance: float, d: GateDifference) -> float:
    """p of a difference that lies `distance` beyond the bar; by the signs alone where all topics agree exactly."""
    from scipy.special import ndtr, stdtr

    if math.isnan(distance):
        return math.nan
    if d.se == 0:
        return 2.0 ** -(d.df + 1) if distance > 0 and d.difference != 0 else float(distance <= 0)
    t = distance / d.se
    return float(ndtr(-t) if math.isinf(d.df) else stdtr(d.df, -t))


def _interval(d: GateDifference, level: float) -> tuple[float, float]:
    if math.isnan(d.difference):
        return math.nan, math.nan
    if d.se == 0 and d.difference != 0 and 2.0**-d.df >= 1 - level:
        return -math.inf, math.inf
    half = quantile(level, d.df) * d.se
    return d.difference - half, d.difference + half
