"""Do intervals hold at every look, and what does looking cost? Audits in a committed order against a known truth.

Simulated judges (honest, weak, hostile, nearly always right with rare errors that favour one side): `paths` audits of
each, looked at after every label; how often a set left out the truth at some look, at the decision, at a random label,
and at closing. With --runs and --judgments, real labels instead: `gold` names the assessor to believe; `pairs` pairs of
systems in bins of their true gap, every other assessor as the judge, `paths` orders of each: labels to a decision
beside a fixed plan that knows the gap, failures, and what an ordinary interval does when looked at after every label.
"""

from __future__ import annotations

from typing import Any

from dissensus.studies.study import Figure, Outcome, Request

SETTINGS: dict[str, Any] = {"paths": 0, "gold": "gold", "measure": "P(rel=2)@10", "pairs": 120}
SIMULATED, REAL = 2000, 5  # paths per judge, and per judge and pair, where the setting is 0
SHOWN = range(3)  # paths in the figure


def run(request: Request) -> Outcome:
    return real(request) if request.runs or request.judgments else simulated(request)


def simulated(request: Request) -> Outcome:
    from dissensus.studies.audits.stopping_paths import shrinking
    from dissensus.studies.audits.stopping_simulated import simulated_contrast, simulated_table

    paths = request.settings["paths"] or SIMULATED
    table = simulated_table(paths, seed=request.seed, executor=request.workers)
    contrast = simulated_contrast("honest", request.seed)
    return Outcome(
        tables={"failures": table},
        notes=[
            "exact, ruling, plain asymptotic: share of paths on which the set left out the truth at some look",
            "closing: the ordinary estimate at the decision, with m of that look, and with 1.96",
            "labels: median to a decision",
        ],
        figures={
            "shrinking": Figure("correction", "shrinking_chart", (shrinking(contrast, SHOWN), contrast.truth)),
        },
    )


def real(request: Request) -> Outcome:
    from dissensus.measures.catalog import measure
    from dissensus.studies.audits.stopping_paths import shrinking
    from dissensus.studies.audits.stopping_real import chosen_pairs, real_contrasts, real_tables

    asked = request.settings
    runs, judgments = request.collection()
    gold, m = asked["gold"], measure(asked["measure"])
    tables = real_tables(
        runs, judgments, gold, m, pairs=asked["pairs"], paths=asked["paths"] or REAL, seed=request.seed,
        executor=request.workers,
    )  # fmt: skip
    pairs = chosen_pairs(runs, judgments.select(assessors=[gold]), m, asked["pairs"], request.seed)
    judge = next(a for a in judgments.assessors if a != gold)
    contrasts = real_contrasts(runs, judgments, gold, judge, m, pairs)
    shown = min(contrasts.values(), key=lambda c: abs(abs(c.truth) - 0.1))
    return Outcome(
        tables=tables,
        notes=[
            f"truth is what {gold} says; a retrieved document without its grade counts as not relevant",
            "ruling, exact: median labels to a decision; fixed plan: labels for 80 % power if the gap were known",
            "failed: the set left out the truth at some look; peeking: an ordinary 95 % interval, looked at after each "
            "label from the 30th until the ruling set decides",
        ],
        figures={"shrinking": Figure("correction", "shrinking_chart", (shrinking(shown, SHOWN), shown.truth))},
    )
