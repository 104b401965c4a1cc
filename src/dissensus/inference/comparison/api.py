"""Which systems differ? Ordinary significance tests on per-topic scores, for labels that are taken at their word.

    >>> import dissensus as ds, numpy as np, xarray as xr
    >>> rng = np.random.default_rng(0)
    >>> base = rng.random(30)
    >>> both = [[base, base + 0.1 + 0.05 * rng.normal(size=30)]]
    >>> scores = xr.Dataset({"AP": (("assessor", "system", "topic"), both)},
    ...     coords={"assessor": ["nist"], "system": ["A", "B"], "topic": [str(t) for t in range(30)]})
    >>> result = ds.compare(scores, "AP")
    >>> print(result.pairs[0].verdict)
    B beats A by 0.114 [0.096, 0.132], p < 0.001

Intervals and p-values are adjusted together, for the family of all pairs × measures asked for, which is printed.
If the labels come from a judge who errs, test corrected scores instead: `ds.correct(…).compare_all()`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import DataWarning, Fix, InputError, Option, Text
from dissensus.inference.comparison.difference import Difference, Differences, best_first, contrasts, indistinct
from dissensus.inference.comparison.power import check_difference
from dissensus.inference.correction.result import mean_defined
from dissensus.stats.multiplicity import adjust
from dissensus.work.plural import counted

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.stats.anova import Anova

Floats = NDArray[np.float64]
Test = Literal["t", "welch", "randomization", "bootstrap", "wilcoxon", "tukey"]
TESTS = ("t", "welch", "randomization", "bootstrap", "wilcoxon", "tukey")
NAMES = {
    "t": "paired t",
    "welch": "Welch's t (different topics)",
    "randomization": "sign-flip randomisation",
    "bootstrap": "studentised bootstrap",
    "wilcoxon": "Wilcoxon signed ranks",
    "tukey": "paired randomised Tukey HSD (topics are blocks)",
}


@dataclass(frozen=True, eq=False)
class _Scores:
    """Scores of the systems under test, systems × topics, and what was left out."""

    systems: list[str]
    values: Floats
    notes: tuple[str, ...]


def compare(
    scores: xr.Dataset,
    measure: str | Sequence[str],
    test: Test = "t",
    correction: str = "holm",
    *,
    assessor: str | None = None,
    difference: float | None = None,
    level: float = 0.95,
    replicates: int = 10_000,
    seed: int = 0,
) -> Differences:
    """Test every pair of systems under every measure named.

    `test`: "t" (paired), "welch" (systems measured on different topics), "randomization" (sign flips, p = (k+1)/(n+1)),
    "bootstrap" (studentised), "wilcoxon", "tukey" (paired randomised Tukey HSD: adjusts by itself, per measure).
    `correction`: "holm", "bonferroni", "bh" (share of false finds), "none". Intervals are widened with it: to
    Bonferroni's level for the first two, to the selected share (Benjamini & Yekutieli) for "bh".
    `difference` names one you care about: where nobody can tell, the verdict says how many topics it would take.
    """
    from dissensus.stats.intervals import check_level

    if test not in TESTS:
        raise InputError(Text(Option("test", test), f" is none of {', '.join(map(repr, TESTS))}."))
    if correction not in ("holm", "bonferroni", "bh", "none"):
        raise InputError(Text(Option("correction", correction), " is none of 'holm', 'bonferroni', 'bh', 'none'."))
    check_level(level)
    check_difference(difference)
    names = [measure] if isinstance(measure, str) else [str(m) for m in measure]
    chosen = {name: _select(scores, name, assessor) for name in names}
    family = sum(math.comb(len(c.systems), 2) for c in chosen.values())
    if family == 0:
        raise InputError("there are fewer than two systems to compare.", *next(iter(chosen.values())).notes)
    pairs: list[Difference] = []
    for name, c in chosen.items():
        # Tukey adjusts within a measure by itself; several measures share the error rate
        adjusted_level = _level(level, *(("bonferroni", len(names)) if test == "tukey" else (correction, family)))
        pairs += _test(c, name, test, adjusted_level, level, replicates, seed, difference)
    pairs = _tukey_family(pairs, len(names)) if test == "tukey" else _adjust(pairs, correction, family, level)
    if test not in ("tukey",) and correction == "bh":
        pairs = _false_coverage(chosen, pairs, test, level, replicates, seed, family, difference)
    groups = {name: _groups(c, [d for d in pairs if d.measure == name]) for name, c in chosen.items()}
    by = "its own ranges" if test == "tukey" else correction
    what = f"{counted(family, 'comparison')} ({counted(len(names), 'measure')} × pairs of systems)"
    said = f"{what}, {NAMES[test]}, adjusted by {by}"
    notes = tuple(dict.fromkeys(n for c in chosen.values() for n in c.notes))
    means = {name: dict(zip(c.systems, mean_defined(c.values).tolist(), strict=True)) for name, c in chosen.items()}
    return Differences(tuple(pairs), groups, said, notes, means)


def _level(level: float, correction: str, family: int) -> float:
    return 1 - (1 - level) / family if correction in ("holm", "bonferroni") else level


# ── what is compared ─────────────────────────────────────────────────────────────────────────────────────────────────
def _select(scores: xr.Dataset, measure: str, assessor: str | None) -> _Scores:
    if measure not in scores:
        from dissensus.measures.catalog import measure as named

        found = str(named(measure))
        if found not in scores:
            raise InputError(
                Text(Option("measure", measure), f" is not among the scores: {', '.join(map(str, scores.data_vars))}.")
            )
        measure = found
    table = scores[measure]
    assessors = [str(a) for a in table.coords["assessor"].values]
    if assessor is None and len(assessors) > 1:
        raise InputError(
            f"the scores hold {len(assessors)} assessors ({', '.join(assessors[:5])}); a test needs one.",
            Fix("Name one with ", Option("assessor"), "."),
            Fix("Analyse assessors as a factor: significance.assessor_anova(scores, measure).", reader="python"),
            Fix(
                "Merge them with ",
                Option("merge", "majority"),
                ", or analyse assessors as a factor with ",
                Option("anova", True),
                ".",
                reader="command",
            ),
        )
    if assessor is not None and assessor not in assessors:
        raise InputError(Text(Option("assessor", assessor), f" is not among {', '.join(assessors[:10])}."))
    values = np.asarray(table.sel(assessor=assessor or assessors[0]).transpose("system", "topic").values, np.float64)
    systems = [str(s) for s in table.coords["system"].values]
    lost = _without_results(scores, systems, values)
    notes = []
    if lost:
        notes.append(f"left out, no results on any topic: {', '.join(lost)}")
        warnings.warn(f"{notes[0]}; it never ran, so it can neither win nor lose.", DataWarning, stacklevel=3)
    keep = [i for i, s in enumerate(systems) if s not in lost]
    return _Scores([systems[i] for i in keep], values[keep], tuple(notes))


def _without_results(scores: xr.Dataset, systems: list[str], values: Floats) -> list[str]:
    """Systems that retrieved nothing at all; without that record, systems whose every score is 0 or undefined."""
    missing = scores.attrs.get("missing")
    topics = [str(t) for t in scores.coords["topic"].values]
    if missing is not None:
        absent = set(missing)
        return [s for s in systems if all(f"{s} {t}" in absent for t in topics)]
    return [s for s, row in zip(systems, values, strict=True) if not np.nan_to_num(row).any()]


# ── tests ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def _test(
    c: _Scores,
    measure: str,
    test: str,
    wide: float,
    level: float,
    replicates: int,
    seed: int,
    difference: float | None = None,
) -> list[Difference]:
    """All pairs of one measure, p-values raw, intervals at the level `wide`."""
    from dissensus.inference.comparison import tests

    a, b = contrasts(len(c.systems))
    if test == "welch":
        results = [tests.welch(c.values[i], c.values[j], wide) for i, j in zip(a, b, strict=True)]
    else:
        common = np.isfinite(c.values).all(axis=0)
        if common.sum() < 2:
            raise InputError(
                f"{measure}: {int(common.sum())} of the topics have scores for all systems; a paired test needs 2.",
                Fix("Use ", Option("test", "welch"), " for systems that were measured on different topics."),
            )
        x = c.values[:, common]
        results = tests.PAIRED[test](x, a, b, wide, replicates, seed)
    out = []
    for i, j, r in zip(a.tolist(), b.tolist(), results, strict=True):
        notes = () if r.n == c.values.shape[1] else (f"{c.values.shape[1] - r.n} topics without a score left out",)
        out.append(
            Difference(
                c.systems[i],
                c.systems[j],
                measure,
                r.difference,
                r.se,
                (r.low, r.high),
                r.p,
                level,
                NAMES[test],
                effect=r.effect,
                detectable=r.detectable,
                notes=notes,
                advice=_advice(r.detectable, r.n, difference),
            )
        )
    return out


def _advice(detectable: float, n: int, difference: float | None) -> str:
    """What could be seen, or how many topics it would take to see `difference`."""
    if math.isnan(detectable):
        return ""
    if difference is None:
        return f"the smallest difference found with 80 % power is {detectable:.3f}"
    if detectable <= difference:
        return f"a difference of {difference:g} would have been seen on {counted(n, 'topic')}"
    topics = math.ceil(n * (detectable / difference) ** 2)
    return f"a difference of {difference:g} would need about {topics:,} topics instead of {n:,}"


def _adjust(pairs: list[Difference], correction: str, family: int, level: float) -> list[Difference]:
    known = [k for k, d in enumerate(pairs) if math.isfinite(d.p_value)]
    p = adjust([pairs[k].p_value for k in known], correction) if known else np.empty(0)  # type: ignore[arg-type]
    name = {"holm": "holm (intervals: Bonferroni)", "bh": "bh (intervals: false coverage rate)"}.get(
        correction, correction
    )
    out = [replace(d, adjusted=name, family=family) for d in pairs]
    for k, value in zip(known, p, strict=True):
        out[k] = replace(out[k], p_value=float(value))
    return out


def _tukey_family(pairs: list[Difference], measures: int) -> list[Difference]:
    """Tukey adjusts within a measure; several measures share the error rate by Bonferroni."""
    return [
        replace(d, p_value=min(1.0, d.p_value * measures), adjusted="randomised Tukey HSD", family=len(pairs))
        for d in pairs
    ]


def _false_coverage(
    chosen: dict[str, _Scores],
    pairs: list[Difference],
    test: str,
    level: float,
    replicates: int,
    seed: int,
    family: int,
    difference: float | None,
) -> list[Difference]:
    """Intervals at level 1 − R·α/m, R the number selected (Benjamini & Yekutieli 2005).

    Theirs are for the selected differences. The others get the same level, at which all of them hold 0: an interval of
    theirs at 1 − α might exclude it beside a verdict that nobody can tell.
    """
    selected = max(sum(d.significant for d in pairs), 1)
    if selected == family:
        return pairs
    wide = 1 - (1 - level) * selected / family
    again = [d for name, c in chosen.items() for d in _test(c, name, test, wide, level, replicates, seed, difference)]
    return [
        replace(d, interval=w.interval, detectable=w.detectable, advice=w.advice)
        for d, w in zip(pairs, again, strict=True)
    ]


def _groups(c: _Scores, pairs: list[Difference]) -> list[list[str]]:
    n = len(c.systems)
    different = np.zeros((n, n), bool)
    for d in pairs:
        if d.significant:
            i, j = c.systems.index(d.a), c.systems.index(d.b)
            different[i, j] = different[j, i] = True
    order = best_first(mean_defined(c.values), pairs[0].measure if pairs else "")
    return [[c.systems[i] for i in g] for g in indistinct(order, different)]


# ── assessors as a factor ────────────────────────────────────────────────────────────────────────────────────────────
def assessor_anova(scores: xr.Dataset, measure: str) -> Anova:
    """Analysis of variance of scores by topic, system and assessor, with their interaction system × assessor.

    A large assessor effect shifts all systems alike and is harmless; a large system × assessor interaction means that
    assessors disagree about which system is better. With one assessor it is the two-way analysis topic × system.
    """
    from dissensus.stats.anova import anova

    if measure not in scores:
        raise InputError(
            Text(Option("measure", measure), f" is not among the scores: {', '.join(map(str, scores.data_vars))}.")
        )
    table = scores[measure].transpose("topic", "system", "assessor")
    values = np.asarray(table.values, np.float64)
    values = values[np.isfinite(values).all(axis=(1, 2))]
    if len(values) < 2:
        raise InputError(
            f"{measure}: {len(values)} topics have a score from every assessor for every system; two are needed."
        )
    names = {d: [str(x) for x in table.coords[d].values] for d in ("system", "assessor")}
    if len(names["assessor"]) == 1:
        return anova(values[:, :, 0], {"topic": len(values), "system": names["system"]})
    factors: dict[str, int | Sequence[str]] = {
        "topic": len(values),
        "system": names["system"],
        "assessor": names["assessor"],
    }
    return anova(values, factors, [("system", "assessor")])
