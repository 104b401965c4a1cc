"""What one document's label does to a measure near the labels at hand."""

from __future__ import annotations

import numpy as np
from audited_study import study
from refusals import stated

import dissensus as ds
from dissensus.inference.correction.design import lay_out
from dissensus.inference.correction.weights import weights_of
from dissensus.inference.planning.linearised import linearised
from dissensus.measures.catalog import measure


def test_linear_measures_have_the_weights_they_have():
    runs, bronze, _ = study(topics=6, grades=3)
    design = lay_out(runs, bronze, None)
    for name in ("DCG@5", "P(rel=2)@5", "RBP(p=0.8)"):
        m = measure(name)
        weights, values = linearised(m, design)
        true, scale = weights_of(m, design.joined, design.gold_scale), m.values(design.gold_scale)
        span = scale[-1] - scale[0]
        for s in range(3):
            np.testing.assert_allclose(weights.row(s), true.row(s) * span, atol=1e-12)
        np.testing.assert_allclose(values, (scale - scale[0]) / span, atol=1e-12)


def test_documents_out_of_sight_matter_through_the_ideal():
    runs, bronze, _ = study(topics=6)
    design = lay_out(runs, bronze, None)
    weights, _ = linearised(measure("AP"), design)
    deep = design.best_rank() > 1000
    assert deep.any()
    assert (weights.row(0)[deep] < 0).all()  # one more relevant document that nobody found
    assert np.abs(weights.row(0)[deep]).max() < np.abs(weights.row(0)).max() / 3


def test_a_threshold_above_the_judges_grades():
    runs, bronze, _ = study(topics=8)
    made = ds.plan(runs, bronze, budget=30, measures="AP(rel=2)")
    assert stated(made.notes, "0…1", "AP(rel=2)", "AP")
