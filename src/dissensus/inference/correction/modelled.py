"""Which measures are corrected through a model of gold labels: those over an ideal, and AP of enough labels.

They hang on documents that nobody audited: nDCG on how good the best are, AP on how many are relevant. A model says
what those may be, and audited documents correct it (`ndcg.scores`, `ap.scores`).

When not to use it: for other measures, and for AP of few labels. `imputation` corrects those.
"""

from __future__ import annotations

from dissensus.inference.ap import scores as relevance
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate, Method
from dissensus.inference.ndcg import scores as ideals
from dissensus.measures.families.average import AP
from dissensus.measures.families.gain import over_ideal
from dissensus.measures.measure import Measure


def method_of(m: Measure, design: Design) -> Method:
    """How a measure that is not linear is corrected after single documents were audited, or would be."""
    if over_ideal(m):
        return Method.MODEL
    return Method.RELEVANCE if isinstance(m, AP) and relevance.enough_labels(design) else Method.IMPUTATION


def by_modelling(m: Measure, design: Design, target: str, seed: int) -> Estimate | None:
    """The estimate through a model; None for measures that are imputed."""
    if over_ideal(m):
        return ideals.by_model(m, design, target, seed)
    if isinstance(m, AP) and relevance.enough_labels(design):
        return relevance.by_model(m, design, target, seed)
    return None
