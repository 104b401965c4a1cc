"""Where the packages behind ir-measures go wrong, with what each of them gives: of docs/look-up/conformance."""

from __future__ import annotations

import warnings

import ir_measures
import pytest
from ir_named import named

import dissensus as ds


def ours(name: str, qrels: dict, run: dict, **policies) -> dict[str, float]:
    scores = ds.evaluate(ds.Runs.from_dict({"s": run}), ds.Judgments.from_dict({"j": qrels}), [name], **policies)
    values = scores[str(ds.measure(name))]
    return {t: values.sel(topic=t).item() for t in values.topic.values.tolist()}


def theirs(name: str, qrels, run: dict) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {r.query_id: r.value for r in ir_measures.iter_calc([named(name)], qrels, run)}


def test_compat_puts_negative_scores_behind_documents_that_were_not_retrieved() -> None:
    qrels, run = {"q": {"a": 1, "b": 1, "c": 0, "x": 1}}, {"q": {"a": -1.0, "b": -2.0, "c": -3.0}}
    assert theirs("Compat", qrels, run)["q"] == pytest.approx(0.377447, abs=6e-7)
    assert ours("Compat", qrels, run)["q"] == pytest.approx(0.894537, abs=6e-7)


def test_accuracy_drops_topics_or_divides_by_zero() -> None:
    qrels, run = {"q": {"a": 0, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}
    assert theirs("Accuracy", qrels, run) == {}
    assert str(ours("Accuracy", qrels, run)["q"]) == "nan"
    with pytest.raises(ZeroDivisionError):
        theirs("Accuracy", {"q": {"a": 1, "b": 1}}, run)
    assert str(ours("Accuracy", {"q": {"a": 1, "b": 1}}, run)["q"]) == "nan"


def test_counts_leave_out_topics_that_the_run_lacks_and_refuse_a_level() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"b": 2, "c": 1}}, {"1": {"a": 1.0}}
    assert sum(theirs("NumRel", qrels, run).values()) == 1
    assert sum(ours("NumRel", qrels, run).values()) == 3
    assert sum(ours("NumRel(rel=2)", qrels, run).values()) == 1
    with pytest.raises(ValueError, match="NumRel"):
        theirs("NumRel(rel=2)", qrels, run)


SUBTOPICS = [("q", "1", "a", 1), ("q", "1", "b", 1), ("q", "2", "a", 1), ("q", "2", "e", 1), ("q", "3", "c", 1)]
DIVERSE = {"q": {"b": 5.0, "d": 4.0, "a": 3.0, "u": 2.0, "c": 1.0}}


def diverse(name: str, run: dict = DIVERSE) -> float:
    import polars as pl

    frame = pl.DataFrame(SUBTOPICS, schema=["topic", "intent", "doc", "grade"], orient="row")
    judgments = ds.Judgments.from_frame(frame, assessor="j", intent="column")
    return ds.evaluate(ds.Runs.from_dict({"s": run}), judgments, [name])[str(ds.measure(name))].item()


def qrel_rows() -> list[ir_measures.Qrel]:
    return [ir_measures.Qrel(t, d, g, i) for t, i, d, g in SUBTOPICS]


def test_diversity_measures_with_different_parameters_in_one_call_are_zero() -> None:
    names = ["alpha_nDCG@5", "alpha_nDCG(alpha=0.3)@5"]
    rows = list(ir_measures.iter_calc([named(n) for n in names], qrel_rows(), DIVERSE))
    assert sorted(r.value == 0 for r in rows) == [False, True]
    assert theirs(names[1], qrel_rows(), DIVERSE)["q"] == pytest.approx(diverse(names[1]), abs=1e-6)
    assert diverse(names[1]) > 0.6


def test_diversity_measures_take_no_judged_only() -> None:
    with pytest.raises(TypeError):
        theirs("alpha_nDCG(judged_only=True)@5", qrel_rows(), DIVERSE)
    assert diverse("alpha_nDCG(judged_only=True)@5") == pytest.approx(0.7901, abs=5e-5)


def test_pyndeval_forgets_the_divisor_at_rank_1() -> None:
    run = {"q": {"a": 1.0}}
    assert theirs("alpha_DCG@1", qrel_rows(), run)["q"] == 2.0
    assert diverse("alpha_DCG@1", run) == pytest.approx(2 / 3)


def test_ties_are_broken_the_other_way_round_outside_of_trec_eval() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    assert theirs("AP", qrels, run)["q"] == 0.5  # trec_eval: the larger id first
    assert theirs("Compat", qrels, run)["q"] == 1.0  # ir-measures' own: the smaller id first
    assert (ours("AP", qrels, run)["q"], ours("Compat", qrels, run)["q"] < 1) == (0.5, True)
