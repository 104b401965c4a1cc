"""nMCG: the best ordering under the curve is its ideal, whatever the curve."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import FileError, MeasureError
from dissensus.measures.families.mcg import nMCG
from dissensus.measures.single import score_all
from dissensus.users.dynamic import dynamics_json


def dynamic_file(tmp_path, **curves: ds.UserDynamic) -> str:
    file = tmp_path / "user.json"
    file.write_text(dynamics_json(curves))
    return str(file)


def test_nmcg_with_a_harmonic_user(tmp_path) -> None:
    file = dynamic_file(tmp_path, all=ds.UserDynamic(alpha=1, beta=0, gamma=0))
    m = ds.measure(f"nMCG(dynamic={file!r})@3")
    ideal = 7 + 3 / 2 + 1 / 3
    assert m.score([1, 3, 2], pool=[3, 2, 1, 1], scale="0..4") == pytest.approx((1 + 7 / 2 + 3 / 3) / ideal)
    assert m.score([3, 2, 1, 1], pool=[3, 2, 1, 1], scale="0..4") == pytest.approx(1)


@pytest.mark.parametrize(("alpha", "beta", "gamma"), [(0.1, 0.05, 0.0), (-0.05, 0.0, 0.2), (1, 0, 0), (0.3, 0.02, 0.0)])
def test_ideal_is_the_best_ordering_under_the_curve(tmp_path, alpha: float, beta: float, gamma: float) -> None:
    """Also where the curve rises; sorting by grade would let nMCG exceed 1."""
    file = dynamic_file(tmp_path, all=ds.UserDynamic(alpha, beta, gamma))
    m = nMCG(dynamic=file, cutoff=3)
    pool = [2, 1, 1, 0, 0]
    best = max(m.score(list(p), pool=pool) for p in permutations(pool))
    assert best == pytest.approx(1)


def test_class_by_grade_rule_or_given(tmp_path) -> None:
    file = dynamic_file(tmp_path, navigational=ds.UserDynamic(1, 0, 0), informational=ds.UserDynamic(0, 0, 1))
    m = nMCG(dynamic=file, cutoff=2)
    assert m.score([0, 1], pool=[1, 0]) == pytest.approx(0.5)  # one relevant: navigational
    assert m.score([0, 1], pool=[1, 0, 1]) == pytest.approx(0.5)  # informational, flat curve: 1 of 2
    assert m.score([1, 0], pool=[1, 0, 1]) == pytest.approx(0.5)
    forced = nMCG(dynamic=file, kind="navigational", cutoff=2)
    assert forced.score([0, 1], pool=[1, 0, 1]) == pytest.approx(0.5 / 1.5)
    assert ds.measure(str(forced)) == forced
    with refused(MeasureError, "navigational", "informational"):
        nMCG(dynamic=file, kind="lazy", cutoff=2).score([1])


# ── classes given per topic ──────────────────────────────────────────────────────────────────────────────────────────
def given(tmp_path, text: str, cutoff: int = 3, **curves: ds.UserDynamic) -> nMCG:
    (tmp_path / "classes.csv").write_text(text)
    curves = curves or {"quick": ds.UserDynamic(1, 0, 0), "patient": ds.UserDynamic(0, 0.5, 0)}
    return nMCG(dynamic=dynamic_file(tmp_path, **curves), classes=str(tmp_path / "classes.csv"), cutoff=cutoff)


def test_given_classes_by_hand(tmp_path) -> None:
    """Two topics with one ranking and one pool; only the class differs. Under the pool's rule both are alike."""
    m = given(tmp_path, "topic,class\n301,quick\n302,patient\n999,unheard-of\n")
    runs = ds.Runs.from_dict({"s": {t: {"a": 3.0, "b": 2.0, "c": 1.0} for t in ("301", "302")}})
    judgments = ds.Judgments.from_dict({"ann": {t: {"a": 1, "b": 0, "c": 2, "d": 1} for t in ("301", "302")}})
    scores = ds.evaluate(runs, judgments, [str(m)])[str(m)].values[0, 0]
    quick = (1 * 1 + 0 + 3 / 3) / (3 * 1 + 1 / 2 + 1 / 3)  # δ = 1, 1/2, 1/3; gains 3, 1, 1 from the top
    patient = (1 * 0.5 + 0 + 3 * 1.5) / (3 * 1.5 + 1 * 1 + 1 * 0.5)  # δ = 1/2, 1, 3/2; the best gain on rank 3
    assert scores == pytest.approx([quick, patient])
    assert [m.for_topic(t).score([1, 0, 2], pool=[1, 0, 2, 1]) for t in ("301", "302")] == pytest.approx(scores)
    assert ds.measure(str(m)) == m
    (tmp_path / "classes.csv").write_text("301,patient\n302,patient\n")  # read again when it has changed
    assert ds.evaluate(runs, judgments, [m])[str(m)].values[0, 0] == pytest.approx([patient, patient])


def test_given_class_wins_over_the_grade_rule(tmp_path) -> None:
    curves = {"navigational": ds.UserDynamic(1, 0, 0), "informational": ds.UserDynamic(0, 0, 1)}
    m = given(tmp_path, "1,informational\n2,navigational\n", **curves)
    runs = ds.Runs.from_dict({"s": {t: {"a": 2.0, "b": 1.0} for t in "12"}})
    judgments = ds.Judgments.from_dict({"x": {t: {"a": 0, "b": 1} for t in "12"}})  # navigational by the rule
    by_rule = nMCG(dynamic=m.dynamic, cutoff=3)
    scores = ds.evaluate(runs, judgments, [m, by_rule])
    assert scores[str(m)].values.ravel().tolist() == [1.0, 0.5]
    assert scores[str(by_rule)].values.ravel().tolist() == [0.5, 0.5]


def test_every_policy_knows_the_topic(tmp_path) -> None:
    """Bounds, condensed lists, sampled ties and blocks of topics find the class of each topic."""
    m = given(tmp_path, "1,quick\n2,patient\n3,quick\n")
    runs = ds.Runs.from_dict({"s": {t: {"a": 2.0, "u": 1.0, "b": 1.0} for t in "123"}})
    judgments = ds.Judgments.from_dict({"x": {t: {"a": 1, "b": 2, "c": 0} for t in "123"}})
    collection = ds.Collection(runs, judgments)
    one = {t: ds.Collection(runs.select(topics=[t]), judgments.select(topics=[t])) for t in "123"}
    for policy in ({"unjudged": "bounds"}, {"unjudged": "condense"}, {"ties": "expected"}, {}):
        whole = collection.score([m], **policy)
        for i, t in enumerate("123"):
            alone = m.for_topic(t)
            for name, values in one[t].score([alone], **policy).values.items():
                ours = whole.values[name.replace(str(alone), str(m))][0, 0, i]
                assert ours == pytest.approx(values.item(), abs=0.05 if "ties" in policy else 1e-12)
    parts = [ds.score_partition(runs.select(topics=[t]), judgments.select(topics=[t]), [m]) for t in "123"]
    np.testing.assert_array_equal(ds.combine(parts)[str(m)].values, collection.score([m]).values[str(m)])


def test_without_topics_given_classes_are_refused(tmp_path) -> None:
    from dissensus.theory.axioms import check_axioms
    from dissensus.theory.balancing import balancing_index

    m = given(tmp_path, "301,quick\n")
    confusion = [[0.9, 0.1], [0.2, 0.8]]
    for use in (
        lambda: m.score([1, 0]),
        lambda: m.compute(np.array([1], np.int8), np.array([1], np.int8), ds.Scale.range(0, 1)),
        lambda: m.linear_form(np.array([1, 1]), 2, ds.Scale.range(0, 1)),
        lambda: ds.ceiling([1, 0, 0], confusion, m),
        lambda: ds.ceiling([1, 0, 0], confusion, m, "simulate", 10),
        lambda: check_axioms(m, 3),
        lambda: balancing_index(m, 3),
    ):
        with refused(MeasureError, "classes.csv") as caught:
            use()
        assert "kind='quick')@3" in str(caught.value)
        assert "for_topic('301')" in str(caught.value)


def test_what_given_classes_must_say(tmp_path) -> None:
    runs = ds.Runs.from_dict({"s": {str(t): {"a": 1.0} for t in range(1, 9)}})
    judgments = ds.Judgments.from_dict({"x": {str(t): {"a": 1} for t in range(1, 9)}})
    m = given(tmp_path, "1,quick\n77,quick\n")
    with refused(MeasureError, "classes.csv", 7, 8, 2, 6, 1, 77):
        ds.evaluate(runs, judgments, [m])
    with refused(MeasureError, 1, 9, "user.json"):
        m.for_topic("9")
    everyone = "".join(f"{t},{'lazy' if t == 4 else 'quick'}\n" for t in range(1, 9))
    m = given(tmp_path, everyone)
    with refused(MeasureError, 4, "lazy", "user.json", "quick", "patient"):
        ds.evaluate(runs, judgments, [m])
    m = given(tmp_path, everyone, all=ds.UserDynamic(1, 0, 0))  # "all" is no stand-in for a class that was given
    with refused(MeasureError, "quick", "user.json"):
        ds.evaluate(runs, judgments, [m])
    with refused(MeasureError, "kind=", "classes="):
        ds.measure("nMCG(dynamic='user.json', kind='quick', classes='c.csv')@10")
    with refused(MeasureError, "nMCG(classes=3)"):
        ds.measure("nMCG(dynamic='user.json', classes=3)@10")
    gone = ds.measure(f"nMCG(dynamic={m.dynamic!r}, classes='gone.csv')@10")
    with refused(FileError, "gone.csv"):
        ds.evaluate(runs, judgments, [gone])


@pytest.mark.parametrize("which", ["rule", "kind", "classes"])
def test_kernel_agrees_with_the_definition(tmp_path, which: str) -> None:
    rng = np.random.default_rng(11)
    runs = ds.Runs.from_dict(
        {
            s: {t: {f"d{d}": float(-i) for i, d in enumerate(rng.permutation(30)[:n])} for t in "12345"}
            for s, n in (("a", 20), ("b", 3))
        }
    )
    judgments = ds.Judgments.from_dict(
        {
            a: {t: {f"d{d}": int(g) for d, g in enumerate(rng.choice(4, 30, p=p))} for t in "12345"}
            for a, p in (("x", [0.9, 0.05, 0.03, 0.02]), ("y", [0.4, 0.3, 0.2, 0.1]), ("z", [1, 0, 0, 0]))
        }
    )
    file = dynamic_file(
        tmp_path, navigational=ds.UserDynamic(0.5, 0.01, 0.1), informational=ds.UserDynamic(0.1, 0.02, 0.1)
    )
    joined = ds.Collection(runs, judgments).joined
    (tmp_path / "classes.csv").write_text(
        "".join(f"{t},{'navigational' if t in '25' else 'informational'}\n" for t in "12345")
    )
    m = {
        "rule": nMCG(dynamic=file, cutoff=10),
        "kind": nMCG(dynamic=file, kind="navigational", cutoff=10),
        "classes": nMCG(dynamic=file, classes=str(tmp_path / "classes.csv"), cutoff=10),
    }[which]
    fast = m.scores(joined)
    np.testing.assert_allclose(fast, score_all(m, joined), atol=1e-14)
    assert np.isnan(fast[2]).all()  # nobody is relevant for z
    assert np.nanmax(fast) <= 1


def test_curve_below_zero_is_refused(tmp_path) -> None:
    file = dynamic_file(tmp_path, all=ds.UserDynamic(0.5, -0.1, 0.2))
    with refused(MeasureError, 4, "user.json"):
        nMCG(dynamic=file, cutoff=10).score([1])
    assert nMCG(dynamic=file, cutoff=3).score([1]) == 1


def test_what_nmcg_refuses(tmp_path) -> None:
    with refused(MeasureError, "nMCG"):
        ds.measure("nMCG@10")
    with refused(MeasureError, "nMCG"):
        ds.measure("nMCG(dynamic='user.json')")
    with refused(FileError, "missing.json"):
        ds.measure("nMCG(dynamic='missing.json')@10").score([1])
    file = tmp_path / "walk.json"
    file.write_text(ds.MarkovUser.fit([[1, 2, 1]]).to_json())
    with refused(MeasureError, "walk.json"):
        ds.measure(f"nMCG(dynamic={str(file)!r})@10").score([1])
    file.write_text("{}")
    with refused(FileError, "walk", "dynamic"):
        ds.measure(f"nMCG(dynamic={str(file)!r})@10").score([1])
    file.write_text("{")
    with refused(FileError, "walk.json:1"):
        ds.measure(f"nMCG(dynamic={str(file)!r})@10").score([1])
