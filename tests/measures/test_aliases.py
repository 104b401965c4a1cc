"""Other people's names for measures."""

from __future__ import annotations

import pytest
from refusals import refused

from dissensus.errors import MeasureError
from dissensus.measures.aliases import ours


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("map", "AP"),
        ("map_cut_30", "AP@30"),
        ("P_5", "P@5"),
        ("recall_100", "R@100"),
        ("iprec_at_recall_0.20", "IPrec@0.20"),
        ("Rprec_mult_1.20", "Rprec(mult=1.20)"),
        ("11pt_avg_0.1,0.5", "IPrecAvg(levels=[0.1,0.5])"),
        ("utility_1,-1,0,0", "Utility(a=1, b=-1, c=0, d=0)"),
        ("MRR(rel=2)@10", "RR(rel=2)@10"),
        ("precision_5", "P@5"),
        ("hit-rate@3", "Success@3"),
        ("α_nDCG@5", "alpha_nDCG@5"),
        (" nDCG@10 ", "nDCG@10"),
        ("Halving", "Halving"),
    ],
)
def test_names(name: str, written: str) -> None:
    assert ours(name) == written


def test_version_10_only_where_it_is_asked_for() -> None:
    assert [ours("11pt_avg", trec_eval=v) for v in (False, True)] == ["IPrecAvg", "IPrecAvg(rounding='v10')"]
    assert ours("iprec_at_recall_0.1", trec_eval=True) == "IPrec(rounding='v10')@0.1"


@pytest.mark.parametrize("name", ["runid", "relstring_10", "prefs_simp", "yaap"])
def test_what_is_not_a_measure_is_refused_by_name(name: str) -> None:
    with refused(MeasureError, name):
        ours(name)


@pytest.mark.parametrize(
    ("theirs", "name"),
    [
        ("map", "AP"), ("ndcg_cut_10", "nDCG@10"), ("P_5", "P@5"), ("recip_rank", "RR"), ("set_F", "SetF"),
        ("iprec_at_recall_0.10", "IPrec@0.10"), ("Rprec_mult_0.6", "Rprec(mult=0.6)"), ("11pt_avg", "IPrecAvg"),
        ("MAP(rel=2)", "AP(rel=2)"), ("rbp", "rbp"),
    ],
)  # fmt: skip
def test_names_of_trec_eval(theirs: str, name: str) -> None:
    assert ours(theirs) == name


@pytest.mark.parametrize(
    "name", ["runid", "relstring", "relstring_10", "prefs_simp", "prefs_avgjg_Rnonrel_ret", "yaap"]
)
def test_what_is_not_computed_is_refused_by_name(name: str) -> None:
    with refused(MeasureError, name, by="aliases"):
        ours(name)


def test_rbp_means_trec_evals_only_on_request() -> None:
    assert ours("rbp", trec_eval=True) == "TrecRBP"
