"""NMCGMART: discounts per query class, nothing beyond k, the ideal under a dynamic that rises."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from refusals import refused
from wording import phrase

from dissensus.errors import InputError, MeasureError
from dissensus.learning import NMCGMART, LambdaMART
from dissensus.learning.queries import as_queries
from dissensus.learning.rankers.nmcgmart import query_classes
from dissensus.learning.scoring import QueryScorer
from dissensus.measures.families.mcg import nMCG
from dissensus.measures.user_models import Dynamic, UserModel
from dissensus.studies.generated.features import Shape, generate
from dissensus.tables.features import Features

FAST = {"trees": 5, "workers": 1}


def test_classes_of_queries():
    data = as_queries(np.zeros((9, 1)), [4, 0, 1, 3, 3, 0, 2, 0, 1], [3, 3, 3])
    assert query_classes(data).tolist() == ["navigational", "informational", "informational"]
    binary = as_queries(np.zeros((4, 1)), [1, 0, 1, 1], [2, 2])
    assert query_classes(binary).tolist() == ["navigational", "informational"]


def test_gradients_equal_delta_nmcg_by_swapping():
    """|Δ| of every pair is what swapping the two documents does to nMCG@k."""
    user = {"navigational": (1.0, 0.0, 0.0), "informational": (0.1, 0.05, 0.2)}  # the second rises
    data = as_queries(np.zeros((9, 1)), [0, 1, 3, 2, 0, 1, 1, 0, 2], [5, 4])
    ranker = NMCGMART(dynamics=user, k=3, norm=False, **FAST)
    ranker.notes_ = ()
    objective = ranker._objective(data)
    gain = np.exp2(data.y) - 1
    score = np.random.default_rng(1).normal(size=9)
    grad, _ = objective(score)
    want = np.zeros(9)
    for (a, b), kind in zip(((0, 5), (5, 9)), ("navigational", "informational"), strict=True):
        delta = np.zeros(b - a)
        delta[:3] = Dynamic(*user[kind]).delta(3)
        best = max(np.array(p) @ delta for p in permutations(gain[a:b]))
        order = a + np.argsort(-score[a:b])
        value = gain[order] @ delta / best
        for r in range(b - a):
            for p in range(r + 1, b - a):
                swapped = order.copy()
                swapped[[r, p]] = swapped[[p, r]]
                change = abs(gain[swapped] @ delta / best - value)
                i, j = order[r], order[p]
                if gain[i] == gain[j]:
                    continue
                up, down = (i, j) if gain[i] > gain[j] else (j, i)
                push = change / (1 + np.exp(score[up] - score[down]))
                want[up] -= push
                want[down] += push
    np.testing.assert_allclose(grad, want, rtol=1e-4, atol=1e-7)


def test_ndcgs_discount_makes_it_lambdamart():
    """With one class and a discount table equal to nDCG's first k, both objectives agree on pairs within k."""
    data = generate(Shape(30, 10, 5, (0.6, 0.4)), seed=3)
    k = int(data.group.max())
    base = LambdaMART(depth=k, **FAST).fit(data).predict(data)
    ranker = NMCGMART(dynamics={"all": (1, 0, 0)}, k=k, **FAST)
    curve = 1 / np.log2(np.arange(k) + 2.0)
    ranker._curves = lambda: {"all": type("Curve", (), {"delta": lambda self, n: curve[:n]})()}
    np.testing.assert_allclose(ranker.fit(data).predict(data), base, atol=1e-9)


def test_user_model_files_and_notes(tmp_path):
    data = generate(Shape(20, 15, 5, (0.6, 0.3, 0.1)), seed=3)
    path = tmp_path / "user.json"
    path.write_text(UserModel(dynamics={"all": Dynamic(1, 0, 0.1)}).to_json())
    ranker = NMCGMART(dynamics=str(path), **FAST).fit(data)
    assert ranker.notes_ == (phrase("nmcgmart.training-queries-all", "100.0"),)
    ranker.save(tmp_path / "model.json")
    path.unlink()  # the saved ranker keeps the curve, not the file's name
    back = NMCGMART.load(tmp_path / "model.json")
    assert back.dynamics == {"all": [1.0, 0.0, 0.1]}
    assumed = NMCGMART(**FAST).fit(data)
    assert assumed.notes_[0] == phrase("nmcgmart.user-dynamics-assumed-not")
    assert "navigational" in assumed.notes_[1]


@pytest.mark.parametrize(
    ("dynamics", "values"),
    [
        ({"navigational": (1, 0, 0)}, ("informational",)),
        ({"all": (1, -1, 0)}, ("-1.5", "1…10")),
        ({"all": "steep"}, ("steep",)),
        (3, ("NMCGMART(dynamics=3)",)),
    ],
)
def test_dynamics_are_checked(dynamics, values):
    with refused(InputError, *values):
        NMCGMART(dynamics=dynamics).fit(generate(Shape(5, 10, 3, (0.5, 0.5)), seed=6))


def named_queries(seed: int = 3) -> Features:
    rng = np.random.default_rng(seed)
    names = [f"q{i}" for i in range(20)]
    return Features.from_arrays(rng.normal(size=(200, 3)), rng.integers(0, 4, 200), [10] * 20, topics=names)


def test_given_classes_choose_the_curve(tmp_path):
    """Curves by given class: the same gradients as one curve for all where all have that class."""
    data = named_queries()
    user = {"quick": (1.0, 0.0, 0.0), "patient": (0.1, 0.05, 0.2)}
    half = {t: "quick" if i < 10 else "patient" for i, t in enumerate(data.topics)}
    score = np.random.default_rng(1).normal(size=len(data))
    queries = as_queries(data)

    def gradients(**settings):
        ranker = NMCGMART(k=3, **settings, **FAST)
        ranker.notes_ = ()
        return ranker._objective(queries)(score)[0], ranker.notes_

    mixed, notes = gradients(dynamics=user, classes=half)
    np.testing.assert_array_equal(mixed[:100], gradients(dynamics={"all": user["quick"]})[0][:100])
    np.testing.assert_array_equal(mixed[100:], gradients(dynamics={"all": user["patient"]})[0][100:])
    assert notes == (
        phrase("nmcgmart.training-queries", "50.0", "quick"),
        phrase("nmcgmart.training-queries", "50.0", "patient"),
    )
    file = tmp_path / "classes.csv"
    file.write_text("topic,class\n" + "".join(f"{t},{c}\n" for t, c in half.items()))
    np.testing.assert_array_equal(gradients(dynamics=user, classes=file)[0], mixed)
    ranker = NMCGMART(dynamics=user, classes=file, **FAST).fit(data)
    assert NMCGMART(**ranker.get_params()).classes is file
    ranker.save(tmp_path / "model.json")
    assert NMCGMART.load(tmp_path / "model.json").classes == str(file)


def test_validation_by_given_classes(tmp_path):
    data, other = named_queries(), named_queries(4)
    (tmp_path / "user.json").write_text(UserModel(dynamics={"a": Dynamic(1, 0, 0), "b": Dynamic(0, 0, 1)}).to_json())
    (tmp_path / "c.csv").write_text("".join(f"q{i},{'ab'[i % 2]}\n" for i in range(20)))
    user, classes = str(tmp_path / "user.json"), str(tmp_path / "c.csv")
    measure = f"nMCG(dynamic={user!r}, classes={classes!r})@5"
    ranker = NMCGMART(dynamics=user, classes=classes, k=5, measure=measure, **FAST).fit(data, validation=other)
    scorer = QueryScorer("nDCG@5", other.y, other.bounds)  # how ties among predictions are broken
    ranked = other.y[scorer.order(ranker.predict(other))].astype(int).reshape(20, 10).tolist()
    want = [nMCG(dynamic=user, kind="ab"[i % 2], cutoff=5).score(grades) for i, grades in enumerate(ranked)]
    assert ranker.validation_score_ == pytest.approx(np.mean(want))
    with refused(MeasureError, "c.csv"):
        ranker.fit(data, validation=(other.X, other.y, other.group))


def test_what_given_classes_must_say():
    data = named_queries()
    user = {"quick": (1.0, 0.0, 0.0)}
    everyone = dict.fromkeys(data.topics, "quick")
    with refused(InputError, "Features.from_arrays"):
        NMCGMART(dynamics=user, classes=everyone, **FAST).fit(data.X, data.y, data.group)
    with refused(InputError, "NMCGMART(classes=3)"):
        NMCGMART(dynamics=user, classes=3, **FAST).fit(data)
    with refused(MeasureError, "classes=", 19, 20, "q1", "q2", "q3", "q4", "q5"):
        NMCGMART(dynamics=user, classes={"q0": "quick"}, **FAST).fit(data)
    with refused(MeasureError, "q7", "slow", "dynamics=", "quick"):
        NMCGMART(dynamics=user, classes={**everyone, "q7": "slow"}, **FAST).fit(data)
