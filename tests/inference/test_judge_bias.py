"""Planted biases are found, absent ones are not; the sandwich against statsmodels."""

from __future__ import annotations

import judged_systems as world
import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.judge_bias import centred, judge_bias, slopes, term_overlap


def test_slope_is_weighted_least_squares_with_label_effects() -> None:
    rng = np.random.default_rng(0)
    n = 400
    label, topic = rng.integers(0, 3, n), rng.integers(0, 20, n)
    x = (rng.random(n) < 0.4).astype(float)
    value = (rng.random(n) < 0.2 + 0.3 * label - 0.1 * x).astype(float)
    weight = rng.uniform(1, 4, n)
    ours, constant = slopes(value, label, np.column_stack([x, np.ones(n)]), weight, topic)
    assert ours is not None
    assert constant is None
    design = np.column_stack([np.eye(3)[label], x])
    theirs = sm.WLS(value, design, weights=weight).fit(cov_type="cluster", cov_kwds={"groups": topic})
    assert ours["coefficient"] == pytest.approx(theirs.params[3])
    assert ours["se"] == pytest.approx(theirs.bse[3], rel=0.08)  # small-sample corrections differ
    assert centred(x, label, weight) @ weight == pytest.approx(0, abs=1e-9)


def generated(seed: int, kind: str) -> tuple[ds.Runs, ds.Judgments, dict[str, str]]:
    """25 topics, five systems, a judge with the planted fault, and texts of random length."""
    rng = np.random.default_rng(seed)
    truth = (rng.random((25, world.DOCS)) < 0.35).astype(int)
    _, scores = world.systems(truth, rng, (0.6, 0.9, 1.2, 1.6, 2.2))
    words = rng.integers(20, 400, truth.shape)
    judge = world.with_errors(truth, rng, 0.85)
    if kind == "system":
        judge = world.favouring(judge, rng, 1.0, scores["s4"], depth=8)
    if kind == "length":
        judge = np.where(rng.random(truth.shape) < 0.5 * (words > 250), 1, judge)
    if kind == "topic":
        judge = np.where((rng.random(25) < 0.3)[:, None] & (rng.random(truth.shape) < 0.5), 1, judge)
    texts = {f"t{t:02}-d{d:02}": "word " * int(words[t, d]) for t in range(25) for d in range(world.DOCS)}

    def unique(said: np.ndarray) -> dict[str, dict[str, int]]:
        return {f"t{t:02}": {f"t{t:02}-d{d:02}": int(g) for d, g in enumerate(row)} for t, row in enumerate(said)}

    content = {
        name: {f"t{t:02}": {f"t{t:02}-d{d:02}": float(s[t, d]) for d in range(world.DOCS)} for t in range(25)}
        for name, s in scores.items()
    }
    return ds.Runs.from_dict(content), ds.Judgments.from_dict({"gold": unique(truth), "llm": unique(judge)}), texts


@pytest.mark.parametrize(
    ("kind", "feature"), [("system", "shown by s4"), ("length", "document length (log)"), ("topic", "topic")]
)
def test_planted_biases_are_found(kind: str, feature: str) -> None:
    runs, labels, texts = generated(1, kind)
    result = judge_bias(labels, "llm", "gold", runs=runs, documents=texts)
    assert feature in result.found()
    row = result.table.filter(result.table["feature"] == feature).row(0, named=True)
    assert row["coefficient"] > 0
    assert any("llm" in s for s in result.sentences())


def test_given_the_label_a_fair_judge_misses_what_ranks_know() -> None:
    """Documents that good systems show are relevant more often, whatever the label: no bias, but not in f(J) either."""
    runs, labels, _ = generated(2, "fair")
    assert phrase("judge-bias.best-rank-log") in judge_bias(labels, "llm", "gold", runs=runs, given="label").found()
    with refused(InputError, "given='rank'"):
        judge_bias(labels, "llm", "gold", given="rank")  # type: ignore[arg-type]


def test_a_fair_judge_has_no_bias() -> None:
    found = 0
    for seed in range(6):
        runs, labels, texts = generated(100 + seed, "fair")
        found += bool(judge_bias(labels, "llm", "gold", runs=runs, documents=texts).found())
    assert found <= 1


def test_an_audit_weighs_by_inclusion_and_few_topics_are_refused() -> None:
    runs, labels, _ = generated(3, "system")
    gold = labels.select(assessors=["gold"])
    frame = gold.to_frame()
    inclusion = {t: dict.fromkeys(part["doc"].to_list(), 0.5) for (t,), part in frame.group_by("topic")}
    content = {t: dict(part.select("doc", "grade").iter_rows()) for (t,), part in frame.group_by("topic")}
    audit = ds.Audit.from_dict(content, inclusion=inclusion)
    by_audit = judge_bias(labels, "llm", audit, runs=runs)
    by_name = judge_bias(labels, "llm", "gold", runs=runs)
    assert by_audit.table["coefficient"].to_list() == pytest.approx(by_name.table["coefficient"].to_list())
    with refused(InputError, 3, "llm"):
        judge_bias(labels.select(topics=["t00", "t01", "t02"]), "llm", "gold")
    with refused(InputError, "judge='gpt'"):
        judge_bias(labels, "gpt", "gold")
    with refused(InputError, "gold"):
        judge_bias(labels, "gold", "gold")


def test_term_overlap() -> None:
    assert term_overlap("a b", "B c") == 0.5
    assert np.isnan(term_overlap(None, "x"))


def test_systems_that_show_the_same_documents_are_one_finding() -> None:
    rng = np.random.default_rng(3)
    truth = (rng.random((15, world.DOCS)) < 0.35).astype(int)
    runs, _ = world.systems(truth, rng, (0.6, 0.9, 2.4))
    frame = runs.to_frame()
    worst = sorted(set(frame["system"]))[-1]
    twin = frame.filter(frame["system"] == worst).with_columns(system=pl.lit("twin"))
    both = ds.Runs.from_frame(pl.concat([frame, twin]))
    top = frame.filter(frame["system"] == worst).sort("score", descending=True).group_by("topic").head(8)
    favoured = {(r["topic"], r["doc"]) for r in top.to_dicts()}
    labels = world.labels({"gold": truth, "judge": truth}).to_frame()
    grade = [
        1 if r["assessor"] == "judge" and (r["topic"], r["doc"]) in favoured else r["grade"] for r in labels.to_dicts()
    ]
    labels = ds.Judgments.from_frame(labels.with_columns(grade=pl.Series(grade)), scale="0..1")
    lines = judge_bias(labels, "judge", "gold", runs=both).sentences()
    assert any(
        phrase("judge-bias.shown-by", worst, "twin") in line or phrase("judge-bias.shown-by", "twin", worst) in line
        for line in lines
    )
