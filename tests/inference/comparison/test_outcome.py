"""The outcome: which score is the score, what it recommends, its targets, and that every window has the same."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from audited_study import audit
from compared_pairs import pair
from wording import phrase

import dissensus as ds
from dissensus.cli import main
from dissensus.inference.comparison.decision import Belief
from dissensus.inference.comparison.evidence import outcome_of_corrected, outcome_of_scores
from dissensus.inference.comparison.evidence_value import Evidence
from dissensus.inference.comparison.outcome import conclude
from dissensus.io.samples import generated_collection

SAMPLE = generated_collection(seed=2, topics=20)
MEASURE = "P(rel=2)@10"


def evidence(pairs, pooled_scores, corrected_scores, **more):
    systems = tuple(corrected_scores)
    kinds = {
        kind: {s: (v, v - 0.1, v + 0.1) for s, v in scores.items()}
        for kind, scores in (("pooled", pooled_scores), ("corrected", corrected_scores), ("naive", corrected_scores))
    }
    return Evidence("AP", "llm", systems, tuple(pairs), kinds, 30, audited=True, **more)


def test_a_shown_claim_outranks_the_pooled_order():
    pairs = [pair("a", "b", 0.1, 0.01), pair("a", "c", 0.3, 0.01), pair("b", "c", 0.2, 0.01)]
    found = conclude(evidence(pairs, {"a": 0.4, "b": 0.5, "c": 0.2}, {"a": 0.6, "b": 0.5, "c": 0.3}))
    assert found.kinds == {"a": "corrected", "b": "corrected", "c": "pooled"}
    assert found.order == ("a", "b", "c")
    assert found.scores["a"][0] == 0.6


def test_a_system_that_the_audit_contradicts_has_its_corrected_score_and_no_probably():
    pairs = [pair("a", "b", 0.01, 0.5), pair("a", "c", 0.02, 0.5), pair("b", "c", 0.01, 0.5)]
    model = [d.__class__(d.a, d.b, "AP", 0.2, 0.01, (0.1, 0.3), 0.001, 0.95, "pooled", "max-t", 3) for d in pairs]
    scores = {"a": 0.6, "b": 0.5, "c": 0.4}
    plain = conclude(evidence(pairs, scores, scores, pooled=tuple(model)))
    assert {c.kind for c in plain.probable_pairs} == {"probably"}
    assert len(plain.probable_pairs) == 3
    assert [str(c) for c in plain.probable] == [phrase("outcome.probably-ahead", "a", "b", "c")]
    found = conclude(evidence(pairs, scores, scores, pooled=tuple(model), doubted=frozenset("b")))
    assert found.kinds["b"] == "corrected"
    assert [set(c.systems + c.others) for c in found.probable_pairs] == [{"a", "c"}]


def test_the_recommendation_stays_in_the_best_set_and_names_what_it_costs():
    pairs = [pair("a", "b", 0.1, 0.01), pair("a", "c", 0.02, 0.5), pair("b", "c", -0.08, 0.01)]
    mean = np.array([0.50, 0.55, 0.49])  # b looks better to the model, and is ruled out
    belief = Belief(mean, 2e-4 * np.eye(3), 1e-4 * np.eye(3))
    scores = {"a": 0.5, "b": 0.4, "c": 0.48}
    found = conclude(evidence(pairs, scores, scores, negligible=0.02, belief=lambda kinds: belief))
    assert found.decision is not None
    assert found.recommendation is not None
    assert found.decision.recommended == "a"
    assert found.decision.elsewhere == "b"
    assert phrase("outcome.smaller-loss-ruled-out", "b") in str(found.recommendation)
    kept = conclude(
        evidence(pairs, scores, scores, negligible=0.05, belief=lambda kinds: belief, in_use="c")
    ).recommendation
    assert kept is not None
    assert (kept.kind, kept.systems, kept.others) == ("keep", ("c",), ("a",))
    assert conclude(evidence(pairs, scores, scores, belief=lambda kinds: belief)).recommendation is None


@pytest.fixture(scope="module")
def corrected():
    return ds.correct(SAMPLE.runs, SAMPLE.judgments, audit(SAMPLE.truth, 0.4), [MEASURE, "RBP"], assessor="llm")


def test_the_other_target_is_the_next_line(corrected):
    found = corrected.outcome
    here = ds.correct(
        SAMPLE.runs, SAMPLE.judgments, audit(SAMPLE.truth, 0.4), [MEASURE], assessor="llm", target="these_topics"
    ).outcome
    assert (found.target, here.target) == ("population", "these_topics")
    assert found.elsewhere is not None
    assert here.elsewhere is not None
    assert found.elsewhere.best == here.best
    assert here.elsewhere.best == found.best
    assert [d.interval for d in found.elsewhere.pairs] == [d.interval for d in here.pairs]
    for claim in (*found.claims, *here.claims):
        assert not (phrase("outcome.like-these") in str(claim) and "on these" in str(claim))


def test_no_other_target_where_the_labels_chose_when_to_stop(corrected):
    """The pairs are sets that hold at every look; those of the other target would be for one look."""
    name = corrected.outcome.measure
    pairs = corrected.only(name).compare_all().pairs
    assert outcome_of_corrected(corrected, name, pairs).elsewhere is not None
    followed = tuple(replace(d, ruled="open") for d in pairs)
    assert outcome_of_corrected(corrected, name, followed).elsewhere is None


def test_more_labels_or_topics_lower_the_expected_loss(corrected):
    d = corrected.outcome.decision
    assert d is not None
    loss = d.of(d.choice)[2]
    assert d.after_labels <= loss + 0.001
    assert d.after_topics <= loss + 0.001


def test_an_audit_for_differences_gives_order_ranks_and_a_recommendation_without_scores():
    sample = ds.plan(SAMPLE.runs, SAMPLE.judgments, None, 150, measures=MEASURE, assessor="llm", purpose="differences")
    truth = SAMPLE.truth.to_frame().select("topic", "doc", "grade")
    known = ds.Audit.from_frame(sample.sample.drop("grade").join(truth, on=["topic", "doc"]))
    found = ds.correct(SAMPLE.runs, SAMPLE.judgments, known, [MEASURE], assessor="llm").outcome
    assert found.kind == "behind"
    assert found.scores == {}
    assert found.ranks["score"].null_count() == len(found.order)
    assert found.ranks["rank"].null_count() == 0
    assert found.decision is not None
    assert found.decision.choice in found.best


def test_a_measure_without_a_finite_range_asks_for_what_is_negligible(corrected):
    plain = ds.correct(SAMPLE.runs, SAMPLE.judgments, audit(SAMPLE.truth, 0.4), ["DCG@10"], assessor="llm")
    assert plain.outcome.recommendation is None
    assert plain.conclude(negligible=0.1).recommendation is not None


def test_terminal_json_and_report_have_the_same_outcome(tmp_path, capsys):
    """FINDINGS B2: three commands named three firsts from the same files."""
    SAMPLE.runs.to_frame().write_csv(tmp_path / "runs.csv")
    SAMPLE.judgments.select(assessors=["llm"]).to_frame().write_csv(tmp_path / "llm.csv")
    audit(SAMPLE.truth, 0.4).to_frame().write_csv(tmp_path / "audit.csv")
    files = [str(tmp_path / "runs.csv"), "-j", str(tmp_path / "llm.csv"), "--audit", str(tmp_path / "audit.csv")]
    said = {}
    for words in (["compare"], ["correct"], ["report", "-o", str(tmp_path / "report.html")]):
        assert main([words[0], *files, *words[1:], "-m", MEASURE, "--json"]) == 0
        said[words[0]] = json.loads(capsys.readouterr().out)["outcome"]
    assert said["compare"]["schema"] == 1
    for name in ("correct", "report"):
        assert said[name] == said["compare"]
    assert main(["compare", *files, "-m", MEASURE]) == 0
    assert said["compare"]["headline"] in capsys.readouterr().out
    for suffix in ("tex", "md"):
        assert main(["compare", *files, "-m", MEASURE, "-o", str(tmp_path / f"pairs.{suffix}")]) == 0
        assert said["compare"]["best"][0] in (tmp_path / f"pairs.{suffix}").read_text()
    assert said["compare"]["headline"] in (tmp_path / "report.html").read_text()


def test_rows_are_in_the_order_of_the_outcome(corrected):
    table = corrected.tables["scores"].frame.filter(pl.col("measure") == MEASURE)
    assert tuple(table["system"].to_list()) == corrected.outcome.order


def test_the_same_difference_on_every_topic_recommends_nothing():
    """It shows no spread over topics, and so nothing of other topics."""
    scores = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    assert outcome_of_scores("AP", "llm", ("a", "b"), scores, (pair("a", "b", 1.0, 0.01),)).decision is None


def test_identical_systems_get_no_recommendation():
    scores = np.array([[0.2, 0.4, 0.9]] * 2)
    found = outcome_of_scores("AP", "llm", ("a", "b"), scores, (pair("a", "b", 0.0, 1.0, se=0.0),))
    assert [c.kind for c in found.claims] == ["identical"]
    assert found.decision is None
