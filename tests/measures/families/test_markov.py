"""Markov Precision: the thesis's numbers, and the closed form against the linear solve it replaces."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from kernel_twins import empty, hits, rankings, twin
from refusals import refused

import dissensus as ds
from dissensus.engine.user_walks import walks_on_all, walks_on_relevant
from dissensus.errors import FileError, MeasureError
from dissensus.measures.families.markov import MODELS, MP
from dissensus.measures.user_models import UserModel, Walk

RUNS = [(1, 1, 1, 1, 0, 0, 0, 1, 0, 0), (1, 1, 1, 0, 1, 0, 0, 0, 1, 0), (1, 1, 0, 1, 1, 0, 0, 0, 0, 1)]
RATES = [
    (0.2000, 0.0357, 0.2000, 0.0400, 0.0056, 0.0005, 0.0035, 0.0017, 0.0034, 0.0024),
    (0.0177, 0.0047, 0.0037, 0.0015, 0.0041, 0.0031, 0.0057, 0.0022, 0.0061, 0.0045),
    (0.0056, 0.0051, 0.0062, 0.0031, 0.0046, 0.0025, 0.0050, 0.0022, 0.0070, 0.0050),
]


def transition(model: str, states: np.ndarray) -> np.ndarray:
    """Transition matrix of a walk on `states`, straight from equations 5.7 and 5.8."""
    d = np.abs(states[:, None] - states[None, :]).astype(float)
    alpha = 1 / (d + 1) if model.endswith("_ID") else 1 / np.log10(d + 2)
    np.fill_diagonal(alpha, 0)
    if model.startswith("LO"):
        position = np.arange(len(states))
        alpha[np.abs(position[:, None] - position[None, :]) > 1] = 0
    return alpha / alpha.sum(axis=1, keepdims=True)


def watched(p: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Transition matrix of the sub-chain on the states `on`: the linear system of equation 5.6."""
    off = np.setdiff1d(np.arange(len(p)), on)
    inside = p[np.ix_(on, on)]
    if not len(off):
        return inside
    return inside + p[np.ix_(on, off)] @ np.linalg.solve(np.eye(len(off)) - p[np.ix_(off, off)], p[np.ix_(off, on)])


def invariant(p: np.ndarray) -> np.ndarray:
    a = np.vstack([p.T - np.eye(len(p)), np.ones(len(p))])
    return np.linalg.lstsq(a, np.r_[np.zeros(len(p)), 1.0], rcond=None)[0]


def slow(run: np.ndarray, model: str) -> float:
    """MP by the book: build the walk, watch it on L, solve for its invariant distribution."""
    on = np.flatnonzero(run)
    if not len(on):
        return 0.0
    precision = (np.cumsum(run) / np.arange(1, len(run) + 1))[on]
    if len(on) == 1:
        return float(precision[0])
    chain = transition(model, on) if "_OR_" in model else watched(transition(model, np.arange(len(run))), on)
    return float(invariant(chain) @ precision)


def collection(runs: list[np.ndarray], labels: list[np.ndarray]) -> tuple[ds.Runs, ds.Judgments]:
    """Rankings of documents d0, d1 … of one topic each, judged by several assessors."""
    n = max(len(r) for r in runs)
    names = [f"d{i:03}" for i in range(n)]
    systems = {
        f"s{k}": {str(t): {names[d]: float(n - i) for i, d in enumerate(run)} for t in (1, 2)}
        for k, run in enumerate(runs)
    }
    grades = {
        f"a{k}": {str(t): {names[d]: int(g) for d, g in enumerate(np.roll(label, t))} for t in (1, 2)}
        for k, label in enumerate(labels)
    }
    return ds.Runs.from_dict(systems), ds.Judgments.from_dict(grades)


@pytest.mark.parametrize(
    ("run", "rates", "discrete", "continuous"),
    [
        (RUNS[0], RATES[0], 0.9205, 0.6600),
        (RUNS[1], RATES[1], 0.8668, 0.8706),
        (RUNS[2], RATES[2], 0.8120, 0.8005),
    ],
)
def test_table_5_4(run: tuple[int, ...], rates: tuple[float, ...], discrete: float, continuous: float) -> None:
    assert MP().score(run) == pytest.approx(discrete, abs=5e-5)
    assert MP(holding=rates).score(run) == pytest.approx(continuous, abs=5e-5)


@pytest.mark.parametrize("model", MODELS)
def test_closed_form_is_the_linear_solve(model: str) -> None:
    rng = np.random.default_rng(2015)
    for _ in range(60):
        n = int(rng.integers(1, 40))
        run = (rng.random(n) < rng.choice([0.05, 0.3, 0.8])).astype(int)
        assert MP(model=model).score(run.tolist()) == pytest.approx(slow(run, model), abs=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_one_or_no_relevant_document(model: str) -> None:
    m = MP(model=model)
    assert m.score([]) == 0.0
    assert m.score([0, 0, 0]) == 0.0
    assert m.score([1]) == 1.0
    assert m.score([0, 0, 1, 0]) == pytest.approx(1 / 3)
    assert m.score([None, 1]) == 0.5


def test_equal_jumps_times_recall_is_average_precision(tmp_path) -> None:
    """AP is MP of a user who jumps anywhere with equal probability, times RR/R."""
    n = 6
    file = tmp_path / "equal.json"
    file.write_text(UserModel(walk=Walk((np.ones((n, n)) - np.eye(n)) / (n - 1))).to_json())
    m = MP(walk=str(file), rec=True)
    for run in product((0, 1), repeat=n):
        if any(run):
            assert m.score(run, pool=[*run, 1, 0]) == pytest.approx(ds.measure("AP").score(run, pool=[*run, 1, 0]))


def test_recall_version_is_undefined_without_relevant_documents() -> None:
    assert np.isnan(MP(rec=True).score([0, 0]))
    assert MP(rec=True).score([1, 0], pool=[1, 0, 1, 1]) == pytest.approx(1 / 3)


def test_plain_mp_breaks_replacement() -> None:
    assert MP().score([1, 0, 0, 0]) == 1.0
    assert MP().score([1, 0, 1, 0]) == pytest.approx(0.816, abs=5e-4)


def test_cutoff_shortens_the_ranking() -> None:
    run = [1, 0, 1, 1, 0, 1]
    assert MP(cutoff=4).score(run) == MP().score(run[:4])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("extra", [{}, {"rec": True}, {"cutoff": 7}, {"holding": tuple(np.linspace(0.2, 2, 30))}])
def test_kernel_agrees_with_the_definition(model: str, extra: dict[str, object]) -> None:
    rng = np.random.default_rng(7)
    runs = [rng.permutation(30)[:n] for n in (30, 12, 1, 2, 25)]
    labels = [(rng.random(30) < p).astype(int) for p in (0.3, 0.05, 0.9, 0.0)]
    labels[3][4] = 1
    r, j = collection(runs, labels)
    m = MP(model=model, **extra)  # type: ignore[arg-type]
    joined = ds.Collection(r, j).joined
    from dissensus.measures.single import score_all

    np.testing.assert_allclose(m.scores(joined), score_all(m, joined), atol=1e-13)


def test_own_walk_is_watched_on_the_relevant_ranks(tmp_path) -> None:
    rng = np.random.default_rng(3)
    p = rng.random((6, 6))
    p /= p.sum(axis=1, keepdims=True)
    file = tmp_path / "user.json"
    file.write_text(UserModel(walk=Walk(p)).to_json())
    run = np.array([0, 1, 0, 1, 1, 0])
    on = np.flatnonzero(run)
    precision = (np.cumsum(run) / np.arange(1, 7))[on]
    m = ds.measure(f"MP(walk={str(file)!r})")
    assert m.score(run.tolist()) == pytest.approx(float(invariant(watched(p, on)) @ precision), abs=1e-12)
    # nobody looks below the walk's last rank
    assert m.score([*run, 1, 1, 1]) == m.score(run.tolist())
    r, j = collection([rng.permutation(12), rng.permutation(12)[:4]], [(rng.random(12) < 0.4).astype(int)])
    from dissensus.measures.single import score_all

    joined = ds.Collection(r, j).joined
    np.testing.assert_allclose(m.scores(joined), score_all(m, joined), atol=1e-13)


def test_reducible_walk_is_refused_with_the_reason(tmp_path) -> None:
    file = tmp_path / "stuck.json"
    file.write_text(UserModel(walk=Walk(np.array([[0.5, 0.5, 0], [0, 0, 1.0], [0, 1.0, 0]]))).to_json())
    with refused(MeasureError, 2, 3, 1, "stuck.json"):
        MP(walk=str(file)).score([1, 1, 0])


def test_unvisited_ranks_stay_out_of_the_walk(tmp_path) -> None:
    file = tmp_path / "gap.json"
    file.write_text(UserModel(walk=Walk(np.array([[0.2, 0, 0.8], [0, 0, 0], [0.4, 0, 0.6]]))).to_json())
    m = MP(walk=str(file))
    assert m.score([0, 1, 0]) == 0.0
    assert m.score([1, 1, 1]) == pytest.approx(1.0)
    assert m.score([0, 1, 1]) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("wrong", "values"),
    [
        ({"model": "GL_XX_ID"}, ("MP(model='GL_XX_ID')", "GL_AD_ID")),
        ({"holding": (1.0, 0.0)}, ("MP(holding=…)", 2, 0)),
        ({"rec": "yes"}, ("False",)),
        ({"model": "LO_OR_ID", "walk": "user.json"}, ("MP(model='LO_OR_ID', walk='user.json')",)),
        ({"walk": 3}, ("MP(walk=…)",)),
        ({"cutoff": 0}, ("MP@0", 1)),
    ],
)
def test_wrong_parameters_are_refused(wrong: dict[str, object], values: tuple[object, ...]) -> None:
    with refused(MeasureError, *values):
        MP(**wrong)  # type: ignore[arg-type]


def test_holding_rates_must_reach_as_far_as_the_ranking() -> None:
    with refused(MeasureError, "1…2", 3):
        MP(holding=(1.0, 2.0)).score([1, 0, 1])
    assert MP(holding=(1.0, 2.0), cutoff=2).score([1, 0, 1]) == 1.0


def test_missing_user_model_names_the_file() -> None:
    with refused(FileError, "nowhere.json"):
        MP(walk="nowhere.json").score([1])


@pytest.mark.parametrize(
    "name",
    [
        *(f"MP(model='{m}')" for m in MODELS),
        "MP(model='LO_OR_ID', rec=True)@1000",
        "MP(model='GL_AD_ID', holding=[0.2, 0.0357])",
        "MP(walk='user.json')",
        "MP(holding='user.json', walk='user.json')@10",
        "MP(model='GL_AD_ID', rel=2)",
    ],
)
def test_names_read_back(name: str) -> None:
    m = ds.measure(name)
    assert str(m) == name
    assert ds.measure(str(m)) == m
    assert hash(ds.measure(str(m))) == hash(m)


def test_plain_name_says_which_walk() -> None:
    assert str(ds.measure("mp")) == "MP(model='GL_AD_ID')"


def test_many_relevant_documents_by_convolution() -> None:
    run = (np.random.default_rng(8).random(450) < 0.7).astype(int)
    for model in ("GL_OR_ID", "GL_OR_LID"):
        assert MP(model=model).score(run.tolist()) == pytest.approx(slow(run, model), abs=1e-12)


def test_holding_rates_of_the_same_user(tmp_path) -> None:
    """A rank nobody visits needs no holding rate."""
    file = tmp_path / "user.json"
    walk = Walk(np.array([[0.2, 0, 0.8], [0, 0, 0], [0.4, 0, 0.6]]), np.array([0.5, np.nan, 0.25]))
    file.write_text(UserModel(walk=walk).to_json())
    m = MP(walk=str(file), holding=str(file))
    assert m.score([1, 0, 1]) == pytest.approx((1 / 3 * 2 * 1 + 2 / 3 * 4 * 2 / 3) / (1 / 3 * 2 + 2 / 3 * 4))
    with refused(MeasureError, "1…1"):
        MP(holding=str(file)).score([1, 0, 1])


def test_only_the_recall_version_needs_relevant_documents() -> None:
    assert not MP().needs_relevant
    assert MP(rec=True).needs_relevant
    assert MP(rec=True) == MP(rec=True)


ALPHA = 1.0 / (np.arange(200) + 1.0)
STAY = np.random.default_rng(0).random(200) + 0.5


def watched_by_edges(grades: list[int], edges: list[list[int]], recall: bool) -> float:
    """MP from the edges between ranks (from 0), watched_by_edges on the relevant ones."""
    relevant = [r for r, g in enumerate(grades) if g >= 1]
    if not relevant:
        return 0.0
    weight = {r: STAY[r] * sum(ALPHA[abs(r - k)] for k in edges[r]) for r in relevant}
    if len(relevant) == 1:
        weight = {relevant[0]: 1.0}
    precision = {r: (i + 1) / (r + 1) for i, r in enumerate(relevant)}
    score = sum(weight[r] * precision[r] for r in relevant) / sum(weight.values())
    return score * len(relevant) if recall else score


@pytest.mark.parametrize("recall", [False, True])
def test_walks_on_all_documents(recall: bool) -> None:
    joined = rankings()

    def slow(grades: list[int], pool: list[int]) -> float:
        ranks = range(len(grades))
        return watched_by_edges(grades, [[k for k in ranks if k != r] for r in ranks], recall)

    reach = np.concatenate([[0.0], np.cumsum(ALPHA[1:])])
    out = empty(joined)
    walks_on_all(
        *hits(joined), joined.hit_rank, joined.hit_item, joined.labels, np.int8(1), joined.length, reach, reach, STAY,
        recall, out,
    )  # fmt: skip
    one = joined.length == 1  # a ranking of one document has no edge: the walk stays
    np.testing.assert_allclose(out[~one], twin(joined, slow)[~one], atol=1e-12)


@pytest.mark.parametrize("neighbours", [False, True])
@pytest.mark.parametrize("recall", [False, True])
def test_walks_on_relevant_documents(neighbours: bool, recall: bool) -> None:
    joined = rankings(1)

    def slow(grades: list[int], pool: list[int]) -> float:
        relevant = [r for r, g in enumerate(grades) if g >= 1]
        edges: list[list[int]] = [[] for _ in grades]
        for i, r in enumerate(relevant):
            edges[r] = [k for j, k in enumerate(relevant) if i != j and (not neighbours or abs(i - j) == 1)]
        return watched_by_edges(grades, edges, recall)

    out = empty(joined)
    walks_on_relevant(
        *hits(joined), joined.hit_rank, joined.hit_item, joined.labels, np.int8(1), ALPHA, STAY, neighbours, recall, out
    )
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-12)
