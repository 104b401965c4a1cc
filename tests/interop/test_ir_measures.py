"""dissensus as a provider of ir_measures, on the real package."""

from __future__ import annotations

import pytest
from random_collections import random_dicts
from refusals import refused

from dissensus.errors import InputError

ir_measures = pytest.importorskip("ir_measures")


MEASURES = ["P@5", "P(rel=2)@10", "R@10", "Rprec", "AP", "AP(rel=2)", "RR", "nDCG@10", "nDCG", "Bpref", "Success@3"]


def collection(seed: int):
    judged, runs = random_dicts(seed)
    (grades,), first = judged.values(), next(iter(runs.values()))
    qrels = [ir_measures.Qrel(t, d, max(g, 0)) for t, docs in grades.items() for d, g in docs.items()]
    return qrels, [ir_measures.ScoredDoc(t, d, s) for t, docs in first.items() for d, s in docs.items()]


@pytest.mark.parametrize("seed", [3, 4])
def test_the_provider_gives_what_ir_measures_gives(seed):
    from ir_named import named

    from dissensus.interop.ir_measures import DissensusProvider

    qrels, run = collection(seed)
    measures = [named(m) for m in MEASURES]
    ours = DissensusProvider().calc_aggregate(measures, qrels, run)
    theirs = ir_measures.calc_aggregate(measures, qrels, run)
    for m in measures:
        assert ours[m] == pytest.approx(theirs[m], abs=1e-9), str(m)


def test_several_assessors_are_refused():
    from dissensus.interop.ir_measures import DissensusProvider

    qrels = [ir_measures.Qrel("q", "d", 1, "ann"), ir_measures.Qrel("q", "d", 0, "bob")]
    with refused(InputError, 2, "ir_measures"):
        DissensusProvider().calc_aggregate([ir_measures.AP], qrels, [ir_measures.ScoredDoc("q", "d", 1.0)])
