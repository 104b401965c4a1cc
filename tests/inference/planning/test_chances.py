"""With which probability documents are drawn, by purpose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from audited_study import study
from wording import phrase

import dissensus as ds
from dissensus.inference.correction.design import lay_out
from dissensus.inference.planning.chances import Chances, inclusion, key_of
from dissensus.inference.planning.prospect import Outlook, outlook
from dissensus.inference.planning.result import Plan


@pytest.fixture(scope="module", name="laid")
def _laid() -> Outlook:
    runs, bronze, _ = study(topics=15, systems=tuple("ABCDEFGH"))
    return outlook(ds.measure("P@5"), lay_out(runs, bronze, None), 0)


def test_keys_by_purpose(laid: Outlook) -> None:
    w, spread = laid.weights, laid.spread
    scores, differences, pair = (
        key_of(purpose, laid.design, w, spread, chosen, 50)
        for purpose, chosen in (("scores", None), ("differences", None), ("differences", (0, 1)))
    )
    dense = w.dense(np.arange(w.n_items))
    assert scores == pytest.approx(np.sqrt((dense**2).mean(axis=0)) * 0.4)
    assert differences == pytest.approx(dense.std(axis=0) * 0.4)
    assert pair == pytest.approx(np.abs(dense[0] - dense[1]) * 0.4)


def test_pooled_plans_lower_the_variance_of_deviations(laid: Outlook) -> None:
    budget = 60.0
    plain, pooled = (laid.chances(p, None, budget).at(budget) for p in ("scores", "pooled"))
    assert plain.sum() == pytest.approx(budget)
    assert pooled.sum() == pytest.approx(budget)
    key = key_of("pooled", laid.design, laid.weights, laid.spread, None, budget)
    use = key > 0

    def variance(pi: np.ndarray) -> float:
        return float((key[use] ** 2 * (1 - pi[use]) / pi[use]).sum())

    assert variance(pooled) < variance(plain)
    assert (pooled[laid.weights.scored_items] > 0).all()  # the level can be corrected, too


def test_budgets_are_kept() -> None:
    key = np.array([5.0, 1.0, 1.0, 0.0])
    chances = Chances(key, key > 0)
    assert chances.most == 3
    assert chances.at(3.0).tolist() == [1.0, 1.0, 1.0, 0.0]
    assert inclusion(key, key > 0, 1.5).sum() == pytest.approx(1.5)
    assert inclusion(key, key > 0, 0.01).min() == 0.0


NAMES = ("A", "B", "C", "D", "E", "F")


def graded(plan: Plan, gold: ds.Judgments, path: Path) -> ds.Audit:
    """The sample as experts give it back: written, graded, read."""
    plan.write(path)
    table = pl.read_csv(path, infer_schema=False)
    truth = gold.to_frame().select("topic", "doc", truth=pl.col("grade").cast(pl.String))
    table.join(truth, on=["topic", "doc"], how="left", maintain_order="left").with_columns(
        grade=pl.coalesce("grade", "truth")
    ).drop("truth").write_csv(path)
    return ds.read_audit(path, scale="0..1")


def test_two_stages_have_equal_standard_errors_with_two_and_six_runs(tmp_path: Path) -> None:
    runs, bronze, gold = study(topics=30, systems=NAMES)
    two = runs.select(systems=["A", "B"])
    first = graded(ds.plan(two, bronze, budget=60, measures="P@5", seed=1), gold, tmp_path / "first.csv")
    both = graded(ds.plan(runs, bronze, first, budget=120, measures="P@5", seed=2), gold, tmp_path / "both.csv")
    for audit in (first, both):
        few = ds.correct(two, bronze, audit, ["P@5"], target="these_topics")
        many = ds.correct(runs, bronze, audit, ["P@5"], target="these_topics")
        assert few.compare("A", "B").se == pytest.approx(many.compare("A", "B").se, rel=1e-12)
        se = dict(zip(many.systems, many.results["P@5"].estimate.se, strict=True))
        assert few.results["P@5"].estimate.se == pytest.approx([se["A"], se["B"]], rel=1e-12)


def test_joint_probabilities_are_exact_over_stages(tmp_path: Path) -> None:
    runs, bronze, gold = study(topics=12)
    plan = ds.plan(runs, bronze, budget=20, measures="P@5", seed=1)
    first = graded(plan, gold, tmp_path / "first.csv")
    again = ds.plan(runs, bronze, first, budget=30, measures="P@5", seed=2)
    second = np.asarray(again.everyone["inclusion"])
    before = np.asarray(
        again.everyone.select("topic", "doc").join(plan.everyone, on=["topic", "doc"], maintain_order="left")[
            "inclusion"
        ]
    )
    assert np.all(second >= before - 1e-15)
    alone = 1 - (1 - second) / (1 - np.where(before < 1, before, 0))  # what the second stage drew by itself
    seen = again.everyone.select("topic", "doc").join(
        first.judgments.to_frame().select("topic", "doc", seen=True), on=["topic", "doc"], how="left",
        maintain_order="left",
    )["seen"]  # fmt: skip
    fresh = seen.is_null().to_numpy()
    assert alone[fresh].sum() == pytest.approx(30, abs=1e-6)
    assert again.sample["grade"].null_count() == 30
    design = lay_out(runs, bronze, graded(again, gold, tmp_path / "both.csv"))
    assert design.chances is not None
    assert np.sort(design.chances[design.bronze < design.n_labels - 1]) == pytest.approx(np.sort(second))


def test_without_its_frame_the_same_sample_is_guessed_and_says_so(tmp_path: Path) -> None:
    runs, bronze, gold = study(topics=30)
    path = tmp_path / "a.csv"
    known = graded(ds.plan(runs, bronze, budget=90, measures="P@5", seed=1), gold, path)
    guessed = ds.Audit.from_frame(pl.read_csv(path, infer_schema=False).drop("design"), scale="0..1")
    exact, rough = (ds.correct(runs, bronze, a, ["P@5"]) for a in (known, guessed))
    assert exact.table["corrected"].to_numpy() == pytest.approx(rough.table["corrected"].to_numpy())
    assert not any(phrase("sample.are-guessed") in note for note in exact.notes)
    assert any(phrase("sample.are-guessed") in note for note in rough.notes)


def test_writing_leaves_both_files(tmp_path: Path) -> None:
    runs, bronze, _ = study(topics=10)
    plan = ds.plan(runs, bronze, budget=20, measures="P@5")
    files = plan.write(tmp_path / "to-audit.csv")
    assert [f.name for f in files] == ["to-audit.csv", "to-audit.frame.parquet"]
    sample = pl.read_csv(files[0])
    assert set(sample["design"]) == {plan.design}
    assert plan.design.startswith("plan -m P@5 --for scores --budget 20 --seed 0 #")
    assert pl.read_parquet(files[1]).equals(plan.everyone)
