"""Can this audit carry a conclusion? Honest ones can, and what is wrong with the others is named."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from paths import ROOT
from refusals import refused

import dissensus as ds
from dissensus.errors import DissensusWarning, InputError
from dissensus.inference.checks import AuditCheck, audit_checks, other_judges, rank_correlation, tail
from dissensus.inference.correction.design import lay_out, one_judge
from dissensus.tables.audit import Audit

EXAMPLES = ROOT / "examples"
pytestmark = pytest.mark.filterwarnings(f"ignore::{DissensusWarning.__module__}.{DissensusWarning.__name__}")


@pytest.fixture(scope="module")
def runs() -> ds.Runs:
    return ds.read_runs(EXAMPLES / "runs/*")


@pytest.fixture(scope="module")
def labels() -> ds.Judgments:
    return ds.read_judgments(EXAMPLES / "labels.csv")


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return pl.read_csv(EXAMPLES / "audit.csv", infer_schema=False)


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return pl.read_parquet(EXAMPLES / "audit.frame.parquet")


def audit_of(rows: pl.DataFrame, frame: pl.DataFrame | None) -> Audit:
    return Audit.from_frame(rows if frame is not None else rows.drop("design"), everyone=frame, scale="0..3")


def checks(runs: ds.Runs, labels: ds.Judgments, audit: Audit) -> dict[str, AuditCheck]:
    design = lay_out(runs, one_judge(labels, "llm"), audit)
    return {check.name: check for check in audit_checks(design, other_judges(design, labels, "llm"))}


def doubts(found: dict[str, AuditCheck]) -> dict[str, str]:
    return {name: check.verdict for name, check in found.items() if check.verdict != "pass"}


def test_an_honest_audit_passes(runs, labels, rows, frame) -> None:
    assert doubts(checks(runs, labels, audit_of(rows, frame))) == {}
    assert doubts(checks(runs, labels, audit_of(rows, None))) == {}
    assert doubts(checks(runs, labels, audit_of(rows.drop("inclusion"), None))) == {}


def test_half_of_the_rows_are_missed(runs, labels, rows, frame) -> None:
    found = checks(runs, labels, audit_of(rows.head(175), frame))
    assert found["rows"].verdict == "refuse"
    assert found["rows"].statistic == pytest.approx(175 / 359.7, abs=1e-3)
    half = audit_of(rows.head(175), frame)
    for verb in (
        lambda: ds.correct(runs, labels, half, ["P@10"], assessor="llm"),
        lambda: ds.plan(runs, labels, half, 200, measures="P@10", assessor="llm"),
        lambda: ds.gate(runs.select(systems=["bm25"]), runs.select(systems=["dense"]), labels, "P@10", tolerance=0.02,
                        audit=half, assessor="llm"),
    ):  # fmt: skip
        with refused(InputError, 175, "360 ± 15"):
            verb()


def test_a_made_up_probability_stands_for_documents_that_are_not_there(runs, labels, rows) -> None:
    quarter = audit_of(rows.with_columns(inclusion=pl.lit("0.25")), None)
    found = checks(runs, labels, quarter)
    assert doubts(found) == {"depth": "refuse"}
    with refused(InputError, "1,324", 876):
        ds.correct(runs, labels, quarter, ["P@10"], assessor="llm")


def test_rows_that_could_not_be_graded_are_not_missing(runs, labels, rows, frame) -> None:
    grade = ["-1" if i % 3 == 0 else g for i, g in enumerate(rows["grade"])]
    found = checks(runs, labels, audit_of(rows.with_columns(pl.Series("grade", grade)), frame))
    assert doubts(found) == {}


def test_a_shift_by_one_row_is_named(runs, labels, rows, frame) -> None:
    for by in (1, -1):
        shifted = rows.with_columns(pl.Series("grade", np.roll(rows["grade"].to_numpy(), by)))
        assert doubts(checks(runs, labels, audit_of(shifted, frame))) == {"shift": "refuse"}


def test_grades_turned_round_are_named(runs, labels, rows, frame) -> None:
    turned = rows.with_columns(pl.Series("grade", [str(3 - int(g)) for g in rows["grade"]]))
    assert doubts(checks(runs, labels, audit_of(turned, frame))) == {"direction": "refuse"}
    alone = labels.select(assessors=["llm"])  # without other judges it may be the judge that is turned round
    assert doubts(checks(runs, alone, audit_of(turned, frame))) == {"direction": "warn"}


def test_coins_and_copies_are_named(runs, labels, rows, frame) -> None:
    coins = np.random.default_rng(0).integers(0, 4, rows.height).astype(str)
    found = checks(runs, labels, audit_of(rows.with_columns(pl.Series("grade", coins)), frame))
    assert list(doubts(found)) == ["sense"]
    judged = {(t, d): str(g) for t, d, g in one_judge(labels, "llm").to_frame().select("topic", "doc", "grade").rows()}
    copied = [judged[pair] for pair in rows.select("topic", "doc").iter_rows()]
    found = checks(runs, labels, audit_of(rows.with_columns(pl.Series("grade", copied)), frame))
    assert doubts(found) == {"copy": "warn"}


def test_honest_samples_of_many_kinds_pass(runs, labels) -> None:
    """Random documents and whole topics, with their probabilities and without: no refusal, no warning."""
    truth = ds.read_judgments(EXAMPLES / "truth.csv").to_frame().select("topic", "doc", "grade")
    rng = np.random.default_rng(1)
    topics = truth["topic"].unique().sort().to_list()
    for _ in range(5):
        some = truth.filter(pl.Series(rng.random(truth.height) < 0.15)).with_columns(inclusion=pl.lit(0.15))
        whole = truth.filter(pl.col("topic").is_in(list(rng.choice(topics, 8, replace=False))))
        whole = whole.with_columns(inclusion=pl.lit(8 / len(topics)))
        for sample in (some, whole, some.drop("inclusion"), whole.drop("inclusion")):
            assert doubts(checks(runs, labels, Audit.from_frame(sample, scale="0..3"))) == {}


def test_bounds_on_counts_and_rank_correlations() -> None:
    """Chernoff's bound lies above the binomial probability that it bounds; correlations know ties and gaps."""
    from scipy.stats import binom, spearmanr

    for n, p, k in ((100, 0.1, 25), (100, 0.1, 1), (1000, 0.3, 380)):
        exact = binom.sf(k - 1, n, p) if k > n * p else binom.cdf(k, n, p)
        assert exact <= tail(k, n * p) < 30 * exact**0.7
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, 50), rng.integers(0, 4, 50)
    assert rank_correlation(a, b) == pytest.approx(spearmanr(a, b).statistic)
    gap = np.where(np.arange(50) % 5 == 0, -1, b)
    kept = gap >= 0
    assert rank_correlation(a, gap) == pytest.approx(spearmanr(a[kept], b[kept]).statistic)
