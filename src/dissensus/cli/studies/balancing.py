"""How top-heavy measures are, and when a t test on their scores goes blind.

Figs. 3.3–3.5 of the thesis: the balancing index against run length; and two simulated runs that are alike down to some
rank, told apart or not by a measure with weights by rank (`simulate`), in `trials` trials per rank.
"""

from __future__ import annotations

from typing import Any

from dissensus.cli.studies import Outcome, Request

SETTINGS: dict[str, Any] = {
    "measures": ("AP", "RBP(p=0.8)", "RBP(p=0.95)", "ERR", "P@10", "nDCG"),
    "simulate": ("RBP(p=0.8)",),
    "length": 1000,
    "steps": 40,
    "topics": 50,
    "trials": 10_000,
}


def run(request: Request) -> Outcome:
    from dissensus.studies.balancing import balancing_study

    study = balancing_study(**request.settings, seed=request.seed, executor=request.workers)

    def curves() -> Any:
        from dissensus.report.charts.theory import balancing_chart

        return balancing_chart(study.curves)

    def separation() -> Any:
        from dissensus.report.charts.theory import separation_chart

        return separation_chart(study.separation)

    return Outcome(tables=study.tables(), notes=study.notes, charts={"curves": curves, "separation": separation})
