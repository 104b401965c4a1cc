"""nMCG: the best ordering under the curve is its ideal, whatever the curve."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import dissensus as ds
from dissensus.errors import FileError, MeasureError
from dissensus.measures.mcg import nMCG
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
    with pytest.raises(MeasureError, match="no dynamic for lazy queries, only for navigational, informational"):
        nMCG(dynamic=file, kind="lazy", cutoff=2).score([1])


def test_kernel_agrees_with_the_definition(tmp_path) -> None:
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
    m = nMCG(dynamic=file, cutoff=10)
    fast = m.scores(joined)
    np.testing.assert_allclose(fast, score_all(m, joined), atol=1e-14)
    assert np.isnan(fast[2]).all()  # nobody is relevant for z
    assert np.nanmax(fast) <= 1


def test_curve_below_zero_is_refused(tmp_path) -> None:
    file = dynamic_file(tmp_path, all=ds.UserDynamic(0.5, -0.1, 0.2))
    with pytest.raises(MeasureError, match="falls below zero at rank 4"):
        nMCG(dynamic=file, cutoff=10).score([1])
    assert nMCG(dynamic=file, cutoff=3).score([1]) == 1


def test_what_nmcg_refuses(tmp_path) -> None:
    with pytest.raises(MeasureError, match="needs the user dynamic"):
        ds.measure("nMCG@10")
    with pytest.raises(MeasureError, match="needs a cut-off"):
        ds.measure("nMCG(dynamic='user.json')")
    with pytest.raises(FileError, match=r"missing\.json"):
        ds.measure("nMCG(dynamic='missing.json')@10").score([1])
    file = tmp_path / "walk.json"
    file.write_text(ds.MarkovUser.fit([[1, 2, 1]]).to_json())
    with pytest.raises(MeasureError, match="a walk but no dynamic"):
        ds.measure(f"nMCG(dynamic={str(file)!r})@10").score([1])
    file.write_text("{}")
    with pytest.raises(FileError, match="neither a 'walk' nor a 'dynamic'"):
        ds.measure(f"nMCG(dynamic={str(file)!r})@10").score([1])
    file.write_text("{")
    with pytest.raises(FileError, match=r"walk\.json:1: not JSON"):
        ds.measure(f"nMCG(dynamic={str(file)!r})@10").score([1])
