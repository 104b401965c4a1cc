"""Fleiss and Gwet: statsmodels, the formula, and Gwet's printed example; α: the package of Krippendorff's name."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from label_matrices import from_matrix
from statsmodels.stats.inter_rater import fleiss_kappa
from wording import phrase

from dissensus.judging.agreement import coefficients
from dissensus.judging.agreement.api import agreement
from dissensus.judging.agreement.coefficients import units
from dissensus.judging.label_table import labels


def test_fleiss_is_statsmodels_on_equal_raters_and_gwets_ac1_its_formula() -> None:
    rng = np.random.default_rng(3)
    matrix = rng.choice(4, (50, 5), p=[0.6, 0.2, 0.15, 0.05])
    a = agreement(from_matrix(matrix), replicates=99)
    table = np.stack([(matrix == q).sum(axis=1) for q in range(4)], axis=1)
    assert a.fleiss == pytest.approx(fleiss_kappa(table), abs=1e-12)
    share = table.sum(axis=0) / table.sum()
    p_o = ((table * (table - 1)).sum(axis=1) / 20).mean()
    p_e = (share * (1 - share)).sum() / 3
    assert a.ac1 == pytest.approx((p_o - p_e) / (1 - p_e), abs=1e-12)


def test_gwet_counts_the_grades_of_the_scale_not_those_seen() -> None:
    matrix = np.array([[0, 0], [1, 1], [0, 1], [1, 1]])
    two, four = (agreement(from_matrix(matrix, scale), replicates=99).ac1 for scale in ("0..1", "0..3"))
    assert two == pytest.approx((0.75 - 2 * 0.375 * 0.625) / (1 - 2 * 0.375 * 0.625))
    assert four > two


def test_gwets_published_example() -> None:
    """Gwet's four raters on twelve units (Handbook, table of the AC1 chapter; K = 5): AC1 .77544, Fleiss .76117."""
    raters = np.array(
        [
            [1, 1, -1, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
            [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [-1, 5, 5, 5], [-1, -1, 1, 1], [-1, -1, 3, -1],
        ]
    )  # fmt: skip
    a = agreement(from_matrix(np.where(raters > 0, raters - 1, -1), "0..4"), replicates=99)
    assert a.ac1 == pytest.approx(0.77544, abs=1e-5)
    assert a.fleiss == pytest.approx(0.76117, abs=1e-5)
    assert a.alpha_nominal == pytest.approx(0.743421, abs=1e-6)
    assert a.percent == pytest.approx(0.8181818, abs=1e-6)


MATRIX = np.array([[0, 0, 1], [2, -1, -1], [1, 1, -1], [-1, 2, 2]])


def test_counts_topics_and_totals() -> None:
    judgments = from_matrix(MATRIX, "0..2", topics=2)
    found = units(judgments, labels(judgments).first())
    rows = dict(zip(judgments.doc_ids(), found.count.tolist(), strict=True))
    assert rows == {"0": [2, 1, 0], "1": [0, 0, 1], "2": [0, 2, 0], "3": [0, 0, 2]}
    assert (found.kind, found.n_clusters) == ("topics", 2)
    assert sorted(found.pairable().size.tolist()) == [2, 2, 3]
    by_topic = dict(zip(judgments.topics, found.totals(found.size)[:, 0].tolist(), strict=True))
    assert by_topic == {"0": 5, "1": 3}


def test_one_topic_takes_documents_or_groups_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments = from_matrix(MATRIX, "0..2")
    table = labels(judgments).first()
    assert units(judgments, table).kind == "documents"
    monkeypatch.setattr(coefficients, "ROOM", 0)
    monkeypatch.setattr(coefficients, "GROUPS", 3)
    found = units(judgments, table)
    assert found.kind == phrase("agreement-counts.groups-documents")
    assert found.cluster.tolist() == [0, 1, 2, 0]


@st.composite
def sparse_labels(draw: st.DrawFn) -> np.ndarray:
    shape = draw(st.tuples(st.integers(3, 12), st.integers(2, 5)))
    cells = draw(st.lists(st.integers(-1, 3), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    return np.array(cells).reshape(shape)


@settings(max_examples=40, deadline=None)
@given(sparse_labels())
def test_alpha_is_the_krippendorff_packages(matrix: np.ndarray) -> None:
    matrix[0] = 1
    a = agreement(from_matrix(matrix), replicates=99)
    pairable = matrix[(matrix >= 0).sum(axis=1) >= 2]
    if len(np.unique(pairable[pairable >= 0])) < 2:
        assert np.isnan(a.alpha)
        assert a.alpha.undefined == "one grade"
        return
    data = np.where(matrix >= 0, matrix.astype(float), np.nan).T
    for level in ("nominal", "ordinal", "interval"):
        ours = getattr(a, f"alpha_{level}")
        assert ours == pytest.approx(krippendorff.alpha(data, level_of_measurement=level), abs=1e-10)
