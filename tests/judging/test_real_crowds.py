"""Real crowds: published agreement of LLM judges, and merging against crowd-kit on the same labels.

Accuracies are printed beside the published ones (`pytest -s`): they differ where repeats and ties are settled
differently, which is why the comparison is with crowd-kit run on the very labels we merge.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import crowd_sets
import numpy as np
import polars as pl
import pytest
from crowdkit.aggregation import DawidSkene, MajorityVote
from paths import shared_data
from refusals import warned

from dissensus.errors import DependenceWarning, DissensusWarning, ReliabilityWarning
from dissensus.judging.agreement.api import agreement
from dissensus.judging.agreement.coefficients import alpha_of, coincidences, units
from dissensus.judging.agreement.cohen import pairs_frame
from dissensus.judging.confusion.counting import confusion
from dissensus.judging.label_table import labels
from dissensus.judging.merging.api import merge
from dissensus.tables.judgments import Judgments

# (set, how to read it, negative=, published accuracy of majority and Dawid–Skene)
SETS = [
    ("snow2008 rte", lambda: crowd_sets.snow2008("rte"), "unjudged", None, None),
    ("snow2008 temp", lambda: crowd_sets.snow2008("temp"), "unjudged", None, None),
    ("snow2008 wsd", lambda: crowd_sets.snow2008("wsd"), "unjudged", None, None),
    ("adultcontent2", crowd_sets.adultcontent2, "unjudged", 0.763, 0.748),
    ("d_product", crowd_sets.d_product, "unjudged", 0.897, 0.940),
    ("trec-rf10-crowd", crowd_sets.trec_rf10, "label", 0.536, 0.615),
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("name", "read", "negative", "vote", "skene"), SETS, ids=[s[0] for s in SETS])
def test_merging_is_crowdkits(
    name: str, read: Callable[[], Judgments], negative: str, vote: float | None, skene: float | None
) -> None:
    j = read().first()  # repeats are evidence in EM, which crowd-kit would count as further workers
    options = {"gold": "gold", "negative": negative, "ties": "lower"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DissensusWarning)
        ours = merge(j, "em-mv", start="shares", smoothing=0, tol=0, max_rounds=30, temper=False, **options)
        theirs = merge(j, DawidSkene(n_iter=30, tol=-np.inf), **options)
        majority, their_majority = merge(j, **options), merge(j, MajorityVote(), **options)
    assert (ours.judgments.grade == theirs.judgments.grade).mean() >= 0.999
    assert ours.calibration is not None
    assert theirs.calibration is not None
    assert majority.calibration is not None
    assert their_majority.calibration is not None
    assert ours.calibration.accuracy == pytest.approx(theirs.calibration.accuracy, abs=0.002)
    assert majority.calibration.accuracy == pytest.approx(their_majority.calibration.accuracy, abs=1e-12)
    line = f"{name}: majority {majority.calibration.accuracy:.4f} (published {vote}), "
    print(line + f"Dawid-Skene {ours.calibration.accuracy:.4f} (published {skene})")  # noqa: T201


@pytest.fixture(scope="module")
def llms() -> Judgments:
    return crowd_sets.llmjudge(highest=10)


def test_published_kappa_and_alpha_of_llm_judges(llms: Judgments) -> None:
    """Cohen's κ (4 grades, and binarised) and ordinal α of 33 LLM judges against NIST, as published."""
    published = pl.read_csv(shared_data("llmjudge-dl23") / "published_tables_3_4.tsv", separator="\t")
    published = published.filter(published["submission"].is_in(llms.assessors))
    assert published.height == 33
    columns = {"kappa": 0, "kappa_0|123": 1, "kappa_01|23": 2, "kappa_012|3": 3}
    for column, threshold in columns.items():
        cut = llms.with_grades((llms.grade >= threshold).astype(np.int8)) if threshold else llms
        pairs = pairs_frame(labels(cut), cut.assessors, ordered=True)
        ours = {
            b if a == "gold" else a: k
            for a, b, k in pairs.select("assessor_a", "assessor_b", "kappa").iter_rows()
            if "gold" in (a, b)
        }
        for name, kappa in published.select("submission", column).iter_rows():
            found = 0.0 if np.isnan(ours[name]) else ours[name]  # published: a constant judge has κ 0
            assert found == pytest.approx(kappa, abs=1.01e-4)
    for name, alpha in published.select("submission", "alpha").iter_rows():
        pair = llms.select(assessors=["gold", name])
        table, _ = coincidences(units(pair, labels(pair)))
        assert alpha_of(table.sum(axis=0, keepdims=True), "ordinal")[0] == pytest.approx(alpha, abs=2.1e-4)


@pytest.mark.filterwarnings("ignore::dissensus.errors.ReliabilityWarning")
def test_llm_judges_are_worth_two_and_em_loses_to_the_majority() -> None:
    j = crowd_sets.llmjudge()
    a = agreement(j, gold="gold", replicates=99)
    assert a.effective.number == pytest.approx(2.4, abs=0.05)
    majority = merge(j, gold="gold")
    with warned(ReliabilityWarning, 4423):
        skene = merge(j, "em-mv", gold="gold")
    assert "worse than the vote" in [doubt.kind for doubt in skene.doubts]
    by_vote, by_em = (agreement(_beside_gold(j, m.judgments), replicates=99).kappa for m in (majority, skene))
    assert by_em == pytest.approx(0.177, abs=0.002)
    assert by_vote == pytest.approx(0.274, abs=0.006)
    with warned(DependenceWarning, "TREMA-all"):
        merge(j.select(assessors=[w for w in j.assessors if w != "gold"]), "em-mv", max_rounds=300)


def _beside_gold(j: Judgments, merged: Judgments) -> Judgments:
    from dissensus.judging.label_table import beside

    return beside(j.select(assessors=["gold"]), merged)


def test_confusion_of_the_trec_crowd_is_the_counted_one() -> None:
    """NIST gold against every worker label, broken links (−2) a level; repeats count there, so a few are missing."""
    lines = (shared_data("trec-rf10-crowd") / "confusion_matrices.tsv").read_text().splitlines()
    table = np.array([[int(x) for x in line.split("\t")[1:]] for line in lines if line[:1] in "-012" and "\t" in line])
    c = confusion(crowd_sets.trec_rf10(), "gold", None, negative="label")
    assert c.counts is not None
    assert c.scale.names == ("-2", "0", "1", "2")
    assert (c.counts <= table[:4]).all()
    assert table[:4].sum() - c.counts.sum() == pytest.approx(1570, abs=30)
    assert np.abs(c.matrix - table[:4] / table[:4].sum(axis=1, keepdims=True)).max() < 0.015
