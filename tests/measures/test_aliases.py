"""Other people's names: trec_eval's are read, those that are not numbers are refused by name."""

from __future__ import annotations

import pytest

from dissensus.errors import MeasureError
from dissensus.measures.aliases import ours


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
    with pytest.raises(MeasureError, match=f"'{name}' of trec_eval is not computed"):
        ours(name)


def test_rbp_means_trec_evals_only_on_request() -> None:
    assert ours("rbp", trec_eval=True) == "TrecRBP"
