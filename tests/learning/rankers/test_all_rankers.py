"""What every ranker must do: learn, repeat itself, come back from a file, refuse nonsense, survive odd queries."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from sklearn.base import clone
from small_rankers import make, small_fold  # noqa: F401 (a fixture)

from dissensus.errors import DissensusError, InputError, MeasureError
from dissensus.learning import RANKERS, load_ranker
from dissensus.learning.rankers.ranker import MEASURE
from dissensus.learning.scoring import QueryScorer


def best_single_feature(fold):
    """The feature, up or down, that ranks the training queries best, tested where the rankers are."""
    train = QueryScorer(MEASURE, fold.train.y, fold.train.bounds)
    best = max(((train(s * fold.train.X[:, f]), s, f) for f in range(10) for s in (1, -1)), key=lambda t: t[0])
    return best[1] * fold.test.X[:, best[2]]


@pytest.mark.parametrize("name", RANKERS)
def test_beats_random_and_the_best_feature(name, fold):
    test = QueryScorer(MEASURE, fold.test.y, fold.test.bounds)
    rng = np.random.default_rng(0)
    random = np.mean([test(rng.random(len(fold.test))) for _ in range(20)])
    score = test(make(name).fit(fold.train).predict(fold.test))
    assert score > random + 0.1
    assert score > test(best_single_feature(fold))


@pytest.mark.parametrize("name", RANKERS)
def test_equal_seeds_equal_models_and_files_bring_them_back(name, fold, tmp_path):
    one, two = (make(name).fit(fold.train, validation=fold.validation) for _ in range(2))
    np.testing.assert_array_equal(one.predict(fold.test), two.predict(fold.test))
    one.save(tmp_path / "model.json")
    back = load_ranker(tmp_path / "model.json")
    assert type(back) is type(one)
    assert back.notes_ == one.notes_
    np.testing.assert_array_equal(back.predict(fold.test), one.predict(fold.test))
    assert type(one).load(tmp_path / "model.json").to_json() == one.to_json()


@pytest.mark.parametrize("name", RANKERS)
def test_validation_keeps_the_best_round(name, fold):
    ranker = make(name).set_params(patience=3).fit(fold.train, validation=fold.validation)
    held_out = QueryScorer(MEASURE, fold.validation.y, fold.validation.bounds)
    assert ranker.validation_score_ == max(ranker.validation_history_)
    assert held_out(ranker.predict(fold.validation)) == pytest.approx(ranker.validation_score_, abs=1e-9)
    assert ranker.n_rounds_ == int(np.argmax(ranker.validation_history_)) + 1


@pytest.mark.parametrize("name", RANKERS)
def test_odd_queries_are_survived(name, fold):
    """One document, one grade, identical documents, a feature that never varies."""
    train = fold.train
    X = np.vstack([np.c_[train.X, np.full(len(train), 7.0)], np.zeros((6, 11))])
    y = np.concatenate([train.y, [2, 0, 0, 0, 1, 1]])
    group = np.concatenate([train.group, [1, 3, 2]])
    prediction = make(name).fit(X, y, group).predict(X)
    assert np.isfinite(prediction).all()
    test = QueryScorer(MEASURE, train.y, train.bounds)
    assert test(prediction[: len(train)]) > 0.6


@pytest.mark.parametrize("name", RANKERS)
def test_scikit_learns_manners(name):
    ranker = make(name).set_params(seed=7)
    twin = clone(ranker)
    assert twin.get_params() == ranker.get_params()
    assert repr(ranker).startswith(f"{name}(")
    assert "seed=7" in repr(ranker)
    with refused(InputError, "colour"):
        ranker.set_params(colour=1)
    with refused(InputError):
        ranker.predict(np.eye(2))


@pytest.mark.parametrize("name", RANKERS)
def test_nonsense_is_refused(name, fold):
    X, y, group = fold.train.X, fold.train.y, fold.train.group
    cases = [
        ((X, y, group[:-1]), (560, 591)),
        ((X, y, [0, *group]), ("group[0]", 0)),
        ((X[:0], y[:0], []), ("(0, 10)",)),
        ((X, np.where(np.arange(len(y)) == 7, np.nan, y), group), ("y[7]", "nan")),
        ((X, np.ones(len(y)), group), (name,)),
        ((np.ones_like(X), y, group), (name,)),
        ((X, y[:-1], group), ("(590,)", 591)),
        ((X, -y - 1, group), ("y[0]", -3)),
        ((np.where(X[0, 0] == X, np.nan, X), y, group), ("X[0, 0]", "nan")),
        ((X, y), ("fit",)),
        ((X[0], y, group), ("(10,)",)),
    ]
    for given, values in cases:
        with refused(InputError, *values):
            make(name).fit(*given)
    ranker = make(name).fit(X, y, group)
    with refused(InputError, 10, 3):
        ranker.predict(X[:, :3])
    with refused(DissensusError, "patience=0"):
        make(name).set_params(patience=0).fit(X, y, group)


@pytest.mark.parametrize("name", RANKERS)
def test_settings_that_all_rankers_share_are_checked(name, fold):
    with refused(InputError, "seed=-1"):
        make(name).set_params(seed=-1).fit(fold.train)
    with refused(MeasureError, "XX"):
        make(name).set_params(measure="XX").fit(fold.train)  # also where nothing is watched
    if "workers" in make(name).get_params():
        with refused(InputError, 0):
            make(name).set_params(workers=-1).fit(fold.train)


@pytest.mark.parametrize("name", RANKERS)
def test_early_stopping_needs_a_measure_that_tells_rounds_apart(name, fold):
    empty = fold.validation.with_labels(np.zeros(len(fold.validation)))
    with refused(InputError, "nDCG(dcg='exp-log2')@10"):
        make(name).fit(fold.train, validation=empty)
    with refused(MeasureError, "ESL"):
        make(name).set_params(measure="ESL").fit(fold.train, validation=fold.validation)


@pytest.mark.parametrize("name", ["LambdaMART", "NMCGMART"])
def test_labels_without_a_finite_gain_are_refused(name, fold):
    with refused(InputError, 'gains="linear"'):
        make(name).fit(fold.train.X, fold.train.y * 1000, fold.train.group)
