"""Which systems differ? Ordinary significance tests on per-topic scores, for labels that are taken as true.

    >>> import dissensus as ds, numpy as np, xarray as xr
    >>> rng = np.random.default_rng(0)
    >>> base = rng.random(30)
    >>> both = [[base, base + 0.1 + 0.05 * rng.normal(size=30)]]
    >>> scores = xr.Dataset({"AP": (("assessor", "system", "topic"), both)},
    ...     coords={"assessor": ["nist"], "system": ["A", "B"], "topic": [str(t) for t in range(30)]})
    >>> result = ds.compare(scores, "AP")
    >>> print(result.pairs[0].verdict)
    B is better than A by 0.114 [0.096, 0.132], p < 0.001

Intervals and p-values are adjusted together, for the family of all pairs × measures asked for, which is printed.
If the labels come from a judge that errs, test corrected scores instead: `ds.correct(…).compare_all()`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Unpack, get_args

import numpy as np

from dissensus.arrays import Floats, Ints, Values
from dissensus.errors import DataWarning, Fix, InputError, Option, Text
from dissensus.inference.comparison import tests
from dissensus.inference.comparison.by_group import ByGroup, by_group, groups_of
from dissensus.inference.comparison.difference import Difference
from dissensus.inference.comparison.differences import Basis, Differences
from dissensus.inference.comparison.engine import (
    Adjusted,
    Family,
    adjusted,
    advice,
    check_correction,
    check_difference,
    margins,
    pairs_of,
)
from dissensus.inference.comparison.evidence import outcome_of_gold, outcome_of_scores
from dissensus.inference.comparison.gold_options import check_gold
from dissensus.inference.comparison.other_judges import asked_judges
from dissensus.inference.comparison.outcome import Outcome
from dissensus.inference.correction.gold_topics import beside_naive, notes_of, rectified
from dissensus.io.options import Missing, TableKeywords
from dissensus.measures.other_names import asked_or_only, the_one
from dissensus.measures.scores import How, ScoreArrays, aggregate_of, aggregated, for_means
from dissensus.stats.intervals import check_level
from dissensus.tables.coercion import coerced
from dissensus.wording import counted

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.inference.correction.gold_topics import RectifiedScores

Test = Literal["t", "welch", "randomization", "bootstrap", "wilcoxon", "tukey"]
TESTS: tuple[str, ...] = get_args(Test)
NAMES = {
    "t": "paired t",
    "welch": "Welch's t (different topics)",
    "randomization": "sign-flip randomisation",
    "bootstrap": "studentised bootstrap",
    "wilcoxon": "Wilcoxon signed ranks",
    "tukey": "paired randomised Tukey HSD (topics are blocks)",
}
#: what is compared where the mean over topics is not a measure's aggregate
COMPARED = {
    "sum": "sums over topics are compared",
    "geometric": "averaged geometrically; differences are of the mean logarithm, 0.1 is about 10 %",
}


@dataclass(frozen=True, eq=False)
class _Scores:
    """Scores of the systems under test, systems × topics, and what was left out."""

    systems: list[str]
    values: Floats
    notes: tuple[str, ...]
    aggregate: How = "mean"
    corrected: RectifiedScores | None = None  # where a gold judge corrects them

    def means(self) -> Floats:
        """One score per system: the mean, the sum or the geometric mean over topics."""
        if self.corrected is not None:
            return self.corrected.means()
        means = aggregated(self.values)
        return np.exp(means) if self.aggregate == "geometric" else means


@coerced
def compare(
    scores: xr.Dataset | ScoreArrays,
    measures: str | Sequence[str] | None = None,
    test: Test = "t",
    correction: str = "max-t",
    *,
    baseline: str | None = None,
    assessor: str | None = None,
    gold: str | None = None,
    target: str = "population",
    missing: Missing | None = None,
    difference: float | None = None,
    negligible: float | None = None,
    by: Mapping[str, str] | str | None = None,
    level: float = 0.95,
    replicates: int = 10_000,
    seed: int = 0,
    **reading: Unpack[TableKeywords],
) -> Differences:
    """Which systems differ? Tests on per-topic scores, for labels that are taken as true.

    Measures that are summed over topics are compared by their sums, those averaged geometrically by the mean
    logarithm.

    Parameters
    ----------
    scores
        Scores of `evaluate` or `read_scores`, a path or a frame.
    measures
        A measure of the scores or several, by name. All of them are one family. Scores of one measure need no name.
    test
        t (paired), welch (different topics), randomization (sign flips), bootstrap (studentised), wilcoxon, or
        tukey (paired randomised Tukey HSD).
    correction
        max-t (all pairs from their joint distribution), bonferroni, holm, bh (share of false finds), or none.
        Under holm and bh no interval is given.
    baseline
        Test every system against this one, instead of every pair.
    gold
        A judge who scored some of the topics. The other judge's scores are corrected by it, as in
        `correct_scores`.
    target
        With gold: population or these_topics, as in `correct_scores`.
    missing
        With gold: skip leaves topics out on which gold lacks some systems.
    difference
        A difference that would matter to you. Where none can be shown, the verdict says how many topics it
        would take.
    negligible
        A loss that does not matter to the recommendation: 0.02 where scores lie between 0 and 1. A `baseline` is the
        system in use.
    by
        Groups of topics, {topic: group} or a file with topic and class. The outcome says where the order differs.
    replicates
        How often is drawn, in tests that draw.

    Returns
    -------
    Differences
        `.outcome`, `.pairs`, `.claims`, `.groups`, `.ranks()`. Its tables:

        - `pairs`: measure, a, b, difference, se, low, high, p_value, significant, effect, naive, naive_p, method,
          adjusted, verdict
        - `ranks`: measure, system, score, rank, low, high

    Examples
    --------
    >>> import dissensus as ds
    >>> rows = [(s, f"t{t}", "AP", 0.3 + 0.2 * (s == "B") + t % 7 / 20 + (t % 3) / 30 * (s == "B"))
    ...         for s in "AB" for t in range(20)]
    >>> table = dict(zip(("system", "topic", "measure", "value"), map(list, zip(*rows))))
    >>> found = ds.compare(table)
    >>> found.pairs[0].significant, round(found.pairs[0].difference, 2)
    (True, -0.23)
    """
    if test not in TESTS:
        choices = ", ".join(map(repr, TESTS))
        raise InputError(Text(Option("test", test), f" is not a valid test; choose one of {choices}."))
    correction = check_correction(correction)
    check_level(level)
    check_difference(difference)
    if by is not None and gold is not None:
        raise InputError(
            Text(Option("by", None), ": scores that gold topics correct are not known topic by topic."),
            Fix("Leave one of the two out: ", Option("by", None), " or ", Option("gold", None), "."),
        )
    if test == "tukey" and baseline is not None:
        raise InputError(
            Text(Option("test", "tukey"), " is about all pairs of systems."),
            Fix("Leave ", Option("baseline", None), " out, or take another test."),
        )
    arrays = ScoreArrays.of(scores)
    names = asked_or_only(arrays.values, measures)
    check_gold(gold, target, missing, test)
    if gold is None:
        chosen = {name: _select(arrays, name, assessor) for name in names}
    else:
        chosen = _rectified(arrays, names, gold, assessor, target, missing)
    families: list[Family] = []
    for name, c in chosen.items():
        if len(c.systems) < 2:
            raise InputError("there are fewer than two systems to compare.", *c.notes)
        pairs = pairs_of(len(c.systems), None if baseline is None else _place(c.systems, baseline))
        families.append(_family(name, c, pairs, test, replicates, seed, correction == "max-t"))
    size = sum(len(f.p) for f in families)
    # Tukey's ranges hold for all pairs of a measure whatever correction is named; several measures share the error rate
    results = adjusted(families, "max-t" if test == "tukey" else correction, level, seed=seed)
    adjustment = "its own ranges" if test == "tukey" else correction
    made: list[Difference] = []
    for c, f, one in zip(chosen.values(), families, results, strict=True):
        made += _differences(c, f, one, test, level, difference)
    text = f"{counted(size, 'comparison')} ({counted(len(names), 'measure')} × pairs of systems)"
    how = NAMES[test] if gold is None else f"corrected by {gold} topic by topic"
    notes = tuple(dict.fromkeys(n for c in chosen.values() for n in c.notes))
    means = {name: dict(zip(c.systems, c.means().tolist(), strict=True)) for name, c in chosen.items()}
    asked: Values = {"test": test, "correction": correction, "assessor": assessor, "gold": gold,
                             "missing": missing, "difference": difference, "level": level, "replicates": replicates,
                             "seed": seed}  # fmt: skip

    wanted = None if by is None else groups_of(by)

    def grouped(one: _Scores, name: str) -> ByGroup | None:
        if wanted is None:
            return None
        return by_group(name, one.systems, one.values, arrays.topics, wanted, level=level, seed=seed)

    def make(name: str) -> Outcome:
        alone = len(names) == 1 and baseline is None
        pairs = found.pairs if alone else compare(arrays, name, target=target, **asked).pairs
        one = chosen[name]
        options: Values = {"level": level, "negligible": negligible, "in_use": baseline, "seed": seed}
        if one.corrected is not None:
            return _by_gold(one.corrected, pairs, arrays, name, asked, options)
        judge, several = assessor or arrays.assessors[0], "missing" not in arrays.attrs  # labels, or a table of scores
        own = outcome_of_scores(
            name, judge, tuple(one.systems), one.values, pairs, means=one.means(), of_scores=several,
            by=grouped(one, name), **options
        )  # fmt: skip
        whole = _complete(arrays, name, assessor)
        return replace(own, also=lambda: asked_judges(
            whole, lambda other: compare(arrays, name, target=target, **{**asked, "assessor": other}).outcome
        ))  # fmt: skip

    basis = Basis.of_scores(f"{text}, {how}, adjusted by {adjustment}", arrays.attrs, gold, notes)
    found = Differences.of(made, basis, means, baseline, make)
    return found


def _complete(arrays: ScoreArrays, name: str, own: str | None) -> list[str]:
    """The other judges whose scores are known wherever those of the named judge are."""
    if own is None:
        return []
    known = np.isfinite(arrays.values[the_one(arrays.values, name)])
    mine = known[arrays.assessors.index(own)]
    return [a for i, a in enumerate(arrays.assessors) if a != own and known[i][mine].all()]


def _by_gold(
    r: RectifiedScores,
    pairs: tuple[Difference, ...],
    arrays: ScoreArrays,
    name: str,
    asked: Values,
    options: Values,
) -> Outcome:
    """The outcome of corrected scores, with the one for the other target."""

    def elsewhere() -> Outcome | None:
        target = "these_topics" if r.target == "population" else "population"
        try:
            other = rectified(arrays, name, asked["gold"], asked["assessor"], target, asked["missing"])
            again = compare(arrays, name, target=target, **asked).pairs
        except InputError:
            return None
        return outcome_of_gold(other, again, **options)

    return outcome_of_gold(r, pairs, elsewhere=elsewhere, **options)


def _place(systems: list[str], baseline: str) -> int:
    if baseline not in systems:
        some = ", ".join(systems[:10]) + (" …" if len(systems) > 10 else "")
        raise InputError(Text(Option("baseline", baseline), f" is not among the systems {some}."))
    return systems.index(baseline)


# ── what is compared ─────────────────────────────────────────────────────────────────────────────────────────────────
def one_assessor(scores: xr.Dataset | ScoreArrays, measure: str, assessor: str | None) -> tuple[list[str], Floats]:
    """(systems, scores systems × topics) of one measure by one assessor, or an error that says which there are."""
    scores = ScoreArrays.of(scores)
    measure = the_one(scores.values, measure)
    assessors = scores.assessors
    if assessor is None and len(assessors) > 1:
        raise InputError(
            f"the scores hold {len(assessors)} assessors ({', '.join(assessors[:5])}); a test needs one.",
            Fix("Name one with ", Option("assessor"), "."),
            Fix("Analyse assessors as a factor: inference.comparison.assessors.assessor_anova(…).", reader="python"),
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
    return list(scores.systems), scores.values[measure][assessors.index(assessor) if assessor else 0]


def _select(scores: ScoreArrays, measure: str, assessor: str | None) -> _Scores:
    systems, values = one_assessor(scores, measure, assessor)
    lost = _without_results(scores, systems, values)
    notes = []
    if lost:
        notes.append(f"left out, no results on any topic: {', '.join(lost)}")
        warnings.warn(f"{notes[0]}; it never ran, so it can neither win nor lose.", DataWarning, stacklevel=3)
    keep = [i for i, s in enumerate(systems) if s not in lost]
    how = aggregate_of(measure, scores.attrs)
    if how != "mean":
        notes.append(f"{measure}: {COMPARED[how]}")
    return _Scores([systems[i] for i in keep], for_means(values[keep], how, measure), tuple(notes), how)


def _rectified(
    scores: ScoreArrays, names: list[str], gold: str, assessor: str | None, target: str, missing: Missing | None
) -> dict[str, _Scores]:
    """The judge's scores with what corrects them, by measure."""
    out = {}
    for name in names:
        r = rectified(scores, name, gold, assessor, target, missing)
        notes = notes_of(r)
        if r.aggregate != "mean":
            notes.append(f"{name}: {COMPARED[r.aggregate]}")
        out[name] = _Scores(list(scores.systems), r.topics.judge, tuple(notes), r.aggregate, r)
    return out


def _without_results(scores: ScoreArrays, systems: list[str], values: Floats) -> list[str]:
    """Systems that retrieved nothing at all; without that record, systems whose every score is 0 or undefined."""
    missing = scores.attrs.get("missing")
    if missing is not None:
        absent = {tuple(pair) for pair in missing}
        return [s for s in systems if all((s, t) in absent for t in scores.topics)]
    return [s for s, row in zip(systems, values, strict=True) if not np.nan_to_num(row).any()]


# ── tests ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def _family(
    measure: str, c: _Scores, pairs: tuple[Ints, Ints], test: str, replicates: int, seed: int, joint: bool
) -> Family:
    if c.corrected is not None:
        return c.corrected.family(pairs)
    x = c.values if test == "welch" else _shared_topics(c, measure)
    return tests.TESTS[test](measure, x, pairs, replicates, seed, joint)


def _shared_topics(c: _Scores, measure: str) -> Floats:
    """Scores on the topics that all systems have."""
    common = np.isfinite(c.values).all(axis=0)
    if common.sum() < 2:
        raise InputError(
            f"{measure}: {int(common.sum())} of the topics have scores for all systems; a paired test needs 2.",
            Fix("Use ", Option("test", "welch"), " for systems that were measured on different topics."),
        )
    return c.values[:, common]


def _differences(
    c: _Scores,
    f: Family,
    one: Adjusted,
    test: str,
    level: float,
    difference: float | None,
) -> list[Difference]:
    """The pairs of one measure as results."""
    correction, size = "tukey" if test == "tukey" else one.correction, one.size
    assert f.topics is not None
    assert f.effect is not None
    single = 1 - (1 - level) / size if math.isnan(one.level) else one.level
    seen = np.full(len(f.p), np.nan) if test in ("wilcoxon", "tukey") else f.se * margins(f.df, single)
    seen[f.se == 0] = np.nan
    out = []
    for k, (i, j) in enumerate(zip(f.a.tolist(), f.b.tolist(), strict=True)):
        n, detectable = int(f.topics[k]), float(seen[k])
        lost = c.values.shape[1] - n
        out.append(
            Difference(
                c.systems[i], c.systems[j], f.measure, float(f.difference[k]), float(f.se[k]),
                (float(one.low[k]), float(one.high[k])), float(one.p[k]), level, NAMES[test], correction, size,
                detectable=detectable, df=float(f.df[k]), effect=float(f.effect[k]),
                advice=advice(detectable, n, difference), by="t" if test in ("t", "welch") else "test",
                notes=(f"{counted(lost, 'topic')} without a score left out",) if lost else (),
                margin=math.nan if difference is None else difference,
            )
        )  # fmt: skip
    if c.corrected is None:
        return out

    return beside_naive(out, c.corrected, f, difference)
