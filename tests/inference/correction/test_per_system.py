"""A calibration for each system: eq. 10, blocks, overlapping documents, coverage, words where there is no answer."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study
from refusals import refused, stated
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.correction.matrix import Calibration, Documents, matrix_estimate
from dissensus.inference.correction.per_system import given_estimate, own_estimate
from dissensus.stats.intervals import quantile, two_sided_p

VALUES = np.array([0.0, 1.0])
A, B = np.array([0]), np.array([1])


def eq7(rate, se, sp, n_relevant, n_other):
    """(corrected rate, variance that the accuracies bring): eq. 5 and the second part of eq. 7."""
    d = se + sp - 1
    g = (rate - 1 + sp) / d
    return g, (g**2 * se * (1 - se) / n_relevant + (1 - g) ** 2 * sp * (1 - sp) / n_other) / d**2


def counts(se, sp, n_relevant=200, n_other=200):
    hit, passed = round(se * n_relevant), round(sp * n_other)
    return ds.Confusion(None, counts=[[passed, n_other - passed], [n_relevant - hit, hit]])


def first_documents(rates, topics):
    """Runs with one document per topic, of which a given share is relevant: P@1 is that share."""
    runs = {s: {f"q{t:04d}": {f"{s}{t}": 1.0} for t in range(topics)} for s in rates}
    labels = {f"q{t:04d}": {f"{s}{t}": int(t < round(r * topics)) for s, r in rates.items()} for t in range(topics)}
    return ds.Runs.from_dict(runs), ds.Judgments.from_dict({"llm": labels}, scale="0..1")


# ── given matrices ───────────────────────────────────────────────────────────────────────────────────────────────────
def test_two_judges_are_equation_10():
    runs, bronze, _ = study(topics=40, systems=("A", "B"))
    a, b = counts(0.9, 0.8, 100, 150), counts(0.7, 0.95, 80, 60)
    result = ds.correct(runs, bronze, {"A": a, "B": b}, "P@5")
    naive = result.table["naive"].to_numpy()
    (ga, va), (gb, vb) = eq7(naive[0], 0.9, 0.8, 100, 150), eq7(naive[1], 0.7, 0.95, 80, 60)
    np.testing.assert_allclose(result.table["corrected"].to_numpy(), [ga, gb], atol=1e-12)
    bronze_scores = ds.evaluate(runs, bronze, ["P@5"])["P@5"].values[0]
    gap = bronze_scores[0] / 0.7 - bronze_scores[1] / 0.65
    found = result.compare("A", "B")
    assert found.difference == pytest.approx(ga - gb, abs=1e-12)
    assert found.se == pytest.approx(math.sqrt(gap.var(ddof=1) / 40 + va + vb), abs=1e-12)
    assert found.method == "confusion, separate"
    assert found.fieller is None
    assert result.compare("A", "B", judge="separate").se == found.se
    assert result.compare_all()["A", "B"].difference == found.difference
    np.testing.assert_allclose(result.covariance["P@5"].values[0, 1], np.cov(bronze_scores)[0, 1] / 40 / 0.7 / 0.65)
    assert any("2 calibrations (A | B)" in n for n in result.notes)
    assert any(phrase("per-system.errs-equally-all-documents") in n for n in result.notes)


def test_paper_example_as_if_there_were_two_judges():
    """Accuracies 43/59 and 67/84 measured for each week apart, the queries' spread as printed: p = .854 (eq. 11)."""
    runs, bronze = first_documents({"a": 0.6260, "b": 0.6385}, topics=2000)
    judge = {s: ds.Confusion(None, counts=[[67, 17], [16, 43]]) for s in "ab"}
    result = ds.correct(runs, bronze, judge, "P@1")
    part = result.results["P@1"].estimate.calibration_part
    assert part[0, 1] == 0
    d = 43 / 59 + 67 / 84 - 1
    se_a = math.sqrt(part[0, 0] + 0.414**2 / 10278 / d**2)
    se_b = math.sqrt(part[1, 1] + 0.402**2 / 20604 / d**2)
    assert (se_a, se_b) == pytest.approx((0.0903, 0.0923), abs=5e-5)
    z = result.compare("a", "b").difference / math.hypot(se_a, se_b)
    assert two_sided_p(z) == pytest.approx(0.854, abs=5e-4)
    one = ds.Confusion(None, counts=[[67, 17], [16, 43]])
    assert result.compare("a", "b").se > 10 * ds.correct(runs, bronze, {"a": one, "b": one}, "P@1").compare("a", "b").se


def test_systems_that_share_one_confusion_share_its_error():
    runs, bronze, _ = study(topics=30)
    one, other = counts(0.85, 0.8), counts(0.85, 0.8)
    blocks = ds.correct(runs, bronze, {"A": one, "B": one, "C": other}, "P@5")
    shared = ds.correct(runs, bronze, one, "P@5")
    got, whole = (r.results["P@5"].estimate.calibration_part for r in (blocks, shared))
    np.testing.assert_allclose(got[:2, :2], whole[:2, :2])
    np.testing.assert_allclose(np.diag(got), np.diag(whole))
    assert not got[:2, 2].any()
    a, b = blocks.compare("A", "B", judge="shared"), shared.compare("A", "B")
    assert (a.difference, a.se, a.fieller) == (b.difference, pytest.approx(b.se), b.fieller)
    assert blocks.compare("A", "C").se > shared.compare("A", "C").se
    with refused(InputError, "C"):
        blocks.compare("A", "C", judge="shared")
    with refused(InputError, 'judge="shared"', "A"):
        blocks.compare_all(judge="shared")
    everyone = ds.correct(runs, bronze, dict.fromkeys("ABC", one), "P@5").compare_all(judge="shared")
    assert [d.se for d in everyone] == pytest.approx([d.se for d in shared.compare_all()])


def test_matrices_taken_as_known():
    runs, bronze, _ = study(topics=30, systems=("A", "B"))
    known = ds.Confusion([[0.8, 0.2], [0.15, 0.85]])
    result = ds.correct(runs, bronze, {"A": known, "B": counts(0.85, 0.8)}, "P@5")
    assert result.results["P@5"].estimate.calibration_part[0, 0] == 0
    assert any(phrase("per-system.matrix-came-without-counts", "A") in n for n in result.notes)


def test_findings_name_the_system():
    runs, bronze, _ = study(topics=30, systems=("A", "B"))
    result = ds.correct(runs, bronze, {"A": counts(0.9, 0.8), "B": counts(0.55, 0.5, 20, 20)}, "P@5")
    found = [f.sentence for f in result.diagnosis["P@5"] if f.name == "discrimination"]
    assert [s[:10] for s in found] == ["A: the jud", "B: the jud"]
    assert any(phrase("per-system.no-fieller-set-replaces") in n for n in result.compare("A", "B").notes)


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({"A": counts(0.9, 0.8)}, ("B", "A")),
        ({"A": counts(0.9, 0.8), "B": counts(0.9, 0.8), "X": counts(0.9, 0.8)}, ("X", "A", "B")),
        ({}, ("A", "B")),
        ({"A": counts(0.9, 0.8), "B": [[1, 0], [0, 1]]}, ("B", "Confusion")),
        ("judge.json", ("judge.json",)),
    ],
)
def test_wrong_calibrations(given, values):
    runs, bronze, _ = study(topics=4, systems=("A", "B"))
    with refused(InputError, *values):
        ds.correct(runs, bronze, given, "P@5")


def test_a_matrix_that_cannot_be_used_refuses_one_system_only():
    runs, bronze, _ = study(topics=30)
    blind = ds.Confusion(None, counts=[[50, 50], [50, 50]])
    result = ds.correct(runs, bronze, {"A": counts(0.9, 0.8), "B": blind, "C": counts(0.8, 0.8)}, "P@5")
    assert result.table["corrected"].is_nan().to_list() == [False, True, False]
    assert phrase("per-system.no-corrected-difference", "B") in result.compare("A", "B").verdict
    everyone = result.compare_all()
    assert math.isfinite(everyone["A", "C"].p_value)
    assert everyone["A", "C"].adjusted == "max-t"
    assert math.isnan(everyone["B", "C"].p_value)
    none = ds.correct(runs, bronze, dict.fromkeys("ABC", blind), "P@5")
    assert phrase("matrix-scores.no-answer") in none.compare("A", "B").verdict


# ── matrices from an audit ───────────────────────────────────────────────────────────────────────────────────────────
def test_an_audit_calibrates_each_system_from_its_own_documents():
    runs, bronze, gold = study(topics=30)
    result = ds.correct(runs, bronze, audit(gold, 0.5), "P@5", "confusion")
    found = result.compare("A", "B", judge="separate")
    frame = (
        audit(gold, 0.5).to_frame().select("topic", "doc", gold="grade")
        .join(bronze.to_frame().select("topic", "doc", bronze="grade"), on=["topic", "doc"])
        .with_columns(pl.col("gold", "bronze").cast(pl.Int64))
    )  # fmt: skip
    top = runs.to_frame().filter(pl.col("score").rank("ordinal", descending=True).over("system", "topic") <= 5)
    theta = {}
    for system in "AB":
        mine = frame.join(top.filter(pl.col("system") == system), on=["topic", "doc"])
        se = mine.filter(pl.col("gold") == 1)["bronze"].mean()
        sp = 1 - mine.filter(pl.col("gold") == 0)["bronze"].mean()
        naive = result.table.filter(pl.col("system") == system)["naive"].item()
        theta[system] = (naive - 1 + sp) / (se + sp - 1)
    assert found.difference == pytest.approx(theta["A"] - theta["B"], abs=1e-9)
    assert any(phrase("compare.accuracies-estimated-per-system") in n for n in found.notes)
    sizes = [frame.join(top.filter(pl.col("system") == s), on=["topic", "doc"]) for s in "AB"]
    both = sizes[0].join(sizes[1], on=["topic", "doc"]).height
    text = phrase("per-system.audited-documents-system-them", "A", sizes[0].height, "B", sizes[1].height, both)
    assert text in found.notes
    everyone = result.compare_all(judge="separate")
    assert everyone["A", "B"].difference == pytest.approx(found.difference)
    scores = everyone.outcome.scores  # those of the shared matrix stood beside these differences, and were recommended
    assert scores["A"][0] - scores["B"][0] == pytest.approx(found.difference)
    assert any(phrase("compare.accuracies-estimated-per-system") in n for n in everyone.notes)
    assert result.compare("A", "B").method == "confusion"
    boot = result.compare("A", "B", judge="separate", interval="bootstrap")
    assert boot.interval == pytest.approx(found.interval, abs=0.06)


def test_one_list_of_documents_for_both_is_the_shared_matrix():
    rng = np.random.default_rng(0)
    mass, documents, _ = overlapping(rng)
    every = np.ones((2, len(documents.gold)), bool)
    own = own_estimate(mass, documents, every, VALUES, None, ("A", "B"))
    shared = matrix_estimate(mass, Calibration.from_documents(documents, 2, 2), VALUES)
    np.testing.assert_allclose(own.theta, shared.theta)
    np.testing.assert_allclose(own.covariance, shared.covariance)


def overlapping(rng, topics=1, size=120):
    """(weights per label of two systems, calibration documents, who retrieved which): most of them are in both."""
    mass = np.array([[0.45, 0.55], [0.6, 0.4]])[:, None, :].repeat(2, axis=1)
    n = 4 * size
    gold = np.tile([0, 1], n // 2)
    place = np.repeat([0, 1, 1, 2], size)  # A alone, both, B alone
    hit = rng.random(n) < np.array([0.9, 0.85, 0.7])[place]
    false = rng.random(n) < np.array([0.15, 0.2, 0.05])[place]
    documents = Documents(gold, np.where(gold == 1, hit, false).astype(np.int64), np.ones(n), np.arange(n) % topics)
    return mass, documents, np.stack([place < 2, place > 0])


@pytest.mark.parametrize("topics", [1, 60])
def test_covariance_of_overlapping_calibrations(topics):
    """Over 1,500 redrawn calibrations, θ_a and θ_b vary and covary as one calibration's influence sums say."""
    rng = np.random.default_rng(3)
    theta, part = [], []
    for _ in range(1500):
        mass, documents, mine = overlapping(rng, topics)
        made = own_estimate(mass, documents, mine, VALUES, None, ("A", "B"))
        theta.append(made.theta)
        part.append(made.calibration_part)
    seen, said = np.cov(np.transpose(theta)), np.mean(part, axis=0)
    assert seen[0, 1] > 0.5 * math.sqrt(seen[0, 0] * seen[1, 1])  # documents in both matter
    scale = np.sqrt(np.outer(np.diag(seen), np.diag(seen)))
    np.testing.assert_allclose(seen / scale, said / scale, atol=3 * math.sqrt(2 / 1500))


def test_disjoint_documents_do_not_covary():
    mass, documents, mine = overlapping(np.random.default_rng(0))
    kept = mine.sum(axis=0) == 1
    apart = Documents(*(getattr(documents, f)[kept] for f in ("gold", "bronze", "weight", "topic")))
    made = own_estimate(mass, apart, mine[:, kept], VALUES, None, ("A", "B"))
    assert made.calibration_part[0, 1] == 0
    rates = [(m[0, 1], documents_rates(apart, who)) for m, who in zip(mass, mine[:, kept], strict=True)]
    expected = [eq7(rate, *accuracies)[1] for rate, accuracies in rates]
    np.testing.assert_allclose(np.diag(made.calibration_part), expected)


def documents_rates(documents, who):
    """(Se, Sp, relevant, other) among the documents of one system."""
    gold, bronze = documents.gold[who], documents.bronze[who]
    return (bronze[gold == 1].mean(), 1 - bronze[gold == 0].mean(), (gold == 1).sum(), (gold == 0).sum())


def test_too_few_audited_documents_are_said_in_words():
    runs, bronze, gold = study(topics=12, systems=("A", "B"))
    top = runs.to_frame().filter(pl.col("score").rank("ordinal", descending=True).over("system", "topic") <= 5)
    in_b = top.filter(pl.col("system") == "B").select("topic", "doc")
    frame = gold.to_frame().join(in_b, on=["topic", "doc"], how="anti").select("topic", "doc", "grade")
    only_a = ds.Audit.from_frame(frame.with_columns(inclusion=pl.lit(0.9)), scale="0..1")
    result = ds.correct(runs, bronze, only_a, "P@5", "confusion")
    assert math.isfinite(result.compare("A", "B").p_value)
    words = result.compare("A", "B", judge="separate").verdict
    assert phrase("matrix-scores.no-answer") in words
    assert phrase("per-system.calibration-holds-no-document", "B", 0, 1) in words
    assert phrase("matrix-scores.no-answer") in result.compare_all(judge="separate")["A", "B"].verdict


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        (Documents(np.array([0, 1, 0, 1, 0, 1]), np.array([0, 1, 0, 1, 0, 1]), np.ones(6), np.arange(6) // 4), "grade"),
        (
            Documents(np.tile([0, 1], 8), np.tile([0, 1], 8), np.ones(16), np.arange(16) // 8),
            phrase("per-system.lie-one-topic"),
        ),
    ],
)
def test_a_variance_that_cannot_be_known_is_not_zero(documents, words):
    mass = np.full((2, 3, 2), 0.5)
    n = len(documents.gold)
    mine = np.stack([np.ones(n, bool), np.arange(n) < (2 if n == 6 else 8)])
    made = own_estimate(mass, documents, mine, VALUES, None, ("A", "B"))
    assert np.isfinite(made.theta[0])
    assert words in made.why_not_of(1)


def test_an_audit_of_other_topics_belongs_to_no_system():
    runs, bronze, gold = study(topics=12, systems=("A", "B"))
    scored, others = ([f"q{q:02d}" for q in numbers] for numbers in (range(8), range(8, 12)))
    result = ds.correct(runs.select(topics=scored), bronze, audit(gold.select(topics=others), 0.9), "P@5", "confusion")
    assert math.isfinite(result.compare("A", "B").p_value)
    assert phrase("per-system.none-belongs-system") in result.compare("A", "B", judge="separate").verdict


def test_a_matrix_of_other_grades_is_refused_in_words():
    runs, bronze, _ = study(topics=12, systems=("A", "B"))
    result = ds.correct(runs, bronze, {"A": counts(0.9, 0.8), "B": ds.Confusion.uniform(3, 0.2)}, "P@5")
    assert phrase("per-system.confusion-matrix-grades", "B", 3) in result.compare("A", "B").verdict
    assert any(n.startswith(phrase("per-system.no-corrected-score-confusion", "P@5", "B")) for n in result.notes)


def test_rectified_scores_do_not_care():
    runs, bronze, gold = study()
    result = ds.correct(runs, bronze, audit(gold), ["P@5", "nDCG@10"])
    plain, asked = result.compare("A", "B", measure="P@5"), result.compare("A", "B", "separate", "P@5")
    assert asked.se == plain.se
    assert phrase("per-system.judge-separate-changes-nothing") in asked.notes
    everyone = result.compare_all(judge="shared")
    assert any(phrase("per-system.judge-shared-changes-nothing", "nDCG@10") in n for n in everyone.notes)
    assert not any(phrase("per-system.changes-nothing") in n for n in result.compare_all().notes)
    with refused(InputError, "shared", "separate"):
        result.compare("A", "B", "both", "P@5")


# ── coverage ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_judge_stricter_on_one_system():
    """2,000 studies of 60 topics, 10 documents each; the judge misses more of B's and lets less pass.

    Calibrated for each system apart, the 95 % interval of the difference covers; one pooled matrix is far off.
    """
    rng = np.random.default_rng(11)
    se, sp, rate = np.array([0.9, 0.7]), np.array([0.85, 0.95]), np.array([0.5, 0.4])
    covered = {"separate": 0, "shared": 0}
    for _ in range(2000):
        each = np.clip(rate[:, None] + rng.normal(0, 0.1, 60), 0, 1)  # topics are easy or hard
        said = each * se[:, None] + (1 - each) * (1 - sp[:, None])
        seen = rng.binomial(10, said) / 10
        mass = np.stack([1 - seen, seen], axis=2)
        hit, passed = rng.binomial(150, se), rng.binomial(150, sp)
        table = np.stack([np.stack([passed, 150 - passed], 1), np.stack([150 - hit, hit], 1)], 1).astype(float)
        own = [(Calibration(t / 150, np.array([150.0, 150.0])), "") for t in table]
        pooled = Calibration(table.mean(axis=0) / 150, np.array([300.0, 300.0]))
        for name, made in (
            ("separate", given_estimate(mass, own, [[0], [1]], VALUES, None, ("A", "B"))),
            ("shared", matrix_estimate(mass, pooled, VALUES)),
        ):
            half = quantile(0.95, made.df_between(A, B)[0]) * made.se_between(A, B)[0]
            covered[name] += bool(abs(made.theta[0] - made.theta[1] - 0.1) <= half)
    assert covered["separate"] / 2000 == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / 2000))
    assert covered["shared"] / 2000 < 0.05


def test_an_audit_of_a_judge_stricter_on_one_system():
    """The same from an audit of scored documents, some retrieved by both: no bias left, and the interval covers."""
    rng = np.random.default_rng(5)
    found = np.array([audited_study(rng) for _ in range(1000)])
    error = found[:, 0].std(ddof=1) / math.sqrt(len(found))
    assert found[:, 0].mean() == pytest.approx(0.15, abs=3.5 * error)
    assert found[:, 1].mean() == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / 1000))
    assert found[:, 2].mean() < 0.3


def audited_study(rng, topics=60, k=5, share=0.5):
    """(difference, covered apart, covered through one matrix); k documents of A alone, of both, of B alone."""
    easy = rng.normal(0, 0.1, (topics, 1, 1))
    gold = (rng.random((topics, 3, k)) < np.array([0.6, 0.5, 0.3])[:, None] + easy).astype(np.int64)
    se, sp = np.array([0.9, 0.9, 0.7])[:, None], np.array([0.85, 0.85, 0.97])[:, None]
    bronze = np.where(gold == 1, rng.random(gold.shape) < se, rng.random(gold.shape) > sp).astype(np.int64)
    w = np.array([[1, 1, 0], [0, 1, 1]]) / (2 * k)
    mass = np.stack([np.einsum("sp,tpk->st", w, bronze == label) for label in (0, 1)], axis=2)
    seen = rng.random(gold.shape) < share
    topic, place, _ = np.nonzero(seen)
    documents = Documents(gold[seen], bronze[seen], np.full(len(topic), 1 / share), topic, scored=True)
    out = []
    for made in (
        own_estimate(mass, documents, w[:, place] != 0, VALUES, None, ("A", "B")),
        matrix_estimate(mass, Calibration.from_documents(documents, 2, 2), VALUES),
    ):
        half = quantile(0.95, made.df_between(A, B)[0]) * made.se_between(A, B)[0]
        out.append((made.theta[0] - made.theta[1], abs(made.theta[0] - made.theta[1] - 0.15) <= half))
    return out[0][0], out[0][1], out[1][1]


# ── judges of their own ──────────────────────────────────────────────────────────────────────────────────────────────
def two_judges():
    """Runs of two systems with documents in common, and the labels of two judges who judged everything."""
    runs, ann, _ = study(topics=20, systems=("A", "B"))
    _, ben, _ = study(topics=20, systems=("A", "B"), se=0.6, sp=0.95)
    both = pl.concat([j.to_frame().with_columns(assessor=pl.lit(n)) for n, j in (("ann", ann), ("ben", ben))])
    return runs, ds.Judgments.from_frame(both, scale="0..1")


def test_each_system_is_scored_by_its_own_judge():
    runs, both = two_judges()
    own = {"A": counts(0.85, 0.8), "B": counts(0.6, 0.95)}
    result = ds.correct(runs, both, own, ["P@5", "DCG@10"], assessor={"A": "ann", "B": "ben"})
    scores = ds.evaluate(runs, both, ["P@5", "DCG@10"])
    for name in scores:
        naive = result.table.filter(pl.col("measure") == name)["naive"].to_numpy()
        expected = [float(scores[name].sel(assessor=j, system=s).mean()) for s, j in (("A", "ann"), ("B", "ben"))]
        np.testing.assert_allclose(naive, expected)
    swapped = ds.correct(runs, both, own, "P@5", assessor={"A": "ann", "B": "ann"})
    plain = ds.correct(runs, both, own, "P@5", assessor="ann")
    np.testing.assert_allclose(swapped.covariance["P@5"], plain.covariance["P@5"])
    assert stated(result.notes, "A", "ann", "B", "ben")


def test_topics_that_one_judge_left_out():
    runs, both = two_judges()
    rows = (pl.col("assessor") == "ben") & (pl.col("topic") == "q03")
    fewer = ds.Judgments.from_frame(both.to_frame().filter(~rows), scale="0..1")
    own = dict.fromkeys("AB", counts(0.85, 0.8))
    result = ds.correct(runs, fewer, own, "P@5", assessor={"A": "ann", "B": "ben"})
    assert len(result.topics) == 19
    assert any(phrase("per-system-judges.topics-some-judges-judged", "1 topic") in n for n in result.notes)


@pytest.mark.parametrize(
    ("given", "known", "measure", "values"),
    [
        ({"A": "ann"}, "each", "P@5", ("B", "A")),
        ({"A": "ann", "B": "ben", "X": "ben"}, "each", "P@5", ("X", "A", "B")),
        ({"A": "ann", "B": "eve"}, "each", "P@5", ("eve", "ann", "ben")),
        ({"A": "ann", "B": "ben"}, "one", "P@5", ()),
        ({"A": "ann", "B": "ben"}, "each", "nDCG@5", ("nDCG@5",)),
    ],
)
def test_wrong_assessors(given, known, measure, values):
    runs, both = two_judges()
    one = counts(0.85, 0.8)
    with refused(InputError, *values):
        ds.correct(runs, both, one if known == "one" else {"A": one, "B": one}, measure, assessor=given)
