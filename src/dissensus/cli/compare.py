"""`dissensus compare`: which systems differ, in sentences a colleague can read."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl

from dissensus.cli.build import argument, option
from dissensus.cli.correct import ConfusionOption, PooledOption, read_knowledge
from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.long_work import LongWork
from dissensus.cli.inputs.study_files import runs_and_judgments
from dissensus.cli.parts.score_table_output import compare_tables
from dissensus.cli.terminal.files import chart_file, draw
from dissensus.errors import InputError
from dissensus.inference.comparison.api import compare
from dissensus.inference.comparison.assessors import assessor_effects
from dissensus.inference.comparison.decision import check_negligible
from dissensus.inference.comparison.other_judges import asked_judges, complete_judges
from dissensus.inference.comparison.pair_diagnosis import diagnoses
from dissensus.inference.correction.api import correct
from dissensus.judging.leaderboards import Leaderboards
from dissensus.measures.evaluate import Collection
from dissensus.measures.policies import Policies, Topics
from dissensus.reporting.charts.system_scores import difference_chart, verdict_word
from dissensus.windows.files import for_paper

if TYPE_CHECKING:
    from dissensus.inference.comparison.differences import Differences
    from dissensus.inference.correction.result import Corrected
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.runs import Runs


def command(
    runs: Annotated[list[str] | None, argument(metavar="RUN…", help="Run files, or patterns such as runs/*.")] = None,
    judgments: Annotated[
        list[str] | None, option("--judgments", "-j", metavar="FILE…", help="Judgments; repeatable.")
    ] = None,
    score_table: Annotated[
        list[str] | None,
        option("--score-table", metavar="FILE", help="Per-topic scores, instead of runs and judgments."),
    ] = None,
    gold: opt.GoldOption = None,
    audit: opt.AuditOption = None,
    confusion: ConfusionOption = None,
    measures: opt.MeasuresOption = opt.ONE_MEASURE,
    gains: opt.GainsOption = None,
    test: Annotated[
        Literal["t", "welch", "randomization", "bootstrap", "wilcoxon", "tukey"],
        option("--test"),
    ] = "t",
    correction: Annotated[
        Literal["max-t", "holm", "bonferroni", "bh", "none"],
        option("--correction"),
    ] = "max-t",
    judge: Annotated[
        Literal["shared", "separate"] | None,
        option(
            "--judge",
            help="Through matrices: one calibration for all systems, or one each; by default as they were given.",
        ),
    ] = None,
    difference: opt.DifferenceOption = None,
    negligible: opt.NegligibleOption = None,
    by: opt.ByOption = None,
    method: Annotated[
        Literal["auto", "confusion", "rectified"], option("--method", help="As in dissensus correct.")
    ] = "auto",
    target: Annotated[
        Literal["population", "these_topics"] | None,
        option("--target"),
    ] = None,
    anova: Annotated[
        bool, option("--anova", help="Analysis of variance with the assessor as a factor, instead of tests.")
    ] = False,
    baseline: Annotated[
        str | None,
        option("--baseline", metavar="NAME"),
    ] = None,
    bootstrap: Annotated[
        bool, option("--bootstrap", help="With an audit or a matrix: bootstrap the corrected differences.")
    ] = False,
    anytime: Annotated[
        bool,
        option(
            "--anytime",
            help="The audit is a committed order (plan --order): intervals that hold at every look, however often.",
        ),
    ] = False,
    pooled: PooledOption = True,
    reading: opt.OneJudge = opt.OneJudge(),
    ties: opt.TiesOption = Policies.ties,
    topics: Annotated[
        Topics | None,
        option("--topics", help="As in evaluate; by default judged, and own with --test welch."),
    ] = None,
    unjudged: opt.UnjudgedOption = Policies.unjudged,
    empty: opt.EmptyOption = Policies.empty,
    inference: opt.Inference = opt.Inference(),
    shown: opt.ChartOutput = opt.ChartOutput(),
    work: LongWork = LongWork(),
) -> None:
    """Test which systems differ: the conclusion and a recommendation first, then the ranks each system may have.

    p-values and intervals are adjusted for all comparisons together. With an audit, differences are corrected for the
    judge's errors, and the naive ones stand next to them. Without one, the conclusion holds if the judge's labels are
    right. Pairs are listed where there are few, and with --all.

    Examples:
        dissensus compare runs/* --judgments llm.qrels --audit gold.csv -m P@10 --difference 0.02
        dissensus compare runs/* --judgments llm.qrels --audit gold.csv -m P@10 --method confusion --judge separate
        dissensus compare A.run B.run --judgments llm.qrels --confusion A=a.json --confusion B=b.json -m P@10
        dissensus compare runs/* --judgments qrels.txt -m AP --test tukey
        dissensus compare runs/* --judgments qrels.txt -m AP --baseline bm25
        dissensus compare --score-table leaderboard.csv -m nDCG@10
        dissensus compare --score-table llm.csv --score-table people.csv
        dissensus compare --score-table llm.csv --score-table people.csv --gold people
        dissensus compare A.run B.run --judgments llm.qrels --audit order.csv -m P@10 --anytime
    """
    shown.check()
    measures = opt.measured(measures, gains, score_table)
    known = read_knowledge(audit, confusion, reading)
    _refuse_idle(
        known, anova, test, score_table, audit=audit, confusion=confusion, merge=reading.merge, plot=shown.plot,
        assessor=reading.assessor, judge=judge, method=method, bootstrap=bootstrap or None, correction=correction,
        runs=runs or None, judgments=judgments or None, gold=gold, target=target,
    )  # fmt: skip
    check_negligible(negligible)
    options = {"correction": correction, "difference": difference, "baseline": baseline, "negligible": negligible,
               "by": by, **asdict(inference)}  # fmt: skip
    if score_table:
        _show(compare_tables(score_table, measures, test, reading, gold, target, options), shown)
        return
    runs, judgments = runs_and_judgments("compare", runs, judgments, "--score-table FILE")
    found = reading.runs(*runs)
    if anova:
        labels = reading.judgments(judgments)
        reading.refuse_unused()
        shown.show(assessor_effects(Collection(found, labels).checked(measures)))
        return
    every, said = reading.all_labels(judgments, inference.seed)
    bronze = every if reading.assessor is None else every.select(assessors=[reading.assessor])
    reading.refuse_unused()
    if anytime:
        from dissensus.cli.parts import anytime as at_every_look

        at_every_look.show(
            found, bronze, known, measures, margin=difference, level=inference.level, notes=said, shown=shown
        )
        return
    policies: dict[str, Any] = {"topics": topics, "unjudged": unjudged, "ties": ties, "empty": empty}
    if known is None:
        result = _as_they_are(found, bronze, measures, test, policies, options)
        others = complete_judges(every, reading.assessor)
        result = result.beside(lambda name: asked_judges(others, lambda other: _as_they_are(
            found, every.select(assessors=[other]), [name], test, policies, options
        ).outcome))  # fmt: skip
        result = replace(result, basis=replace(result.basis, source=(*said, *result.basis.source)))
    else:
        policies["topics"] = topics or Policies.topics
        corrected = correct(
            found, every, known, measures, method, reading.assessor, target=target or "population", pooled=pooled,
            by=by, interval="bootstrap" if bootstrap else "wald", **asdict(inference), **policies,
        )  # fmt: skip
        result = _audited(replace(corrected, source=tuple(said)), judge, options)
    _show(result, shown)


def _show(result: Differences | Leaderboards, shown: opt.ChartOutput) -> None:
    """Draw and show a comparison; a file for a paper holds the systems, and with --all the pairs."""
    if isinstance(result, Leaderboards):
        shown.show(result)
        return
    if shown.plot is not None:
        _draw(result, shown.plot)
    if for_paper(shown.output) and not shown.json and not shown.all_rows:
        from dissensus.reporting.paper_tables import paper_comparison

        shown.show(paper_comparison(result))
        return
    shown.show(result)


def _refuse_idle(known: object, anova: bool, test: str, score_table: object, **given: object) -> None:
    """Refuse the options that change nothing in the kind of comparison that was asked for."""

    def idle(why: str, *names: str) -> None:
        _refuse(why, **{name: given[name] for name in names})

    if anova:
        idle("--anova takes all assessors as they are", "audit", "confusion", "merge", "plot")
        idle("--anova analyses all assessors", "assessor")
    elif known is None:
        idle("nothing is known of the judge: give --audit or --confusion", "judge", "method", "bootstrap")
        if given["gold"] is None:
            idle("nothing is known of the judge: give --audit, or --gold with --score-table", "target")
    else:
        _refuse("corrected scores have their own test", test=test)
    if test == "tukey":
        idle("--test tukey adjusts for all pairs by itself", "correction")
    if score_table:
        idle("--score-table brings the scores", "audit", "confusion", "merge", "runs", "judgments")
        _refuse("--score-table brings the scores", anova=anova or None)
    else:
        idle("--gold names a judge of a table of scores: give --score-table", "gold")


def _refuse(why: str, **given: object) -> None:
    """Refuse options that would change nothing: whoever writes one believes that it does."""
    for name, value in given.items():
        if value not in (None, "auto", "t", "max-t"):
            shown = value if isinstance(value, str) else ""
            raise InputError(f"--{name} {shown}".strip() + f" has no effect here: {why}.", f"Leave --{name} out.")


def _as_they_are(
    runs: Runs, bronze: Judgments, measures: list[str], test: Any, policies: dict[str, Any], options: dict[str, Any]
) -> Differences:
    if policies["topics"] is None:
        policies = {**policies, "topics": "own" if test == "welch" else "judged"}
    scores = Collection(runs, bronze).checked(measures, **policies)
    names = [name for name in scores.values if not name.endswith((".low", ".high"))]
    return compare(scores, names, test, **options)


def _audited(corrected: Corrected, judge: Any, options: dict[str, Any]) -> Differences:
    """Corrected differences, with pooled ones beside them where there are any, and the diagnosis of pairs."""
    options = {name: value for name, value in options.items() if name not in ("level", "seed", "by")}
    result = corrected.compare_all(judge=judge, interval=corrected.options.interval, **options)
    pooled = None
    if any(not p.why_not for p in corrected.pooled.values()):
        pooled = corrected.compare_all(options["correction"], pooled=True, baseline=options["baseline"])
    return replace(result, pooled=pooled, diagnosis=tuple(diagnoses(corrected, result)))


def _draw(result: Differences, plot: Path) -> None:
    for name in result.measures:
        rows = [
            {
                "pair": f"{d.a} − {d.b}",
                "difference": d.difference,
                "low": d.interval[0],
                "high": d.interval[1],
                "verdict": verdict_word(d.claim.kind),
            }
            for d in result.pairs
            if d.measure == name
        ]
        draw(difference_chart(pl.DataFrame(rows), name), chart_file(plot, name, len(result.measures) > 1))
