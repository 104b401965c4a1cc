"""Which way of merging assessors comes closest to gold: AWARE's 30 estimators, majority vote, EM.

k-tuples of assessors, all 30 estimators + uni + mv + emmv + emneu; τ_ap and RMSE to gold; ANOVA tables with ω², Tukey
groups, main effects and interactions (thesis §4.5–4.6). With --runs and --judgments, `gold` names the assessor that is
the truth; without files, a crowd is generated whose truth is known, `shared` of its errors being common to all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dissensus.cli.studies import Outcome, Request

if TYPE_CHECKING:
    import polars as pl

    from dissensus.studies.aware import AwareStudy

SETTINGS: dict[str, Any] = {
    "gold": "gold",
    "measures": ("AP", "nDCG@20", "ERR@20"),
    "tuples": 50,
    "replicates": 1000,
    "sizes": (),
    "per_topic": False,
    "shared": 0.0,
}


def run(request: Request) -> Outcome:
    from dissensus.studies.aware import aware_study

    chosen = request.settings
    gold: Any = chosen["gold"]
    notes: list[str] = []
    if request.runs or request.judgments:
        runs, judgments = request.collection()
        systems = {"runs": runs}
    else:
        from dissensus.studies.crowd import generated_crowd

        crowd = generated_crowd(request.seed, shared=chosen["shared"])
        systems, judgments, gold = crowd.systems, crowd.judgments, crowd.truth
        notes.append(f"generated crowd with known truth, {chosen['shared']:.0%} of the guesses shared by all")
    study = aware_study(
        systems,
        judgments,
        gold,
        chosen["measures"],
        sizes=[int(k) for k in chosen["sizes"]] or None,
        tuples=chosen["tuples"],
        replicates=chosen["replicates"],
        per_topic=chosen["per_topic"],
        seed=request.seed,
        label="tuples",
    )
    tables = study.tables()
    return Outcome(tables=tables, notes=[*notes, *study.notes], charts=_charts(study, tables))


def _charts(study: AwareStudy, tables: dict[str, pl.DataFrame]) -> dict[str, Any]:
    def drawn(function: str, *words: Any) -> Any:
        def draw() -> Any:
            from dissensus.report.charts import aware as charts

            return getattr(charts, function)(*words)

        return draw

    frame = study.to_frame()
    out: dict[str, Any] = {}
    for name in ("tau_ap", "rmse"):
        short = name.replace("_", "-")
        out[f"{short}-approach"] = drawn("approach_chart", frame, tables[f"Tukey {name}"], name)
        out[f"{short}-size"] = drawn("size_chart", frame, name)
        out[f"{short}-interactions"] = drawn("interaction_chart", frame, name)
        out[f"{short}-parts"] = drawn("parts_chart", frame, name)
    return out
