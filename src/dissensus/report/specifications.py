"""A specification curve: the mean of every system under every reasonable choice of labels and measure.

Each assessor alone, the majority vote, the vote without one assessor (while assessors are few), EM, the correction by
the audit: a winner that holds under all of them does not hang on a choice (Simonsohn, Simmons & Nelson 2020).
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from dissensus.errors import DissensusError, DissensusWarning
from dissensus.measures.scores import aggregated
from dissensus.report.explorer import Specification

if TYPE_CHECKING:
    from dissensus.measures.policies import Ties
    from dissensus.report.study import Study

TIED = 2_000_000  # rows of runs up to which scores are averaged over the orders of tied documents, too
SINGLE, LEFT_OUT = 12, 8  # assessors shown alone; assessors up to which each is left out once


def specifications(study: Study) -> list[Specification]:
    """(whose labels, measure, ties, mean of every system), the labels of the verdict first."""
    out: list[Specification] = [
        (study.judge_name, m, "", aggregated(values[0])) for m, values in study.judge_scores.values.items()
    ]
    out += _other_ties(study)
    if study.several:
        for m, values in study.scores.values.items():
            means = aggregated(values)
            out += [(a, m, "", means[i]) for i, a in enumerate(study.scores.assessors[:SINGLE]) if a != study.assessor]
        out += _merged(study)
    if study.corrected is not None:
        out += [
            ("corrected by the audit", name, "", result.estimate.theta)
            for name, result in study.corrected.results.items()
            if np.isfinite(result.estimate.theta).all() and not result.refused
        ]
    return out


def _other_ties(study: Study) -> list[Specification]:
    """The verdict's labels under the other tie policy, where documents are tied and that can be computed."""
    chosen = study.policies
    if not study.judge_scores.attrs.get("tied_documents") or len(study.runs) > TIED or chosen.unjudged != "nonrelevant":
        return []
    other: Ties = "trec" if chosen.ties == "expected" else "expected"
    out: list[Specification] = []
    collection = study.under(study.judge)
    for m in study.measures:
        try:
            scores = collection.score(m, **{**chosen.to_dict(), "ties": other}, seed=study.seed)
        except DissensusError:
            continue
        out.append((study.judge_name, str(m), other, aggregated(scores.values[str(m)][0])))
    return out


def _merged(study: Study) -> list[Specification]:
    from dissensus.judges.merging.api import merge

    names = study.judgments.assessors
    labels = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DissensusWarning)
        _ = study.merged  # what it warns of is told in its section
        for name in names if 2 < len(names) <= LEFT_OUT else ():
            others = study.judgments.select(assessors=[a for a in names if a != name])
            try:
                labels[f"majority without {name}"] = merge(others, method="majority", seed=study.seed).judgments
            except DissensusError:
                continue
    scores = {} if study.assessor is None else {"majority": study.merged_scores["majority"]}
    scores["EM"] = study.merged_scores["em-mv"]
    scores |= {who: study.score(study.under(merged)) for who, merged in labels.items()}
    return [(who, m, "", aggregated(values[0])) for who, found in scores.items() for m, values in found.values.items()]
