"""How the order of systems depends on whose word counts."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import DissensusError, DissensusWarning
from dissensus.inference.comparison.claims import names
from dissensus.measures.scores import aggregated
from dissensus.reporting.answer import Answer, rank_of
from dissensus.reporting.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.reporting.charts.system_scores import rank_chart
from dissensus.reporting.study import ReportedStudy
from dissensus.stats.correlation import kendall_tau, tau_ap

if TYPE_CHECKING:
    from dissensus.inference.correction.result import Corrected

TITLE = "Does it matter whose word counts?"
SINGLE = 8
WAY = {"way": "way of using the judges", "compared with": "the way that it is compared with"}
Means = dict[str, NDArray[np.float64]]


def build(study: ReportedStudy, found: Answer) -> Section:
    """Ranks of the systems under single assessors, merged labels, merged scores, the correction and the truth."""
    if not study.several:
        return Section("merging", TITLE, missing="one assessor: there is nothing to merge.")
    if len(study.systems) < 2:
        return Section("merging", TITLE, missing="one system: there is no order.")
    means, remarks = ways(study)
    ranks = rank_table(study, means)
    sign = 1.0 if study.measures[0].higher_is_better else -1.0
    best = {way: winners(study.systems, sign * m) for way, m in means.items() if not np.isnan(m).all()}
    kinds = sorted(set(best.values()), key=list(best.values()).index)
    if len(kinds) == 1:
        text = f"Not for the first place: by mean scores it is {names(kinds[0])} under each of {len(best)} ways."
    else:
        by_kind = "; ".join(f"{names(s)} by {', '.join(w for w, b in best.items() if b == s)}" for s in kinds)
        text = f"The first place by mean scores changes: {by_kind}."
    last = list(means)[-1]
    blocks: list[Block] = [
        Paragraph(text, "merge", "answer"),
        ChartBlock(
            "ranks", rank_chart(ranks, list(means), found.order[:6]), f"Rank of every system in {study.measure}",
            "Lines: the rank of each system under each way of using the judges.",
            "merge", TableBlock("ranks", ranks, "Ranks and scores by way", "merge", meanings=WAY),
        ),
        TableBlock("tau", tau_table(means), f"How similar each order is to that of {last}", "tau", meanings=WAY),
        *(Paragraph(r, kind="quiet") for r in remarks),
    ]  # fmt: skip
    line = (
        text
        if len(kinds) == 1
        else f"The first place by mean scores changes: {len(kinds)} results under {len(best)} ways."
    )
    return Section("merging", TITLE, blocks, line=line, short="Whose word")


def winners(systems: tuple[str, ...], means: NDArray[np.float64]) -> tuple[str, ...]:
    """All systems with the highest mean."""
    return tuple(s for s, m in zip(systems, means, strict=True) if m == np.nanmax(means))


def ways(study: ReportedStudy) -> tuple[Means, list[str]]:
    """Mean score of every system under each way; the last one is the truth, the corrected score, or EM."""
    out: Means = {}
    remarks: list[str] = []
    single = aggregated(study.scores.values[study.measure])
    names = study.scores.assessors
    for i, name in enumerate(names[:SINGLE]):
        out[name] = single[i]
    if len(names) > SINGLE:
        remarks.append(f"Single assessors: the first {SINGLE} of {len(names)}.")
    out["mean of scores"] = np.nanmean(single, axis=0)
    for method, scores in study.merged_scores.items():
        out[method] = aggregated(scores.values[study.measure][0])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DissensusWarning)
            combined = study.aware.scores
        place = [combined.systems.index(s) for s in study.systems]
        out["AWARE"] = aggregated(combined.values[study.measure][0, place])
    except DissensusError as error:
        remarks.append(f"AWARE is left out: {error.what}")
    if study.corrected is not None:
        means, remark = corrected_means(study, study.corrected)
        out["corrected"] = means
        remarks += [remark] if remark else []
    if study.true_scores is not None:
        out["truth"] = aggregated(study.true_scores.values[study.measure][0])
    return out, remarks


def corrected_means(study: ReportedStudy, corrected: Corrected) -> tuple[NDArray[np.float64], str]:
    """(what orders the systems after correction, a remark): pooled scores where there are any, else corrected ones.

    An audit for differences only gives no scores; what it estimates is then known up to a constant, which is taken such
    that the mean is 0: the order and the ranks are those of the differences.
    """
    result = corrected.results[study.measure]
    pooled = corrected.pooled.get(study.measure)
    use = result.estimate if pooled is None or pooled.why_not else pooled
    theta = dict(zip(corrected.systems, use.theta.tolist(), strict=True))
    means = np.array([theta[s] for s in study.systems])
    if result.refused:
        return means - np.nanmean(means), "Corrected: the audit gives differences only, shown here from their mean."
    return means, "" if use is result.estimate else "Corrected: scores pooled over systems."


def rank_table(study: ReportedStudy, means: Means) -> pl.DataFrame:
    sign = 1.0 if study.measures[0].higher_is_better else -1.0
    return pl.concat(
        [
            pl.DataFrame({"way": way, "system": list(study.systems), "rank": rank_of(sign * m), "score": m})
            for way, m in means.items()
        ]
    )


def tau_table(means: Means) -> pl.DataFrame:
    """Kendall's τ and τ_ap of every way against the last one."""
    last = list(means)[-1]
    rows = [
        (way, last, float(kendall_tau(means[last], m)), float(tau_ap(means[last], m)))
        for way, m in means.items()
        if way != last and not (np.isnan(m).any() or np.isnan(means[last]).any())
    ]
    schema = {"way": pl.String, "compared with": pl.String, "tau": pl.Float64, "tau_ap": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")
