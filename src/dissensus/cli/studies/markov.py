"""Markov Precision beside other measures, and what smaller pools do to them all.

Tables 5.2–5.4 and Figs. 5.5, 5.6 of the thesis on your collection: Kendall's τ of the eight models, plain and times
recall, with AP, P@10, Rprec, bpref and RBP; mean scores and rankings with pools cut to 90, 70, 50, 30, 10 % by Buckley
& Voorhees's rule. Needs --runs and --judgments of one assessor (--assessor picks one); without any files the generated
sample collection and its assessor `ann` are used.
"""

from __future__ import annotations

from typing import Any

from dissensus.cli.studies import Outcome, Request

SETTINGS: dict[str, Any] = {"rel": 1, "percents": (90, 70, 50, 30, 10), "samples": 10}


def run(request: Request) -> Outcome:
    from dissensus.studies.markov import markov_study

    notes: list[str] = []
    assessor = request.assessor
    if request.runs or request.judgments:
        runs, judgments = request.collection()
    else:
        from dissensus.data.samples import generated_collection

        sample = generated_collection(request.seed)
        runs, judgments, assessor = sample.runs, sample.judgments, assessor or "ann"
        notes.append(f"generated collection, assessor {assessor}: name files with --runs and --judgments for real ones")
    study = markov_study(runs, judgments, assessor=assessor, seed=request.seed, **request.settings)

    def correlations() -> Any:
        from dissensus.report.charts.markov import correlation_chart

        return correlation_chart(study.correlations)

    def pools(value: str, title: str) -> Any:
        from dissensus.report.charts.markov import pool_chart

        return pool_chart(study.pools, value, title)

    return Outcome(
        tables=study.tables(),
        notes=[*notes, *study.notes],
        charts={
            "correlations": correlations,
            "means": lambda: pools("mean", "mean score over systems and topics"),
            "rankings": lambda: pools("tau", "Kendall's τ with the full pool"),
        },
    )
