"""The result of `ds.correct`: corrected scores, how they were got, what speaks against them, and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.errors import DissensusError, Fix, InputError, Option, Text
from dissensus.inference.comparison.bootstrap import bootstrap_score
from dissensus.inference.comparison.claims import Claim
from dissensus.inference.comparison.comparison_notes import outcome_facts
from dissensus.inference.comparison.corrected_pairs import compare_everyone, compare_pair, of_judge, seen_by
from dissensus.inference.comparison.difference import Difference
from dissensus.inference.comparison.differences import Differences
from dissensus.inference.comparison.engine import check_difference
from dissensus.inference.comparison.evidence import outcome_of_corrected, ruled
from dissensus.inference.comparison.other_judges import Others
from dissensus.inference.comparison.outcome import Outcome
from dissensus.inference.comparison.pair_diagnosis import DIAGNOSIS, PairDiagnosis, diagnoses
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.diagnosis import JudgeFinding
from dissensus.inference.correction.estimate import Estimate, MeasureResult
from dissensus.inference.correction.pooled import pooled_estimate
from dissensus.inference.correction.questions import CorrectionOptions, Target, check_interval
from dissensus.inference.correction.result_notes import BOOTSTRAP, account, corrected_notes, first_notes
from dissensus.inference.correction.score_rows import score_rows
from dissensus.inference.judge_bias import DEPTH
from dissensus.inference.judge_facts import JudgeFacts, judge_facts
from dissensus.measures.catalog import measure as named
from dissensus.measures.scores import ScoreArrays
from dissensus.results import Result, Table, Tables, single_values

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.inference.rates.difference import Judge
    from dissensus.inference.sequential.stop import Verdict


@dataclass(frozen=True, eq=False)
class Corrected(Result):
    """Corrected scores of all systems and measures.

    `.table` one row per system and measure; `.scores` corrected per-topic scores in `evaluate`'s dims; `.covariance` of
    the means over systems; `.diagnosis` findings in words; `.compare(a, b)` one difference, `.compare_all()` all.
    Nothing is clipped: a score below 0 or above 1 means what the notes say. `followed` gives the verdicts of sets that
    hold at every look (measure, target, level), where the labels of the audit decided when to stop.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    results: dict[str, MeasureResult]
    audit: tuple[JudgeFinding, ...]
    design: Design = field(repr=False)
    options: CorrectionOptions
    judge_name: str = "the judge"
    again: Callable[[str], Corrected] | None = field(default=None, repr=False)  # the same for another target
    followed: Callable[[str, str, float], tuple[Verdict, ...]] | None = field(default=None, repr=False)
    others: Others = field(default=lambda measure: (), repr=False)  # what other complete judges would conclude
    pools: dict[str, Estimate] = field(default_factory=dict, repr=False)  # pooled scores that were computed already
    source: tuple[str, ...] = ()  # what was done to get the judge's labels

    @property
    def target(self) -> Target:
        """What intervals are about: topics like these, or these topics."""
        return self.options.target

    @property
    def level(self) -> float:
        """The level of all intervals."""
        return self.options.level

    @property
    def seed(self) -> int:
        """The seed of what was drawn."""
        return self.options.seed

    # ── tables ──
    @cached_property
    def table(self) -> pl.DataFrame:
        """One row per measure and system: naive, corrected, se, low, high, method, the gold-only interval, and pooled.

        Pooled columns are absent where no measure has pooled scores (fewer than 4 systems, no audit of scored
        documents).
        """
        return score_rows(self)

    @cached_property
    def pooled(self) -> dict[str, Estimate]:
        """Pooled scores of every measure (`pooled`); `why_not` says why there are none. Empty with pooled=False."""
        if not self.options.pooled:
            return {}
        return {n: self._pool(r) for n, r in self.results.items()}

    def _pool(self, r: MeasureResult) -> Estimate:
        if r.name not in self.pools:
            made = pooled_estimate(r.measure, r.naive, r.estimate, self.design, r.weights, self.target)
            self.pools[r.name] = made
        return self.pools[r.name]

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The tables by name; rows in the order of each measure's outcome."""
        parts = []
        for name, found in self.outcomes.items():
            place = {s: i for i, s in enumerate(found.order)}
            part = self.table.filter(pl.col("measure") == name)
            parts.append(part.sort(part["system"].replace_strict(place, return_dtype=pl.Int64)))
        scores = {"scores": Table.of(pl.concat(parts) if parts else self.table, level=self.level)}
        rows = pl.DataFrame([d.row() for d in self.pair_diagnosis])
        return scores if rows.is_empty() else scores | {"diagnosis": Table.of(rows, DIAGNOSIS)}

    def screen(self, whole: bool = False) -> Result:
        """The scores, without what the experts' labels give alone unless `whole`, and the first notes."""
        scores = self.tables["scores"]
        if not (whole and self.gold_alone):
            scores = scores.showing(scores.frame.drop("gold_low", "gold_high"))
        return Tables(
            {"scores": scores}, self.title, self.notes, claims=self.claims, few=len(first_notes(self))
        ).screen(whole)

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return "Corrected scores"

    @property
    def claims(self) -> list[Claim]:
        """What is concluded by the first measure, in a few claims; there are none of one system."""
        return list(self.outcome.claims) if len(self.systems) > 1 else []

    @property
    def facts(self) -> Values:
        """Settings, what is concluded by each measure, and what speaks for and against the numbers."""
        said = {name: [str(f) for f in found] for name, found in self.diagnosis.items()}
        return {**single_values(self), **outcome_facts(self.outcomes.values()), "diagnosis": said}

    @property
    def gold_alone(self) -> bool:
        """Do the experts' labels alone give intervals?"""
        return bool(self.table["gold_low"].is_finite().any())

    @cached_property
    def scores(self) -> xr.Dataset:
        """Corrected per-topic scores, dims (assessor, system, topic), assessor "corrected"."""
        values = {n: r.estimate.scores[None] for n, r in self.results.items()}
        about = {"footer": self.footer, "notes": list(self.account)}
        return ScoreArrays(values, ("corrected",), self.systems, self.topics, about).to_dataset()

    @cached_property
    def covariance(self) -> xr.Dataset:
        """Covariance of the corrected means over systems, one variable per measure, dims (system, other)."""
        import xarray as xr

        names = np.array(self.systems, dtype=object)
        values = {n: (("system", "other"), r.estimate.covariance) for n, r in self.results.items()}
        return xr.Dataset(values, coords={"system": names, "other": names})

    @cached_property
    def judge(self) -> JudgeFacts | None:
        """How often the judge gave the experts' grade, and whom it favours; None without audited documents."""
        depth = max((r.measure.cutoff or DEPTH for r in self.results.values()), default=DEPTH)
        return judge_facts(self.design, self.design.joined.assessors[0], depth)

    # ── words ──
    @property
    def diagnosis(self) -> dict[str, tuple[JudgeFinding, ...]]:
        """Findings about the audit, and by measure; worries are those that concern the scores given here."""
        by_measure = {
            n: tuple(f.concerning(r.estimate.method.by_matrix) for f in r.findings) for n, r in self.results.items()
        }
        return {"audit": self.audit, **by_measure}

    @cached_property
    def pair_diagnosis(self) -> tuple[PairDiagnosis, ...]:
        """The diagnosis of pairs of systems, where an audit of scored documents gives one."""
        if len(self.systems) < 2 or not any(r.sensitivity is not None for r in self.results.values()):
            return ()
        return tuple(diagnoses(self, self.compare_all("none")))

    @property
    def notes(self) -> tuple[str, ...]:
        """Doubts, what more would bring, the policies, what the numbers mean, and how each was got."""
        return corrected_notes(self)

    @property
    def account(self) -> tuple[str, ...]:
        """How each number was got, and everything that was assumed or refused."""
        return account(self)

    @property
    def footer(self) -> str:
        """The policies in one line."""
        missing = int((self.design.joined.segment_of < 0).sum())
        empty = f", {missing:,} missing scored as empty" if missing else ""
        sums = [r.name for r in self.results.values() if r.measure.aggregate == "sum"]
        per_topic = f"  {', '.join(sums)}: means over topics, not sums" if sums else ""
        methods = dict.fromkeys(r.estimate.method for r in self.results.values())
        policies = self.design.policies.line(f"{len(self.topics)}{empty}")
        return (
            f"{policies}  target={self.target}  level={self.level:.0%}  "
            f"method={self.options.method} → {', '.join(methods)}"
            f"{per_topic}"
        )

    # ── conclusions ──
    @cached_property
    def outcome(self) -> Outcome:
        """What is concluded by the first measure (`comparison.outcome`)."""
        return self.conclude()

    @cached_property
    def outcomes(self) -> dict[str, Outcome]:
        """What is concluded by each measure; nothing of one system."""
        if len(self.systems) < 2:
            return {}
        by_name = partial(outcome_of_corrected, self, elsewhere=False, negligible=self.options.negligible)
        return {n: self.outcome if n == self.outcome.measure else by_name(n) for n in self.results}

    def conclude(
        self, measure: str | None = None, *, negligible: float | None = None, in_use: str | None = None
    ) -> Outcome:
        """What is concluded by one measure, the first one if none is named; others are beside it.

        `negligible` is a difference that does not matter to a recommendation: 0.02 where scores lie between 0 and 1.
        `in_use` names a system that is kept unless another one gains enough.
        """
        negligible = self.options.negligible if negligible is None else negligible
        first = next(iter(self.results)) if measure is None else self._result(measure).name
        options: Values = {"negligible": negligible, "in_use": in_use}
        made = outcome_of_corrected(self, first, **options)
        if measure is not None:
            return made
        names = [name for name in self.results if name != first]
        by_name = partial(outcome_of_corrected, self, elsewhere=False, **options)
        return replace(made, also=lambda: [*map(by_name, names), *self.others(first)])

    def only(self, name: str) -> Corrected:
        """The same for one measure: its comparisons are one family."""
        return self if list(self.results) == [name] else replace(self, results={name: self.results[name]})

    def for_target(self, target: str) -> Corrected | None:
        """The same for topics like these, or for these topics; None where that cannot be answered."""
        if target == self.target:
            return self
        if self.again is None:
            return None
        try:
            found = self.again(target)
        except DissensusError:
            return None
        return replace(found, results={name: found.results[name] for name in self.results})

    # ── comparisons ──
    def compare(
        self,
        a: str,
        b: str,
        judge: Judge | None = None,
        measure: str | None = None,
        *,
        interval: str = "wald",
        difference: float | None = None,
        pooled: bool = False,
    ) -> Difference:
        """The corrected difference a − b.

        `judge="shared"`: one judge judged both systems' documents in the same way, and its errors cancel. `"separate"`:
        it is calibrated for each system apart, from the audited documents it retrieved. Without it, one calibration is
        shared, and calibrations given per system are separate. Only matrices care: rectified scores use no calibration.
        `interval="bootstrap"` resamples topics and calibration together.
        `difference` names one you care about: where the data cannot tell, the result says what it would take.
        `pooled=True`: the difference of pooled scores, which is probable rather than shown (see `pooled`).
        """
        check_interval(interval)
        check_difference(difference)
        i, j = self.place_of(a), self.place_of(b)
        if pooled:
            return compare_pair(self, self._pooled(measure, interval), i, j, interval, None)
        result, notes = of_judge(self, self._result(measure), judge, np.array([i, j]))
        return compare_pair(self, result, i, j, interval, difference, judge_notes=notes)

    def compare_all(
        self,
        correction: str = "max-t",
        *,
        judge: Judge | None = None,
        difference: float | None = None,
        pooled: bool = False,
        baseline: str | None = None,
        diagnosis: bool = False,
        interval: str = "wald",
        negligible: float | None = None,
    ) -> Differences:
        """Every pair under every measure, intervals and p-values adjusted together, and indistinct groups.

        `correction`: "max-t" (simultaneous intervals from the joint covariance, Bonferroni over measures),
        "bonferroni", "none"; "holm" and "bh" give p-values only. `judge` and `pooled` as in `compare`. `baseline` names
        one system that all others are held against; it counts as the one in use. `negligible`: see `conclude`.
        `diagnosis=True` adds each pair's diagnosis (Hausman's test, f*,
        errors by who shows the document). `interval` as in `compare`.
        """
        check_difference(difference)
        check_interval(interval)
        negligible = self.options.negligible if negligible is None else negligible
        asked: Values = {"judge": judge, "difference": difference, "interval": interval}

        def make(name: str) -> Outcome:
            alone = len(self.results) == 1 and baseline is None and not pooled
            pairs = found.pairs if alone else self.only(name).compare_all(correction, **asked).pairs
            own, apart = seen_by(self, judge, name)
            one = outcome_of_corrected(own, name, pairs, negligible=negligible, in_use=baseline, elsewhere=not apart)
            return replace(one, also=lambda: self.others(name))

        if pooled:
            own = replace(self.options, pooled=False)
            each = replace(self, results={n: self._pooled(n) for n in self.results}, options=own)
            found = compare_everyone(each, correction, None, None, baseline=baseline)
        else:
            found = compare_everyone(
                self, correction, judge, difference, baseline=baseline, diagnosis=diagnosis, interval=interval
            )
            if self.followed is not None and baseline is None:
                looks = [v for name in self.results for v in self.followed(name, self.target, self.level)]
                found = replace(found, pairs=ruled(found.pairs, tuple(looks)))
        return replace(found, make=make)

    def _pooled(self, measure: str | None, interval: str = "wald") -> MeasureResult:
        """A measure's result with pooled scores in place of the corrected ones."""
        result = self._result(measure)
        if interval != "wald":
            raise InputError(
                Text(Option("interval", interval), ": pooled differences have no bootstrap."),
                Fix("Use ", Option("interval", "wald"), "."),
            )
        estimate = self.pooled.get(result.name)
        if estimate is None:
            estimate = self._pool(result)
        why = f"pooled: the judge's biases of {len(self.systems)} systems are estimated together."
        return replace(result, estimate=estimate, why=why, sensitivity=None, gold_only=None, refused="", weights=None)

    def _result(self, measure: str | None) -> MeasureResult:
        if measure is None:
            if len(self.results) == 1:
                return next(iter(self.results.values()))
            raise InputError(
                f"several measures were corrected: {', '.join(self.results)}.",
                Fix("Name one: ", Option("measure", "…"), "."),
            )
        found = self.results.get(str(measure))
        if found is None:
            found = self.results.get(str(named(measure)))
        if found is None:
            raise InputError(
                Text(Option("measure", measure), f" was not corrected; there are {', '.join(self.results)}.")
            )
        return found

    def bootstrap(self, replicates: int = BOOTSTRAP) -> pl.DataFrame:
        """measure, system, low, high: intervals of single scores by resampling topics and calibration together."""
        rows = []
        for r in self.results.values():
            few = r.estimate.too_few
            for s, system in enumerate(self.systems):
                known = not r.refused and not few[s] and bool(np.isfinite(r.estimate.theta[s]))
                ends = (np.nan, np.nan)
                if known:
                    ends = bootstrap_score(r.estimate, s, self.seed, replicates).interval(self.level)
                rows.append((r.name, system, *ends))
        return pl.DataFrame(rows, schema=["measure", "system", "low", "high"], orient="row")

    def place_of(self, system: str) -> int:
        """The place of a system among `systems`, or an error that names them."""
        if system not in self.systems:
            some = ", ".join(self.systems[:10]) + (" …" if len(self.systems) > 10 else "")
            raise InputError(f"no system is called {system!r}; there are {some}.")
        return self.systems.index(system)
