"""ds.correct: files in, corrected scores, covariances, comparisons and words out."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.correction.matrix import Calibration, Documents, solve
from dissensus.inference.correction.matrix_scores import matrix_estimate


@pytest.fixture(scope="module", name="made")
def _made():
    runs, bronze, gold = study()
    return runs, bronze, gold, ds.correct(runs, bronze, audit(gold), ["P@5", "DCG@10", "nDCG@10"])


def test_shape_of_the_result(made):
    runs, bronze, _, result = made
    assert result.table.columns[:8] == ["measure", "system", "naive", "corrected", "se", "low", "high", "method"]
    assert result.table.height == 9
    assert result.scores["P@5"].dims == ("assessor", "system", "topic")
    assert result.scores["P@5"].shape == (1, 3, 20)
    cov = result.covariance["P@5"].values
    np.testing.assert_allclose(cov, cov.T)
    naive = ds.evaluate(runs, bronze, ["P@5", "nDCG@10"])
    row = result.table.filter((pl.col("measure") == "P@5") & (pl.col("system") == "B")).row(0, named=True)
    assert row["naive"] == pytest.approx(float(naive["P@5"].sel(system="B").mean()))
    assert float(result.scores["P@5"].sel(system="B").mean()) == pytest.approx(row["corrected"])
    assert set(result.table["method"]) == {"rectified", "imputation"}
    assert json.loads(result.to_json())["table"][0]["measure"] == "P@5"
    assert "rectified: the audit lies among the scored documents" in str(result)


def test_linear_scores_are_unbiased():
    """Over 300 audits of the same labels the mean corrected score is the gold one, whatever the judge did."""
    runs, bronze, gold = study(topics=12, seed=3, se=0.6, sp=0.9)
    truth = ds.evaluate(runs, gold, ["DCG@10"])["DCG@10"].mean("topic").values[0]
    found = np.array(
        [
            ds.correct(runs, bronze, audit(gold, 0.5, seed), ["DCG@10"], target="these_topics").table["corrected"]
            for seed in range(40)
        ]
    )
    error = found.std(axis=0, ddof=1) / math.sqrt(len(found))
    assert np.all(np.abs(found.mean(axis=0) - truth) < 3.5 * error)


def test_full_audit_gives_gold_scores_for_every_measure():
    runs, bronze, gold = study(topics=8)
    result = ds.correct(runs, bronze, gold, ["P@5", "AP", "nDCG@10", "RR"])
    truth = ds.evaluate(runs, gold, ["P@5", "AP", "nDCG@10", "RR"])
    for name in truth:
        expected = truth[name].mean("topic").values[0]
        got = result.table.filter(pl.col("measure") == name)["corrected"].to_numpy()
        np.testing.assert_allclose(got, expected, atol=1e-9)
    assert set(result.table["method"]) == {"rectified", "per-topic"}


def test_sample_of_topics_is_recognised():
    runs, bronze, gold = study(topics=30)
    some = gold.select(topics=[f"q{q:02d}" for q in range(0, 30, 3)])
    result = ds.correct(runs, bronze, some, ["P@5", "AP"])
    assert "a sample of 10 of 30 topics" in "\n".join(result.notes)
    assert set(result.table["method"]) == {"rectified", "per-topic"}
    truth = ds.evaluate(runs, gold, ["AP"])["AP"].mean("topic").values[0]
    rows = result.table.filter(pl.col("measure") == "AP")
    inside = (rows["low"].to_numpy() <= truth) & (truth <= rows["high"].to_numpy())
    assert inside.all()


def test_plain_judgments_take_inclusion_within_labels():
    runs, bronze, gold = study()
    frame = gold.to_frame().filter(pl.Series(np.random.default_rng(0).random(gold.n_items) < 0.4))
    result = ds.correct(runs, bronze, ds.Judgments.from_frame(frame, scale="0..1"), ["P@5"])
    assert any("taken within each bronze label" in note for note in result.notes)
    names = {f.name for f in result.diagnosis["audit"]}
    assert {"sample by label", "sample by topic", "sample by depth", "sample by system"} <= names
    weights = 1 / result.design.inclusion[result.design.audited]
    assert weights.sum() == pytest.approx(gold.n_items)


def test_lopsided_audit_needs_its_weights():
    """100 relevant and 100 not at 10 % prevalence: unweighted, the matrix is far off; weighted, it is not."""
    rng = np.random.default_rng(1)
    n, se, sp = 20_000, 0.8, 0.9
    gold = (rng.random(n) < 0.1).astype(np.int64)
    bronze = np.where(gold == 1, rng.random(n) < se, rng.random(n) < 1 - sp).astype(np.int64)
    pi = np.where(bronze == 1, 0.2, 0.01)  # drawn by bronze label
    seen = rng.random(n) < pi
    mass = np.array([[(bronze == 0).mean(), (bronze == 1).mean()]])

    def corrected(weight):
        documents = Documents(gold[seen], bronze[seen], weight[seen], np.zeros(seen.sum(), np.int64))
        made = solve(Calibration.from_documents(documents, 2, 2), np.array([0.0, 1.0]), mass[0], None)
        return float(mass[0] @ made.gains)

    assert corrected(1 / pi) == pytest.approx(gold.mean(), abs=0.03)
    assert abs(corrected(np.ones(n)) - gold.mean()) > 0.05


def test_confusion_from_elsewhere():
    runs, bronze, _ = study(topics=40)
    matrix = ds.Confusion(None, counts=[[160, 40], [30, 170]])
    result = ds.correct(runs, bronze, matrix, ["P@5", "nDCG@10"])
    rows = result.table.filter(pl.col("measure") == "P@5")
    assert set(rows["method"]) == {"confusion"}
    naive = rows["naive"].to_numpy()
    np.testing.assert_allclose(rows["corrected"].to_numpy(), (naive - 0.2) / (0.85 + 0.8 - 1), atol=1e-9)
    assert result.table.filter(pl.col("measure") == "nDCG@10")["corrected"].is_nan().all()
    assert any("nDCG@10 is not linear in the labels" in n for n in result.notes)
    one = result.compare("A", "B", measure="P@5")
    assert one.fieller is not None
    assert one.p_value == one.p_wald
    apart = result.compare("A", "B", "separate", "P@5")  # eq. 10: calibration variances add, queries stay paired
    estimate = result.results["P@5"].estimate
    gap = estimate.scores[0] - estimate.scores[1]
    added = estimate.calibration_part[0, 0] + estimate.calibration_part[1, 1]
    assert apart.se**2 == pytest.approx(gap.var(ddof=1) / 40 + added)
    assert apart.difference == pytest.approx(one.difference)
    assert any("taken as if each had been calibrated" in note for note in apart.notes)
    again = result.compare("A", "B", measure="P@5", interval="bootstrap")
    assert again.interval == pytest.approx(one.interval, abs=0.03)


def test_topics_that_the_judge_left_out_are_not_scored():
    grades = {"ann": {q: {"x": 1} for q in "abc"}, "ben": {"a": {"x": 1}, "c": {"x": 0}}}
    both = ds.Judgments.from_dict(grades, scale="0..1")
    runs = ds.Runs.from_dict({s: {q: {d: 1.0} for q in "abc"} for s, d in (("A", "x"), ("B", "y"))})
    judge = ds.Confusion(None, counts=[[80, 20], [10, 90]])
    for result in (
        ds.correct(runs, both, judge, "P@1", assessor="ben"),
        ds.correct(runs, both.select(assessors=["ben"]), judge, "P@1"),
    ):
        assert result.topics == ("a", "c")
        assert result.table["naive"].to_list() == [0.5, 0.0]


def test_short_runs_and_missing_topics_contribute_nothing():
    """h_0 is not 0: an empty rank must not be mistaken for a non-relevant document."""
    runs = ds.Runs.from_dict({"A": {"q1": {"x": 1.0}}, "B": {"q1": {"x": 2.0, "y": 1.0}, "q2": {"z": 1.0}}})
    bronze = ds.Judgments.from_dict({"llm": {"q1": {"x": 1, "y": 0}, "q2": {"z": 0}}})
    result = ds.correct(runs, bronze, ds.Confusion(None, counts=[[80, 20], [10, 90]]), ["P@5"])
    scores = result.scores["P@5"].values[0]
    h0, h1 = -0.2 / 0.7, 0.8 / 0.7
    np.testing.assert_allclose(scores, [[h1 / 5, 0.0], [(h1 + h0) / 5, h0 / 5]], atol=1e-12)
    assert "topics=judged (2, 1 missing scored as empty)" in result.footer


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([[50, 50], [50, 50]], "singular"),
        ([[10, 0], [0, 0]], "holds no document of gold grade 1"),
    ],
)
def test_impossible_matrices_get_words(counts, words):
    runs, bronze, _ = study(topics=6)
    result = ds.correct(runs, bronze, ds.Confusion(None, counts=counts), ["P@5"])
    assert result.table["corrected"].is_nan().all()
    assert any(words in note for note in result.notes)
    assert "no answer" in result.compare("A", "B").verdict


def test_weak_judge_gets_fiellers_set():
    runs, bronze, _ = study(topics=30)
    result = ds.correct(runs, bronze, ds.Confusion(None, counts=[[11, 9], [8, 12]]), ["P@5"])
    found = result.compare("A", "C")
    assert found.method == "confusion, Fieller"
    assert found.fieller.kind in ("two rays", "line", "interval")
    assert found.p_value == found.p_fieller


@pytest.mark.parametrize("correction", ["max-t", "bonferroni"])
@pytest.mark.parametrize("counts", [[[11, 9], [8, 12]], [[16, 4], [5, 15]]])
def test_fiellers_sets_in_a_family_are_widened_with_their_p(correction, counts):
    runs, bronze, _ = study(topics=30)
    judge = ds.Confusion(None, counts=counts)
    strict = ds.correct(runs, bronze, judge, ["P@5"], level=1 - 0.05 / 3)
    result = ds.correct(runs, bronze, judge, ["P@5"])
    for d in result.compare_all(correction):
        one, alone = result.compare(d.a, d.b), strict.compare(d.a, d.b)
        assert d.method == "confusion, Fieller"
        assert d.family == 3
        assert any(str(d.fieller) in n for n in d.notes)
        assert d.interval == d.fieller.hull
        assert (0 in d.fieller) == (d.p_value >= 0.05)
        if correction == "bonferroni":
            assert d.fieller == alone.fieller
            assert d.p_value == pytest.approx(min(1, 3 * one.p_fieller))
        else:  # sharper than Bonferroni, wider than a pair by itself
            assert one.p_fieller <= d.p_value <= min(1, 3 * one.p_fieller) + 1e-3


def test_graded_singular_matrix_refuses_and_rectified_does_not():
    runs, bronze, gold = study(grades=4)
    flat = bronze.with_grades(np.where(bronze.grade > 0, 1, 0))  # a judge with two grades on a scale of four
    result = ds.correct(runs, flat, audit(gold), ["DCG@10"])
    assert set(result.table["method"]) == {"rectified"}
    assert "too few to recover 4 gold grades" in result.results["DCG@10"].sensitivity.why_not
    asked = ds.correct(runs, flat, audit(gold), ["DCG@10"], "confusion")
    assert asked.table["corrected"].is_nan().all()


def test_audited_documents_that_were_never_judged():
    runs, bronze, gold = study()
    hidden = bronze.rows(np.arange(len(bronze)) % 7 != 0)
    frame = hidden.to_frame()
    fewer = ds.Judgments.from_frame(frame, scale="0..1")
    result = ds.correct(runs, fewer, audit(gold, 0.5), ["P@5"])
    assert result.design.covers_unjudged
    assert any("predicted like any label" in f.sentence for f in result.results["P@5"].findings)
    without = ds.correct(runs, fewer, ds.Confusion(None, counts=[[80, 20], [10, 90]]), ["P@5"])
    assert (without.table["unjudged_high"] > 0).all()
    assert any("without a bronze label" in f.sentence for f in without.results["P@5"].findings)


def test_all_pairs_adjusted_together(made):
    *_, result = made
    raw = result.compare_all("none")
    joint = result.compare_all("max-t")
    blunt = result.compare_all("bonferroni")
    assert joint.family.startswith("3 pairs × 3 measures = 9 comparisons")
    for a, b, c in zip(raw, joint, blunt, strict=True):
        assert a.p_value <= b.p_value + 1e-9
        width = [d.interval[1] - d.interval[0] for d in (a, b, c)]
        assert width[0] < width[1]
        assert b.adjusted == "max-t"
        assert (b.p_value < 0.05) == (not b.interval[0] <= 0 <= b.interval[1])
        assert width[2] > width[0]
    assert set(joint.groups) == {"P@5", "DCG@10", "nDCG@10"}
    assert joint["B", "A", "P@5"].difference == -joint["A", "B", "P@5"].difference
    assert "adjusted for 9 comparisons" in str(joint)


def test_holm_is_never_above_bonferroni(made):
    *_, result = made
    holm, blunt = result.compare_all("holm"), result.compare_all("bonferroni")
    assert all(h.p_value <= b.p_value + 1e-12 for h, b in zip(holm, blunt, strict=True))


def test_named_difference_gets_advice(made):
    *_, result = made
    d = result.compare("A", "B", measure="P@5", difference=0.001)
    assert "no audit can settle" in d.advice or "more audited documents" in d.advice
    assert d.detectable > 0


def test_ratio_of_sums(made):
    runs, bronze, gold, _ = made
    result = ds.correct(runs, bronze, audit(gold, 0.6), ["nDCG-ratio@10"])
    top = ds.evaluate(runs, gold, ["DCG@10"])["DCG@10"].sum("topic").values[0]
    pools = gold.to_frame().group_by("topic").agg(pl.col("grade").sort(descending=True).head(10))
    ideal = sum(sum(g / math.log2(i + 2) for i, g in enumerate(grades)) for grades in pools["grade"].to_list())
    low, high = result.table["low"].to_numpy(), result.table["high"].to_numpy()
    assert ((low <= top / ideal) & (top / ideal <= high)).all()
    assert set(result.table["method"]) == {"ratio"}


def test_several_assessors_need_a_name_or_a_merge():
    runs, bronze, gold = study(topics=6)
    two = pl.concat([bronze.to_frame(), gold.to_frame()])
    both = ds.Judgments.from_frame(two, scale="0..1")
    with pytest.raises(InputError, match="one is corrected at a time"):
        ds.correct(runs, both, gold, ["P@5"])
    assert ds.correct(runs, both, gold, ["P@5"], assessor="llm").table.height == 3
    merged = ds.merge(both, ties="lower").judgments
    assert ds.correct(runs, merged, gold, ["P@5"]).table.height == 3


def test_wrong_input():
    runs, bronze, gold = study(topics=6)
    with pytest.raises(InputError, match='method="magic"'):
        ds.correct(runs, bronze, gold, ["P@5"], "magic")
    with pytest.raises(InputError, match="needs gold labels of scored documents"):
        ds.correct(runs, bronze, ds.Confusion.uniform(2, 0.2), ["P@5"], "rectified")
    stranger = ds.Judgments.from_dict({"expert": {"other": {"x": 1}}})
    with pytest.raises(InputError, match="no audited document is among"):
        ds.correct(runs, bronze, stranger, ["P@5"])
    result = ds.correct(runs, bronze, gold, ["P@5", "P@3"])
    with pytest.raises(InputError, match="several measures were corrected"):
        result.compare("A", "B")
    with pytest.raises(InputError, match="no system is called 'Z'"):
        result.compare("A", "Z", measure="P@5")
    with pytest.raises(InputError, match="difference=-1: name the size"):
        result.compare_all(difference=-1)
    with pytest.raises(InputError, match="fewer than two systems"):
        ds.correct(runs.select(systems=["A"]), bronze, gold, ["P@5"]).compare_all()


def test_a_matrix_of_other_grades_is_refused_with_a_way_out():
    runs, bronze, _ = study(topics=6, grades=3)
    with pytest.raises(InputError, match="has 5 grades, the judgments' scale"):
        ds.correct(runs, bronze, ds.Confusion.uniform(5, 0.2), ["P@5"])
    read_off = ds.Judgments.from_frame(bronze.to_frame())
    with pytest.raises(InputError, match=r'declare them: scale="0..4"'):
        ds.correct(runs, read_off, ds.Confusion.uniform(5, 0.2), ["P@5"])


def test_these_topics_are_not_a_target_of_the_matrix():
    runs, bronze, gold = study(topics=6)
    judge = ds.Confusion(None, counts=[[80, 20], [10, 90]])
    with pytest.raises(InputError, match='target="these_topics" needs an audit'):
        ds.correct(runs, bronze, judge, ["P@5"], target="these_topics")
    with pytest.raises(InputError, match='target="these_topics" needs an audit'):
        ds.correct(runs, bronze, gold, ["P@5"], "confusion", target="these_topics")
    with pytest.raises(InputError) as one:
        ds.correct(runs.select(topics=["q00"]), bronze, judge, ["P@5"])
    assert "these_topics" not in str(one.value)  # it would be refused, too


def test_judges_worse_than_a_coin_are_not_called_incorrigible():
    runs, bronze, _ = study(topics=6)
    found = ds.correct(runs, bronze, ds.Confusion(None, counts=[[30, 70], [80, 20]]), ["P@5"])
    said = str(found.diagnosis["P@5"][0])
    assert said.startswith("! ")
    assert "D = -0.500, 8.2 standard errors from 0. It is worse than a coin: are the grades reversed?" in said
    coin = ds.correct(runs, bronze, ds.Confusion([[0.6, 0.4], [0.6, 0.4]]), ["P@5"])
    assert str(coin.diagnosis["P@5"][0]).endswith("D = 0.000. It is not better than a coin.")


def test_what_can_be_seen_is_what_the_adjusted_test_sees(made):
    *_, result = made
    alone = result.compare("A", "B", measure="P@5")
    for correction in ("max-t", "holm", "bonferroni"):
        adjusted = result.compare_all(correction, difference=0.3)["A", "B", "P@5"]
        assert adjusted.detectable > alone.detectable
    assert result.compare_all("none")["A", "B", "P@5"].detectable == alone.detectable


def test_same_seed_same_numbers(made):
    runs, bronze, gold, result = made
    again = ds.correct(runs, bronze, audit(gold), ["P@5", "DCG@10", "nDCG@10"])
    assert again.table.equals(result.table)


def test_a_binary_measure_on_graded_labels_uses_every_grade():
    """How grades are mixed differs between calibration and scored documents: the full matrix does not care."""
    rng = np.random.default_rng(0)
    matrix = np.array([[0.8, 0.15, 0.05], [0.3, 0.5, 0.2], [0.05, 0.15, 0.8]])
    share = np.array([0.5, 0.4, 0.1])
    topics, values = 4000, np.array([0.0, 1.0, 1.0])
    gold = rng.choice(3, (topics, 10), p=share)
    bronze = (rng.random(gold.shape)[..., None] >= matrix.cumsum(axis=1)[gold][..., :-1]).sum(axis=2)
    mass = np.stack([(bronze == j).mean(axis=1) for j in range(3)], axis=1)[None]
    elsewhere = Calibration(matrix, np.array([3000.0, 300.0, 3000.0]))  # grade 2 is ten times as common there
    made = matrix_estimate(mass, elsewhere, values, values)
    assert made.theta[0] == pytest.approx(0.5, abs=4 * made.se[0])
    assert made.se[0] < 0.03
    assert not any("merged" in n for n in made.notes)
    assert any(n.startswith("3 gold grades have a row each") for n in made.notes)
    values_apart = matrix_estimate(mass, elsewhere, np.array([0.0, 1.0, 2.0]), None)
    assert not any("have a row each" in n for n in values_apart.notes)
    one = np.array([[0.8, 0.15, 0.05], [0.3, 0.5, 0.2], [0.3, 0.5, 0.2]])  # he cannot tell 1 from 2, and need not
    joined = matrix_estimate(mass, Calibration(one, elsewhere.counts), values, values)
    assert any("as common among the calibration documents as among the scored ones" in n for n in joined.notes)


def test_discrimination_of_a_graded_judge_is_told_as_the_measure_sees_him():
    rng = np.random.default_rng(4)
    runs = ds.Runs.from_dict({s: {str(q): {f"d{i}": rng.random() for i in range(12)} for q in range(30)} for s in "AB"})
    gold = {str(q): {f"d{i}": int(rng.integers(0, 3)) for i in range(12)} for q in range(30)}
    said = {q: {d: g if rng.random() < 0.7 else int(rng.integers(0, 3)) for d, g in t.items()} for q, t in gold.items()}
    bronze = ds.Judgments.from_dict({"llm": said}, scale="0..2")
    result = ds.correct(runs, bronze, ds.Judgments.from_dict({"gold": gold}, scale="0..2"), "P@5", "confusion")
    found = {f.name: f.sentence for f in result.diagnosis["P@5"]}
    pairs = [(g > 0, said[q][d] > 0) for q, t in gold.items() for d, g in t.items()]
    hit = np.mean([j for g, j in pairs if g])
    miss = np.mean([not j for g, j in pairs if not g])
    assert found["discrimination"].startswith(
        f"grades taken as relevant or not, the judge finds {hit:.1%} of relevant and rejects {miss:.1%} of non-relevant"
    )
    assert f"D = {hit + miss - 1:.3f}" in found["discrimination"]
