"""Names read back to the measure they came from; wrong names say what is wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import MeasureError
from dissensus.measures import catalog
from dissensus.measures.catalog import ours

NAMES = [
    "P@10",
    "P(rel=2)@5",
    "R@100",
    "Fallout@20",
    "Success@1",
    "Judged@10",
    "Rprec",
    "Rprec(rel=2)",
    "SetP",
    "SetR",
    "SetF",
    "SetF(beta=0.5)",
    "AP",
    "AP@10",
    "AP(rel=3)",
    "RR",
    "RR@10",
    "IPrec@0",
    "IPrec@0.1",
    "IPrec(rounding='v10')@0.35",
    "IPrec@0.12345678",
    "IPrec@0.00001",
    "Bpref",
    "CG@5",
    "NCG@5",
    "DCG",
    "DCG@20",
    "nDCG",
    "nDCG@10",
    "nDCG(dcg='exp-log2')@10",
    "nDCG(dcg='jk', base=10)",
    "DCG(dcg='zipf')",
    "DCG(dcg='exp-zipf')@3",
    "nDCG(gains={0: 0, 1: 1, 2: 5})@10",
    "nDCG(gains={'HRel': 1, 'Non': 0, 'Rel': 0.3})",
    "RBP(p=0.8)",
    "RBP(p=0.95)@10",
    "RBP(p=0.5, gains={0: 0, 1: 0.2, 2: 1})",
    "ERR",
    "ERR@20",
    "ERR(max=3)@20",
    "ESL",
    "ESL(n=3)",
    "NCP",
    "NCP(stop='retrieved')",
    "GAP",
    "GAP(gains={0: 0, 1: 0.31415926535, 2: 1})@10",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_reads_back(name: str) -> None:
    m = ds.measure(name)
    assert str(m) == name.replace("NCP(stop='uniform')", "NCP")
    assert ds.measure(str(m)) == m
    assert hash(ds.measure(str(m))) == hash(m)


@pytest.mark.parametrize(
    ("alias", "ours"),
    [
        ("map", "AP"), ("MAP", "AP"), ("map_cut_5", "AP@5"), ("ndcg_cut_10", "nDCG@10"), ("ndcg", "nDCG"),
        ("P_10", "P@10"), ("recall_100", "R@100"), ("recip_rank", "RR"), ("mrr", "RR"), ("bpref", "Bpref"),
        ("success_1", "Success@1"), ("iprec_at_recall_0.10", "IPrec@0.1"), ("set_F", "SetF"), ("rprec", "Rprec"),
        ("NDCG@10", "nDCG@10"), ("rbp(p=0.9)", "RBP(p=0.9)"), ("RBP", "RBP(p=0.8)"), ("P(rel=1)@10", "P@10"),
        (" nDCG @ 10 ", "nDCG@10"),
    ],
)  # fmt: skip
def test_trec_evals_names_and_any_case_are_understood(alias: str, ours: str) -> None:
    assert str(ds.measure(alias)) == ours


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("nDGC@10", ("nDGC", "nDCG")),
        ("P", ()),
        ("AP@0", (1,)),
        ("AP@2.5", ()),
        ("Rprec@10", ()),
        ("RBP(p=1)", (0, 1)),
        ("RBP(p=0.5, gains={0: 0, 1: 2})", (0, 1)),
        ("nDCG(dcg='ln')", ()),
        ("nDCG(base=1)", (1,)),
        ("AP(foo=1)", ("foo",)),
        ("AP(1)", ("name=value",)),
        ("AP(rel=", ()),
        ("AP(rel=x())", ()),
        ("IPrec@1.5", (0, 1)),
        ("IPrec", ()),
        ("ERR(max=0)", (1, 126)),
        ("ESL(n=0)", (1,)),
        ("NCP(stop='never')", ("uniform", "retrieved")),
        ("GAP(gains={0: 0, 1: 1.5})", ()),
        ("SetF(beta=0)", (0,)),
        ("P(rel=-1)@5", (0, 126)),
        ("Success(rel='a')@5", (0, 126)),
        ("SetP(rel=1.5)", (0, 126)),
        ("Rprec(rel=None)", (0, 126)),
        ("AP(rel=200)", (0, 126)),
        ("RBP(p='a')", ("p",)),
        ("DCG(base='a')", ("base",)),
        ("DCG(dcg=3)", ("dcg",)),
        ("SetF(beta='a')", ("beta",)),
        ("IPrec(level='a')", ("level",)),
        ("nDCG(gains=3)", ()),
        ("nDCG@" + 30 * "9", (2147483647,)),
        ("AP@2147483648", (2147483647,)),
        ("AP@" + 5000 * "9", (2147483647,)),
        ("IPrec@0.1.2", ("0.1.2",)),
        ("", ()),
    ],
)
def test_wrong_names_say_what_is_wrong(name: str, values: tuple[object, ...]) -> None:
    with refused(MeasureError, *values):
        ds.measure(name)


def test_a_measure_of_yours_takes_five_lines() -> None:
    @ds.register
    @dataclass(frozen=True)
    class Halves(ds.Linear):
        def weights(self, n: int) -> np.ndarray:
            return 0.5 ** np.arange(1, n + 1)

    try:
        assert ds.measure("halves").score([1, 0, 1]) == 0.625
        assert ds.measure("Halves@1").score([1, 0, 1]) == 0.5
        runs = ds.Runs.from_dict({"s": {"q": {"a": 3, "b": 2, "c": 1}}})
        judgments = ds.Judgments.from_dict({"j": {"q": {"a": 1, "b": 0, "c": 1}}})
        assert float(ds.evaluate(runs, judgments, ["Halves"])["Halves"].item()) == 0.625
    finally:
        catalog._registered.clear()


def test_registering_refuses_taken_names() -> None:
    class AP(ds.Measure):
        name = "ap"

    with refused(MeasureError):
        ds.register(AP)


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
    with refused(MeasureError, name):
        ours(name)


def test_rbp_means_trec_evals_only_on_request() -> None:
    assert ours("rbp", trec_eval=True) == "TrecRBP"
