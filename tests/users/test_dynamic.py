"""The user dynamic: a curve through a stationary distribution."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError, MeasureError
from dissensus.users.dynamic import fit_dynamics, query_classes, user_model


def test_fit_recovers_the_curve() -> None:
    rank = np.arange(1, 11)
    fitted = ds.UserDynamic.fit(0.4 / rank + 0.003 * rank + 0.02)
    assert (fitted.alpha, fitted.beta, fitted.gamma) == pytest.approx((0.4, 0.003, 0.02))
    assert fitted.rmse == pytest.approx(0, abs=1e-12)
    assert fitted.delta(3) == pytest.approx(fitted([1, 2, 3]))


def test_fit_uses_visited_ranks_only() -> None:
    user = ds.MarkovUser.fit([[1, 2, 4, 1, 5, 2, 1, 4, 5, 1]])
    fitted = ds.UserDynamic.fit(user)
    rank = np.array([1, 2, 4, 5])
    design = np.column_stack([1 / rank, rank, np.ones(4)])
    expected = np.linalg.lstsq(design, user.stationary[rank - 1], rcond=None)[0]
    assert [fitted.alpha, fitted.beta, fitted.gamma] == pytest.approx(expected.tolist())


def test_too_few_ranks_are_refused() -> None:
    with refused(InputError, 2):
        ds.UserDynamic.fit([0.7, 0.3])
    with refused(InputError):
        ds.UserDynamic.fit([0.7, float("nan"), 0.3])
    with refused(MeasureError, "inf"):
        ds.UserDynamic(alpha=float("inf"), beta=0, gamma=0)


def test_one_file_serves_both_measures(tmp_path) -> None:
    user = ds.MarkovUser.fit([[1, 2, 3, 1, 4, 2, 1, 3, 4, 1]])
    model = user_model(user)
    assert set(model.dynamics) == {"all"}
    file = tmp_path / "user.json"
    file.write_text(model.to_json())
    assert ds.measure(f"nMCG(dynamic={str(file)!r})@4").score([1, 0, 0, 0]) <= 1
    assert ds.measure(f"MP(walk={str(file)!r})").score([1, 0, 0, 0]) == 1
    fitted, missing = fit_dynamics(ds.MarkovUser.fit([[1, 2, 1]]))
    assert fitted == {}
    assert phrase("dynamic.no-dynamic-all-queries") in missing[0]


@pytest.mark.parametrize("values", ["abc", [0.5, "x", 0.2], 0.3])
def test_what_is_no_distribution_is_refused(values: object) -> None:
    with pytest.raises(InputError):
        ds.UserDynamic.fit(values)  # type: ignore[arg-type]


def test_three_ranks_settle_three_parameters_and_the_remark_says_so() -> None:
    _, remarks = fit_dynamics(ds.MarkovUser.fit([[1, 2, 3, 1], [3, 2, 1, 3, 1]]))
    assert any(phrase("dynamic.fits-necessity") in r for r in remarks)


def test_classes_need_one_assessor() -> None:
    judgments = ds.Judgments.from_dict({"a": {"q": {"x": 1}}, "b": {"q": {"x": 0}}})
    with refused(InputError, 2, options=["assessor"]):
        query_classes(judgments)
    assert query_classes(judgments, "a") == {"q": "navigational"}
