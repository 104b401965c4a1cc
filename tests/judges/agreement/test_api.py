"""Agreement against its oracles: krippendorff, scikit-learn, statsmodels, and slow twins."""

from __future__ import annotations

import itertools

import krippendorff
import numpy as np
import pytest
from crowds import crowd, good
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.scale import UNJUDGED
from dissensus.errors import InputError
from dissensus.judges.agreement.api import agreement
from dissensus.judges.agreement.coefficient_interval import Resampling
from dissensus.judges.agreement.cohen import kappa
from dissensus.judges.label_table import labels

HOW = Resampling(resamples=99)


def from_matrix(matrix: np.ndarray, scale: str = "0..3", topics: int = 1) -> Judgments:
    """items × assessors, −1 where there is no label."""
    content: dict[str, dict[int, dict[int, int]]] = {f"a{k}": {} for k in range(matrix.shape[1])}
    for (i, k), g in np.ndenumerate(matrix):
        if g >= 0:
            content[f"a{k}"].setdefault(int(i) % topics, {})[int(i)] = int(g)
    return Judgments.from_dict({who: t for who, t in content.items() if t}, scale=scale)


@st.composite
def sparse_labels(draw: st.DrawFn) -> np.ndarray:
    shape = draw(st.tuples(st.integers(3, 12), st.integers(2, 5)))
    cells = draw(st.lists(st.integers(-1, 3), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    return np.array(cells).reshape(shape)


@settings(max_examples=40, deadline=None)
@given(sparse_labels())
def test_alpha_is_the_krippendorff_packages(matrix: np.ndarray) -> None:
    matrix[0] = 1
    a = agreement(from_matrix(matrix), resamples=99)
    pairable = matrix[(matrix >= 0).sum(axis=1) >= 2]
    if len(np.unique(pairable[pairable >= 0])) < 2:
        assert np.isnan(a.alpha)
        assert a.alpha.undefined == "one grade"
        return
    data = np.where(matrix >= 0, matrix.astype(float), np.nan).T
    for level in ("nominal", "ordinal", "interval"):
        ours = getattr(a, f"alpha_{level}")
        assert ours == pytest.approx(krippendorff.alpha(data, level_of_measurement=level), abs=1e-10)


def test_cohen_is_scikit_learns_for_two() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 4, 300)
    y = np.where(rng.random(300) < 0.6, x, rng.integers(0, 4, 300))
    matrix = np.stack([x, y], axis=1)
    matrix[:40, 0] = -1  # documents only one judged must not count
    a = agreement(from_matrix(matrix, topics=15), resamples=99)
    x, y = x[40:], y[40:]
    assert a.kappa == pytest.approx(cohen_kappa_score(x, y), abs=1e-12)
    assert a.kappa_linear == pytest.approx(cohen_kappa_score(x, y, weights="linear"), abs=1e-12)
    assert a.kappa_quadratic == pytest.approx(cohen_kappa_score(x, y, weights="quadratic"), abs=1e-12)
    assert a.percent == pytest.approx((x == y).mean())
    row = a.pairs.row(0, named=True)
    assert row["kappa"] == pytest.approx(float(a.kappa))
    assert row["kappa_linear"] == pytest.approx(float(a.kappa_linear))
    assert row["n"] == 260
    for threshold in (1, 2, 3):
        both, either = ((x >= threshold) & (y >= threshold)).sum(), ((x >= threshold) | (y >= threshold)).sum()
        assert a.overlap[str(threshold)] == pytest.approx(both / either)


def test_kappa_of_many_is_the_obvious_double_loop_and_its_influence_the_jackknife() -> None:
    rng = np.random.default_rng(2)
    matrix = rng.integers(0, 3, (60, 6))
    matrix[rng.random(matrix.shape) < 0.3] = -1
    j = from_matrix(matrix, "0..2", topics=12)
    table = labels(j).first()
    shared = matrix[(matrix >= 0).sum(axis=1) >= 2]

    def twin(m: np.ndarray) -> float:
        share = [[np.mean(m[m[:, a] >= 0, a] == q) for q in range(3)] for a in range(6)]
        o = e = n = 0.0
        for a, b in itertools.combinations(range(6), 2):
            both = (m[:, a] >= 0) & (m[:, b] >= 0)
            n += both.sum()
            o += (m[both, a] == m[both, b]).sum()
            e += both.sum() * np.dot(share[a], share[b])
        return 1 - (n - o) / (n - e)

    ours = kappa(table, j.item_topic.astype(np.int64), "plain", True, HOW)
    assert ours == pytest.approx(twin(shared), abs=1e-12)
    topic = (np.arange(60) % 12)[(matrix >= 0).sum(axis=1) >= 2]
    exact = np.array([twin(shared[topic != t]) for t in range(12)])
    spread = np.sqrt(11 / 12 * ((exact - exact.mean()) ** 2).sum())
    width = (ours.high - ours.low) / 2
    assert width == pytest.approx(2.2 * spread, rel=0.35)  # t(11) = 2.20; the bootstrap is not far from it


def test_fleiss_is_statsmodels_on_equal_raters_and_gwets_ac1_its_formula() -> None:
    rng = np.random.default_rng(3)
    matrix = rng.choice(4, (50, 5), p=[0.6, 0.2, 0.15, 0.05])
    a = agreement(from_matrix(matrix), resamples=99)
    table = np.stack([(matrix == q).sum(axis=1) for q in range(4)], axis=1)
    assert a.fleiss == pytest.approx(fleiss_kappa(table), abs=1e-12)
    share = table.sum(axis=0) / table.sum()
    p_o = ((table * (table - 1)).sum(axis=1) / 20).mean()
    p_e = (share * (1 - share)).sum() / 3
    assert a.ac1 == pytest.approx((p_o - p_e) / (1 - p_e), abs=1e-12)


def test_gwet_counts_the_grades_of_the_scale_not_those_seen() -> None:
    matrix = np.array([[0, 0], [1, 1], [0, 1], [1, 1]])
    two, four = (agreement(from_matrix(matrix, scale), resamples=99).ac1 for scale in ("0..1", "0..3"))
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
    a = agreement(from_matrix(np.where(raters > 0, raters - 1, -1), "0..4"), resamples=99)
    assert a.ac1 == pytest.approx(0.77544, abs=1e-5)
    assert a.fleiss == pytest.approx(0.76117, abs=1e-5)
    assert a.alpha_nominal == pytest.approx(0.743421, abs=1e-6)
    assert a.percent == pytest.approx(0.8181818, abs=1e-6)


def test_only_one_grade_is_undefined_with_the_sentence_never_one() -> None:
    a = agreement(from_matrix(np.ones((30, 3), int), "0..1", topics=10), resamples=99)
    for e in (a.kappa, a.fleiss, a.alpha_nominal, a.alpha_ordinal, a.alpha_interval):
        assert np.isnan(e)
        assert e.undefined == "one grade"
    assert a.percent == 1
    assert a.ac1 == 1
    assert "only one grade" in str(a)


def test_no_document_judged_twice() -> None:
    a = agreement(from_matrix(np.array([[0, -1], [-1, 1]])), resamples=99)
    assert np.isnan(a.percent)
    assert a.alpha.undefined == "no pairs"
    assert a.pairs.height == 0


def test_unordered_labels_have_no_weighted_coefficients() -> None:
    j = Judgments.from_dict(
        {"a": {1: {"x": "cat", "y": "dog", "z": "cat"}}, "b": {1: {"x": "cat", "y": "cow", "z": "cat"}}}
    )
    a = agreement(j, resamples=99)
    assert np.isnan(a.kappa_linear)
    assert a.kappa_linear.undefined == "no order"
    assert a.alpha == a.alpha_nominal
    assert a.overlap == {}


def test_negative_grades_are_left_out_and_counted_or_a_level() -> None:
    j = Judgments.from_dict({"a": {1: {"x": 0, "y": -2, "z": 1}}, "b": {1: {"x": 0, "y": -2, "z": 0}}})
    assert agreement(j, resamples=99).n_documents == 2
    assert "2 labels below zero" in str(agreement(j, resamples=99))
    assert agreement(j, negative="label", resamples=99).percent == pytest.approx(2 / 3)


def test_repeats_enter_self_consistency_only() -> None:
    import polars as pl

    rows = [(1, "x", "a", 2), (1, "x", "a", 2), (1, "x", "b", 1), (1, "y", "a", 1), (1, "y", "a", 0), (1, "y", "b", 1)]
    rows += [(1, "z", "a", 0), (1, "z", "b", 0)]
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "grade"], orient="row")
    j = Judgments.from_frame(frame, repeated="keep")
    a = agreement(j, resamples=99)
    assert a.percent == pytest.approx(2 / 3)
    assert a.self_consistency is not None
    assert float(a.self_consistency) == pytest.approx(0.5)
    assert a.self_consistency.n_documents == 2
    # x: a says 2,2 against b's 1; y: a says 1,0 against b's 1: one of four pairs agrees
    assert float(a.self_consistency.other) == pytest.approx(1 / 4)
    assert "2 repeated labels" in str(a)


def test_intervals_are_over_topics_and_say_so() -> None:
    truth = np.random.default_rng(0).integers(0, 2, 400)
    j = crowd(truth, [good(2, 0.8)] * 4, None, seed=5, topics=20)
    a = agreement(j)
    assert "studentised bootstrap over 20 topics" in str(a)
    assert a.alpha.low < a.alpha < a.alpha.high
    assert agreement(j).alpha.low == a.alpha.low
    few = agreement(crowd(truth, [good(2, 0.8)] * 4, None, seed=5, topics=5))
    assert "t over 5 topics, unreliable" in str(few)
    one = agreement(crowd(truth, [good(2, 0.8)] * 4, None, seed=5, topics=1))
    assert "documents are resampled" in str(one)
    assert one.alpha.low < one.alpha < one.alpha.high


def test_intervals_cover() -> None:
    """κ of two assessors with topic effects: 95 % intervals cover the population value."""
    rng = np.random.default_rng(7)
    topics, docs = 25, 20

    def sample(n: int) -> np.ndarray:
        accuracy = rng.beta(8, 2, n).repeat(docs)
        truth = rng.random(n * docs) < rng.beta(2, 3, n).repeat(docs)
        said = [np.where(rng.random(n * docs) < accuracy, truth, ~truth) for _ in range(2)]
        return np.stack(said, axis=1).astype(int)

    big = sample(20_000)
    target = cohen_kappa_score(big[:, 0], big[:, 1])
    hits = 0
    cluster = np.repeat(np.arange(topics), docs)
    template = labels(from_matrix(sample(topics), "0..1"))
    from dataclasses import replace

    for _ in range(300):
        said = sample(topics)
        e = kappa(
            replace(template, level=said.ravel().astype(np.int8)), cluster, "plain", True, Resampling(resamples=299)
        )
        hits += e.low <= target <= e.high
    assert 0.91 <= hits / 300 <= 0.98


def test_suspects_are_found() -> None:
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 3, 600)
    coin, lazy = np.full((3, 3), 1 / 3), np.tile([1.0, 0, 0], (3, 1))
    contrary = np.array([[0.05, 0.15, 0.8], [0.45, 0.1, 0.45], [0.8, 0.15, 0.05]])
    j = crowd(truth, [good(3, 0.8)] * 6 + [coin, lazy, contrary], 5, seed=12, topics=20)
    people = agreement(j, resamples=99).assessors
    looks = dict(zip(people["assessor"], people["looks"], strict=True))
    assert looks == {**{f"w{k}": "" for k in range(6)}, "w6": "random", "w7": "lazy", "w8": "contrary"}


def test_per_topic_and_per_grade() -> None:
    matrix = np.array([[0, 0], [1, 0], [1, 1], [2, 2]])
    a = agreement(from_matrix(matrix, "0..2", topics=2), resamples=99)
    assert a.per_topic["percent"].to_list() == [1.0, 0.5]
    assert a.per_grade["agreement"].to_list() == pytest.approx([2 / 3, 2 / 3, 1.0])


def test_arguments_are_checked() -> None:
    j = from_matrix(np.array([[0, 1], [1, 1]]))
    with pytest.raises(InputError, match="confidence=95"):
        agreement(j, confidence=95)
    with pytest.raises(InputError, match='gold="expert"'):
        agreement(j, gold="expert")
    with pytest.raises(InputError, match="at least 99"):
        agreement(j, resamples=3)


def test_json_has_no_nan() -> None:
    import json

    a = agreement(from_matrix(np.ones((4, 2), int), "0..1"), resamples=99)
    content = json.loads(a.to_json())
    assert content["coefficients"]["Cohen's kappa"]["value"] is None
    assert a.to_frame().columns == ["coefficient", "value", "low", "high", "n", "note"]
    assert UNJUDGED == -128


def test_binary_is_the_coefficients_of_recoded_labels() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(0, 4, 200)
    y = np.where(rng.random(200) < 0.5, x, rng.integers(0, 4, 200))
    matrix = np.stack([x, y], axis=1)
    cut = agreement(from_matrix(matrix, topics=12), binary=2, resamples=99)
    assert cut.kappa == pytest.approx(cohen_kappa_score(x >= 2, y >= 2), abs=1e-12)
    assert cut.per_grade["grade"].to_list() == ["below 2", "2 or above"]
    for wrong in (0, 7, "good"):
        with pytest.raises(InputError, match="binary="):
            agreement(from_matrix(matrix), binary=wrong)


def test_one_assessor_is_refused_with_the_reason() -> None:
    j = from_matrix(np.array([[0, 1], [1, 1]]))
    with pytest.raises(InputError, match="these judgments have one, 'a0'"):
        agreement(j.select(assessors=["a0"]))
    with pytest.raises(InputError, match='beside gold="a1" there is only'):
        agreement(j, gold="a1")


def test_kappa_of_many_is_called_congers() -> None:
    matrix = np.random.default_rng(5).integers(0, 2, (40, 3))
    assert "Conger's kappa" in agreement(from_matrix(matrix, "0..1"), resamples=99).coefficients()
    assert "Cohen's kappa" in agreement(from_matrix(matrix[:, :2], "0..1"), resamples=99).coefficients()
